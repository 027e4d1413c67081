// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import dev.redoma.model.wire.CreateSandbox;
import dev.redoma.model.wire.Exec;
import dev.redoma.model.wire.ExecSpec;
import dev.redoma.model.wire.ExposePort;
import dev.redoma.model.wire.Exposure;
import dev.redoma.model.wire.Sandbox;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/// A sandbox in which the app of `app.pl` runs, by the Perl of this host.
final class PerlApp {
    static final int PORT = 3000;
    private static final Path PERL = Path.of("/usr/bin/perl");

    final RealServer server;
    final String sandbox;

    private PerlApp(RealServer server, String sandbox) {
        this.server = server;
        this.sandbox = sandbox;
    }

    /// Whether this host has what the app needs.
    static boolean offered() {
        return Files.isExecutable(PERL) && Files.isExecutable(Path.of("/usr/bin/ldd"));
    }

    static void template(RealServer server) throws Exception {
        var files = new LinkedHashSet<Path>();
        files.add(PERL);
        var used = said("/usr/bin/perl", "-MIO::Socket::INET", "-MDigest::SHA", "-MMIME::Base64", "-e", "print join(\"\\n\", (values %INC), @DynaLoader::dl_shared_objects)");
        used.lines().map(Path::of).forEach(files::add);
        for (var file : List.copyOf(files)) {
            if (file.equals(PERL) || file.toString().endsWith(".so")) {
                said("/usr/bin/ldd", file.toString()).lines().map(line -> line.replaceAll("\\(.*", "").replaceAll(".*=>", "").strip()).filter(line -> line.startsWith("/")).map(Path::of).forEach(files::add);
            }
        }
        try (var app = PerlApp.class.getResourceAsStream("app.pl")) {
            var text = new String(Objects.requireNonNull(app).readAllBytes(), StandardCharsets.UTF_8);
            var answer = server.send("PUT", "/v1/templates/app", BodyPublishers.ofByteArray(TinyRoot.with(List.copyOf(files), Map.of("srv/app.pl", text))));
            if (answer.statusCode() != 201) {
                throw new AssertionError(answer.body());
            }
        }
    }

    private static String said(String... command) throws IOException, InterruptedException {
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        var text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new AssertionError(String.join(" ", command) + ": " + text);
        }
        return text;
    }

    static PerlApp start(RealServer server, @Nullable String policy) throws Exception {
        return start(server, policy, null);
    }

    /// It listens when this returns.
    static PerlApp start(RealServer server, @Nullable String policy, @Nullable String onTimeout) throws Exception {
        var made = server.post("/v1/sandboxes", new CreateSandbox("app", null, null, null, null, null, null, policy, null, onTimeout, null, null), Sandbox.class);
        return new PerlApp(server, made.id()).listening(PORT);
    }

    static PerlApp of(RealServer server, String sandbox) {
        return new PerlApp(server, sandbox);
    }

    PerlApp listening(int port) throws Exception {
        server.post("/v1/sandboxes/" + sandbox + "/execs", spec("perl", "/srv/app.pl", Integer.toString(port)), Exec.class);
        var look = spec("sh", "-c", String.format("for i in $(seq 300); do grep -q ':%04X .* 0A ' /proc/net/tcp && exit 0; usleep 100000; done; exit 1", port));
        var exec = server.post("/v1/sandboxes/" + sandbox + "/execs", look, Exec.class);
        Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> Integer.valueOf(0).equals(RealServer.read(server.get("/v1/sandboxes/" + sandbox + "/execs/" + exec.id() + "?waitMs=1000"), Exec.class).exitCode()));
        return this;
    }

    private static ExecSpec spec(String... argv) {
        return new ExecSpec(List.of(argv), "/", null, null, null, null, null, null, null);
    }

    Exposure expose(@Nullable String audience, @Nullable Long ttlMs) throws Exception {
        return expose(PORT, audience, ttlMs);
    }

    Exposure expose(int port, @Nullable String audience, @Nullable Long ttlMs) throws Exception {
        return server.post("/v1/sandboxes/" + sandbox + "/exposures", new ExposePort(port, audience, ttlMs), Exposure.class);
    }

    void revoke(Exposure exposure) throws Exception {
        var answer = server.delete("/v1/sandboxes/" + sandbox + "/exposures/" + exposure.id());
        if (answer.statusCode() != 204) {
            throw new AssertionError(answer.body());
        }
    }

    /// To a port of it, by header fields.
    HttpRequest.Builder to(int port, String path) {
        return HttpRequest.newBuilder(URI.create(server.router() + path)).timeout(Duration.ofSeconds(60)).header("E2b-Sandbox-Id", sandbox).header("E2b-Sandbox-Port", Integer.toString(port));
    }

    HttpRequest.Builder to(String path, @Nullable String token) {
        return token == null ? to(PORT, path) : to(PORT, path).header("Redoma-Preview-Token", token);
    }

    HttpResponse<String> get(String path, @Nullable String token) throws Exception {
        return send(to(path, token).GET());
    }

    HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return server.client().send(request.build(), BodyHandlers.ofString());
    }

    /// By its host, as browsers come: the bytes of a request with these fields, and all that comes back.
    String raw(String line, String... fields) throws IOException {
        return rawAt(PORT + "-" + sandbox + ".localhost", line, fields);
    }

    String rawAt(String host, String line, String... fields) throws IOException {
        var at = URI.create(server.router());
        try (var socket = new java.net.Socket(at.getHost(), at.getPort())) {
            socket.setSoTimeout(60_000);
            var head = new StringBuilder(line).append(" HTTP/1.1\r\nHost: ").append(host).append("\r\nConnection: close\r\n");
            for (var field : fields) {
                head.append(field).append("\r\n");
            }
            socket.getOutputStream().write(head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }
}
