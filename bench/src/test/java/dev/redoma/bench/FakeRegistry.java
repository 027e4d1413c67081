// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;

/// A registry, or a host that one redirects to, as bad as a test wants it. What nobody set is 404.
final class FakeRegistry implements AutoCloseable {
    private final HttpServer server;
    private final java.util.concurrent.ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Map<String, Handler> handlers = new ConcurrentHashMap<>();
    /// Path and `Authorization` (or `-`) of every request.
    final List<String> asked = new CopyOnWriteArrayList<>();

    interface Handler {
        void answer(HttpExchange exchange) throws IOException;
    }

    FakeRegistry() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    private void handle(HttpExchange exchange) throws IOException {
        var path = exchange.getRequestURI().getPath();
        var authorization = exchange.getRequestHeaders().getFirst("Authorization");
        asked.add(path + " " + (authorization == null ? "-" : authorization));
        try {
            handlers.getOrDefault(path, e -> status(e, 404)).answer(exchange);
        } finally {
            exchange.close();
        }
    }

    int port() {
        return server.getAddress().getPort();
    }

    String host() {
        return "127.0.0.1:" + port();
    }

    FakeRegistry on(String path, Handler handler) {
        handlers.put(path, handler);
        return this;
    }

    /// Serves an image honestly, as `repository`, under a tag.
    FakeRegistry serve(String repository, String tag, TestImage image) {
        on("/v2/" + repository + "/manifests/" + tag, e -> body(e, 200, "application/vnd.oci.image.manifest.v1+json", image.manifest()));
        image.blobs().forEach((digest, content) -> on("/v2/" + repository + "/blobs/" + digest, e -> body(e, 200, "application/octet-stream", content)));
        return this;
    }

    static void status(HttpExchange exchange, int status) throws IOException {
        exchange.sendResponseHeaders(status, -1);
    }

    static void body(HttpExchange exchange, int status, String type, byte[] content) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.sendResponseHeaders(status, content.length == 0 ? -1 : content.length);
        exchange.getResponseBody().write(content);
    }

    static void redirect(HttpExchange exchange, String to) throws IOException {
        exchange.getResponseHeaders().set("Location", to);
        status(exchange, 307);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
