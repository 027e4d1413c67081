// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redoma.http.Json;
import dev.redoma.model.wire.Exec;
import dev.redoma.model.wire.Sandbox;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// The thinnest slice that is real.
class FirstSliceTest {

    @Test
    void aSandboxRunsACommandOverHttp() throws Exception {
        try (var s = RealServer.start(Map.of())) {
            var box = s.post("/v1/sandboxes", ApiTest.PLAIN, Sandbox.class);
            assertThat(box.state()).isEqualTo("running");
            var answer = s.client().send(s.request("/v1/sandboxes/" + box.id() + "/execs").header("Accept", "application/vnd.redoma.output")
                    .header("Content-Type", "application/json").POST(BodyPublishers.ofByteArray(Json.bytes(ApiTest.exec("echo", "hello")))).build(), BodyHandlers.ofByteArray());
            var frames = ApiTest.frames(answer.body());
            assertThat(frames.stream().filter(f -> f.type() == 1).map(f -> new String(f.payload()))).containsExactly("hello\n");
            var end = Json.read(frames.getLast().payload(), Exec.class);
            assertThat(end.exitCode()).isZero();
            assertThat(RealServer.read(s.delete("/v1/sandboxes/" + box.id()), Sandbox.class).state()).isEqualTo("ended");
        }
    }
}
