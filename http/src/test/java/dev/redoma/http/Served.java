// SPDX-License-Identifier: Apache-2.0
package dev.redoma.http;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/// A server with some routes for one test, and a client of it.
final class Served implements AutoCloseable {
    final HttpServer server;
    final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(Duration.ofSeconds(30)).build();

    Served(Route... routes) {
        this(HttpServer.Settings.on("127.0.0.1", 0), routes);
    }

    Served(HttpServer.Settings settings, Route... routes) {
        server = HttpServer.start(settings, new Router(List.of(routes), "This server speaks /v1."));
    }

    URI uri(String path) {
        return URI.create("http://127.0.0.1:" + server.address().getPort() + path);
    }

    HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(uri(path)).timeout(Duration.ofSeconds(60));
    }

    HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return client.send(request(path).build(), BodyHandlers.ofString());
    }

    HttpResponse<String> post(String path, String json) throws IOException, InterruptedException {
        return client.send(request(path).header("Content-Type", "application/json").POST(HttpRequest.BodyPublishers.ofString(json)).build(),
                BodyHandlers.ofString());
    }

    /// Sends bytes as they are and reads until the server closes.
    String raw(String request) throws IOException {
        try (var socket = new Socket("127.0.0.1", server.address().getPort())) {
            socket.setSoTimeout(30_000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Override
    public void close() {
        client.shutdownNow(); // close() would wait without end for a WebSocket
        server.close();
    }
}
