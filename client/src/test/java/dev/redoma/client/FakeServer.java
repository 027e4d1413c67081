// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.redoma.client.json.Json;
import dev.redoma.model.wire.Exec;
import dev.redoma.model.wire.Problem;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;

/// Answers like the server where a test needs no real one; a route is its exact path, or `*` for the rest.
final class FakeServer implements AutoCloseable {
    private final HttpServer server;

    FakeServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        on("/", exchange -> json(exchange, 404, problem(404, "route-not-found")));
        server.start();
    }

    interface Handler {
        void handle(HttpExchange exchange) throws IOException;
    }

    FakeServer on(String path, Handler handler) {
        server.createContext(path, exchange -> {
            try (exchange) {
                handler.handle(exchange);
            }
        });
        return this;
    }

    URI address() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    static void json(HttpExchange exchange, int status, Object body) throws IOException {
        var bytes = Json.write(body).getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    static Problem problem(int status, String code) {
        return new Problem("urn:redoma:problem:" + code, code, status, "it is so", code, "request", false, "do so", Map.of("field", "x"));
    }

    static Exec exec(String state, Integer exitCode) {
        return new Exec("exabcdefghijklmnopqr", "sbabcdefghijklmnopqr", List.of("seq"), "/", "user", null, state, 7, null, Instant.EPOCH, null, exitCode, null,
                false, false, false, null, null, null, null, null, 0, 0, false);
    }

    /// One frame of the output stream.
    static void frame(DataOutputStream out, int type, byte[] payload, int off, int len) throws IOException {
        out.writeByte(type);
        out.writeInt(len);
        out.write(payload, off, len);
    }

    static void frame(DataOutputStream out, Exec exec) throws IOException {
        var bytes = Json.write(exec).getBytes(StandardCharsets.UTF_8);
        frame(out, 3, bytes, 0, bytes.length);
    }

    static long query(HttpExchange exchange, String name) {
        for (var pair : exchange.getRequestURI().getQuery().split("&")) {
            if (pair.startsWith(name + "=")) {
                return Long.parseLong(pair.substring(name.length() + 1));
            }
        }
        return 0;
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
