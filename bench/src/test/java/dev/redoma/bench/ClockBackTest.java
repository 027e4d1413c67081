// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// The server's clock is set back by two days, and forward again, while it works: libfaketime stands between it and the kernel. Of the monotonic clock nothing is changed, as when a real one is set.
@Tag("long")
@Timeout(300)
class ClockBackTest {
    private static final Path INSTALLED = Path.of("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1");
    private static final String POLICY = "approve: [{exec: 'touch /tmp/asked*', within: 10m}]\n";

    @Test
    void theRecordGoesOnAndWhatWaitsIsNeitherLostNorLetThrough(@TempDir Path dir) throws Exception {
        var library = library(dir);
        assumeTrue(library.isPresent(), "no libfaketime on this host, and its apt does not reach it");
        var offset = Files.writeString(dir.resolve("offset"), "+0");
        var variables = new LinkedHashMap<>(RigOptions.standard().variables());
        variables.putAll(Map.of("LD_PRELOAD", library.get().toString(), "FAKETIME_TIMESTAMP_FILE", offset.toString(), "FAKETIME_CACHE_DURATION", "1", "FAKETIME_DONT_FAKE_MONOTONIC", "1",
                "REDOMA_APPROVALS_HOLD", "100ms"));
        try (var lab = Lab.start("clock", new RigOptions(variables, ""))) {
            var carol = lab.api().post("/v1/users", Map.of("name", "Carol", "role", "approver")).expect(201).json().get("id").asString();
            var approver = lab.api().as(lab.api().post("/v1/keys", Map.of("name", "carol", "user", carol, "scopes", List.of("read", "approve"))).expect(201).json().get("value").asString());
            var agent = lab.api().as(lab.api().post("/v1/keys", Map.of("name", "agent", "scopes", List.of("read", "create", "exec"))).expect(201).json().get("value").asString());
            var first = Box.create(agent, Map.of("template", "tiny", "policy", POLICY));
            var box = first;
            assertThat(box.sh("echo before").text()).isEqualTo("before\n");
            var asked = Box.spec(List.of("touch", "/tmp/asked"));
            var approval = pending(box, asked);
            var before = newest(lab);

            Files.writeString(offset, "-2d");
            await().atMost(Duration.ofSeconds(60)).until(() -> first.sh("true").text().isEmpty() && at(newest(lab)).isBefore(at(before).minus(Duration.ofHours(47))));
            assertThat(box.sh("echo after").text()).isEqualTo("after\n");
            box.write("/tmp/f", "content".getBytes(StandardCharsets.UTF_8));
            var later = lab.tiny();
            var after = newest(lab);
            assertThat(at(after)).as("the server's clock went back").isBefore(at(before).minus(Duration.ofHours(47)));
            assertThat(after.get("seq").asLong()).isGreaterThan(before.get("seq").asLong());
            assertThat(lab.verifyLedger()).isEqualTo("ok");
            assertThat(pending(box, asked)).as("it waits as before").isEqualTo(approval);

            lab.killServer();
            lab.startServer();
            box = first.as(lab.api().as(agent.key()));
            later = later.as(lab.api());
            approver = lab.api().as(approver.key());
            assertThat(box.state()).isEqualTo("running");
            assertThat(later.sh("echo there").text()).isEqualTo("there\n");
            assertThat(pending(box, asked)).isEqualTo(approval);
            approver.post("/v1/approvals/" + approval + "/decision", Map.of("verdict", "approve", "reason", "because")).expect(200);
            var exec = box.api().post(box.path("/execs"), asked).expect(201).json().get("id").asString();
            assertThat(box.await(exec, 30_000).get("exitCode").asInt()).isZero();
            assertThat(pending(box, asked)).as("once").isNotEqualTo(approval);

            Files.writeString(offset, "+0");
            var again = box;
            await().atMost(Duration.ofSeconds(60)).until(() -> again.sh("true").text().isEmpty() && at(newest(lab)).isAfter(at(before)));
            assertThat(box.sh("echo again").text()).isEqualTo("again\n");
            assertThat(later.sh("echo again").text()).as("what it has lived is not two days").isEqualTo("again\n");
            assertThat(box.state()).isEqualTo("running");
            assertThat(lab.verifyLedger()).isEqualTo("ok");
        }
    }

    private static String pending(Box box, Map<String, Object> asked) {
        var answer = box.api().post(box.path("/execs"), asked).expect(403);
        assertThat(answer.code()).isEqualTo("approval-pending");
        return answer.json().get("details").get("approval").asString();
    }

    private static JsonNode newest(Lab lab) {
        return lab.api().get("/v1/audit?newest=1").expect(200).json().get("items").get(0);
    }

    private static Instant at(JsonNode record) {
        return Instant.parse(record.get("at").asString());
    }

    /// The host's own, or what its apt has.
    private static Optional<Path> library(Path dir) throws IOException, InterruptedException {
        if (Files.exists(INSTALLED)) {
            return Optional.of(INSTALLED);
        }
        new ProcessBuilder("sh", "-c", "apt-get download -q -o Debug::NoLocking=1 libfaketime && dpkg -x libfaketime_*.deb .").directory(dir.toFile()).redirectErrorStream(true)
                .redirectOutput(dir.resolve("apt.log").toFile()).start().waitFor();
        var unpacked = dir.resolve(INSTALLED.toString().substring(1));
        return Files.exists(unpacked) ? Optional.of(unpacked) : Optional.empty();
    }
}
