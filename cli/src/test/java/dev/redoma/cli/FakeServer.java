// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.redoma.client.json.Json;
import dev.redoma.model.wire.ChangeSet;
import dev.redoma.model.wire.Exec;
import dev.redoma.model.wire.Isolation;
import dev.redoma.model.wire.Limits;
import dev.redoma.model.wire.Problem;
import dev.redoma.model.wire.Sandbox;
import dev.redoma.model.wire.TemplateRef;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;

/// Answers like the server, by `METHOD /path`; remembers what was asked.
final class FakeServer implements AutoCloseable {
    static final String BOX = "sbabcdefghijklmnopqr";
    static final String EXEC = "exabcdefghijklmnopqr";

    private final HttpServer server;
    private final Map<String, Handler> routes = new ConcurrentHashMap<>();
    final List<String> asked = new CopyOnWriteArrayList<>();

    interface Handler {
        void handle(HttpExchange exchange) throws IOException;
    }

    FakeServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", this::answer);
        server.start();
        on("POST /v1/sandboxes", x -> json(x, 201, box("running")));
        on("GET /v1/sandboxes/" + BOX, x -> json(x, 200, box("running")));
        on("DELETE /v1/sandboxes/" + BOX, x -> json(x, 200, box("ended")));
        on("GET /v1/sandboxes/" + BOX + "/changes", x -> json(x, 200, unchanged()));
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            var route = exchange.getRequestMethod() + " " + exchange.getRequestURI().getPath();
            asked.add(route);
            routes.getOrDefault(route, x -> json(x, 404, problem(404, "route-not-found"))).handle(exchange);
        }
    }

    FakeServer on(String route, Handler handler) {
        routes.put(route, handler);
        return this;
    }

    /// The exec's stream: started, output, end.
    FakeServer runs(Exec end, byte[] stdout, byte[] stderr) {
        return on("POST /v1/sandboxes/" + BOX + "/execs", exchange -> {
            exchange.getRequestBody().readAllBytes();
            var bytes = new ByteArrayOutputStream();
            var out = new DataOutputStream(bytes);
            frame(out, 3, json(exec("running", null)));
            frame(out, 1, stdout);
            frame(out, 2, stderr);
            frame(out, 3, json(end));
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().write(bytes.toByteArray());
        });
    }

    private static void frame(DataOutputStream out, int type, byte[] payload) throws IOException {
        out.writeByte(type);
        out.writeInt(payload.length);
        out.write(payload);
    }

    private static byte[] json(Object value) {
        return Json.write(value).getBytes(StandardCharsets.UTF_8);
    }

    private static Map<String, Object> unchanged() {
        var none = ChangeSet.of(BOX, ChangeSet.TEMPLATE, "/", false, Instant.EPOCH, Map.of(), List.of());
        return Map.of("sandbox", none.sandbox(), "scope", none.scope(), "root", none.root(), "digest", none.digest(), "complete", none.complete(), "ended", none.ended(), "at", none.at().toString(),
                "counts", none.counts(), "flags", none.flags(), "items", none.items());
    }

    static void json(HttpExchange exchange, int status, Object body) throws IOException {
        var bytes = json(body);
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    static Problem problem(int status, String code) {
        return new Problem("urn:redoma:problem:" + code, code, status, "what is wrong", code, "request", false, "what to do", Map.of("limit", 8));
    }

    static Exec exec(String state, Integer exitCode) {
        return exec(state, exitCode, false, false);
    }

    static Exec exec(String state, Integer exitCode, boolean timedOut, boolean oom) {
        return new Exec(EXEC, BOX, List.of("cmd"), "/", "user", null, state, 7, null, Instant.EPOCH, null, exitCode, null, timedOut, timedOut, oom, null,
                timedOut ? 2000L : null, 10L, 5L, 1000L, 0, 0, true);
    }

    static Sandbox box(String state) {
        return new Sandbox(BOX, null, "default", state, null, new TemplateRef("base", "sha256:00"), Map.of(),
                new Isolation("container", "shared", "crun", "1.8.1", List.of()), "sudo", "none", "creator", "kill",
                Limits.DEFAULTS, Instant.EPOCH, null, null, null, 1, null, null, null, null, List.of(), null);
    }

    URI address() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
