// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redoma.http.Json;
import dev.redoma.model.wire.Exec;
import dev.redoma.model.wire.ExecSpec;
import dev.redoma.model.wire.Sandbox;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// A sandbox of the template `base`, and commands in it.
record BaseBox(RealServer server, Sandbox box) {

    record Ran(int code, String out) {}

    /// Gives the server the template, built by its recipe or taken from where the recipe keeps it.
    static void template(RealServer server, Path dir) throws Exception {
        var tar = dir.resolve("base.tar.zst");
        var built = new ProcessBuilder(Path.of(System.getProperty("redoma.root", "..")).resolve("template/base/build.sh").toString(), tar.toString()).redirectErrorStream(true).start();
        String told = new String(built.getInputStream().readAllBytes());
        assertThat(built.waitFor()).as(told).isZero();
        assertThat(server.send("PUT", "/v1/templates/base", BodyPublishers.ofFile(tar)).statusCode()).isEqualTo(201);
    }

    static BaseBox of(RealServer server, String policy) throws Exception {
        return new BaseBox(server, server.post("/v1/sandboxes", Map.of("template", "base", "policy", policy, "privileges", "sudo"), Sandbox.class));
    }

    Ran run(String user, String command) throws Exception {
        return run(user, command, Map.of());
    }

    Ran run(String user, String command, Map<String, String> env) throws Exception {
        var spec = new ExecSpec(List.of("sh", "-c", command), null, env, user, null, null, 600_000L, null, null);
        var answer = server.client().send(server.request("/v1/sandboxes/" + box.id() + "/execs").timeout(java.time.Duration.ofSeconds(660)).header("Accept", "application/vnd.redoma.output")
                .header("Content-Type", "application/json").POST(BodyPublishers.ofByteArray(Json.bytes(spec))).build(), BodyHandlers.ofByteArray());
        assertThat(answer.statusCode()).as(new String(answer.body())).isEqualTo(200);
        var frames = ApiTest.frames(answer.body());
        var code = Json.read(frames.getLast().payload(), Exec.class).exitCode();
        return new Ran(code == null ? -1 : code, frames.stream().filter(f -> f.type() == 1 || f.type() == 2).map(f -> new String(f.payload())).reduce("", String::concat));
    }
}
