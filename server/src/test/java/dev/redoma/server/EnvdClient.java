// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Speaks to the daemon of one sandbox through the router as E2B's SDKs do, and to its ports.
final class EnvdClient {
    static final JsonMapper JSON = new JsonMapper();

    private final HttpClient http;
    private final String router;
    final String sandbox;
    final String token;

    EnvdClient(HttpClient http, String router, String sandbox, String token) {
        this.http = http;
        this.router = router;
        this.sandbox = sandbox;
        this.token = token;
    }

    /// A sandbox made by the control plane.
    static EnvdClient create(RealServer server, String body) throws IOException, InterruptedException {
        var made = JSON.readTree(server.send("POST", "/sandboxes", BodyPublishers.ofString(body), "Content-Type", "application/json").body());
        var token = made.get("envdAccessToken");
        return new EnvdClient(server.client(), server.router(), made.get("sandboxID").stringValue(), token == null ? "" : token.stringValue());
    }

    HttpRequest.Builder bare(String path) {
        return HttpRequest.newBuilder(URI.create(router + path)).timeout(Duration.ofSeconds(60));
    }

    HttpRequest.Builder to(int port, String path) {
        return bare(path).header("E2b-Sandbox-Id", sandbox).header("E2b-Sandbox-Port", Integer.toString(port));
    }

    HttpRequest.Builder request(String path) {
        var request = to(49_983, path);
        return token.isEmpty() ? request : request.header("X-Access-Token", token);
    }

    HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return http.send(request.build(), BodyHandlers.ofString());
    }

    HttpResponse<String> unary(String method, String json, String... headers) throws IOException, InterruptedException {
        var request = request("/" + method).header("Content-Type", "application/json").header("Connect-Protocol-Version", "1");
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        return send(request.POST(BodyPublishers.ofString(json)));
    }

    JsonNode call(String method, String json) throws IOException, InterruptedException {
        var answer = unary(method, json);
        if (answer.statusCode() != 200) {
            throw new AssertionError(method + ": " + answer.statusCode() + " " + answer.body());
        }
        return JSON.readTree(answer.body());
    }

    /// A call that is answered by a stream.
    Stream stream(String method, String json, String... headers) throws IOException, InterruptedException {
        var payload = json.getBytes(StandardCharsets.UTF_8);
        var body = ByteBuffer.allocate(payload.length + 5).put((byte) 0).putInt(payload.length).put(payload).array();
        var request = request("/" + method).header("Content-Type", "application/connect+json").header("Connect-Protocol-Version", "1");
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        var answer = http.send(request.POST(BodyPublishers.ofByteArray(body)).build(), BodyHandlers.ofInputStream());
        if (answer.statusCode() != 200) {
            throw new AssertionError(method + ": " + answer.statusCode() + " " + new String(answer.body().readAllBytes(), StandardCharsets.UTF_8));
        }
        return new Stream(answer.body());
    }

    static String sh(String command) {
        return "{\"process\":{\"cmd\":\"/bin/sh\",\"args\":[\"-c\"," + JSON.writeValueAsString(command) + "]},\"stdin\":false}";
    }

    Ran run(String command, String... headers) throws IOException, InterruptedException {
        return stream("process.Process/Start", sh(command), headers).all();
    }

    /// What a whole stream of a process said.
    record Ran(int pid, String out, String err, JsonNode end, JsonNode error, List<String> kinds) {}

    /// Frames as they come.
    static final class Stream implements AutoCloseable {
        private final DataInputStream in;
        JsonNode trailer;

        Stream(InputStream in) {
            this.in = new DataInputStream(in);
        }

        /// Null after the end frame, which must be there.
        JsonNode next() throws IOException {
            int flags = in.read();
            if (flags < 0) {
                throw new EOFException("no end frame");
            }
            var payload = JSON.readTree(in.readNBytes(in.readInt()));
            if (flags == 2) {
                trailer = payload;
                if (in.read() >= 0) {
                    throw new IOException("more after the end frame");
                }
                return null;
            }
            return payload;
        }

        Ran all() throws IOException {
            int pid = 0;
            var out = new ByteArrayOutputStream();
            var err = new ByteArrayOutputStream();
            JsonNode end = null;
            var kinds = new ArrayList<String>();
            for (var frame = next(); frame != null; frame = next()) {
                var event = frame.get("event");
                kinds.add(event.propertyNames().iterator().next());
                if (event.has("start")) {
                    pid = event.get("start").get("pid").intValue();
                } else if (event.has("data")) {
                    event.get("data").properties().forEach(e -> (e.getKey().equals("stderr") ? err : out).writeBytes(Base64.getDecoder().decode(e.getValue().stringValue())));
                } else if (event.has("end")) {
                    end = event.get("end");
                }
            }
            return new Ran(pid, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8), end, trailer.get("error"), kinds);
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }
}
