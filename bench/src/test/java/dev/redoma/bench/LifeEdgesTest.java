// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// Where one state meets the next: what is told of a sandbox can be relied on, and every way out ends.
@Timeout(180)
@ExtendWith(LabExtension.class)
class LifeEdgesTest {

    private static void runs(Box box, Duration within) {
        long begun = System.nanoTime();
        assertThat(box.sh("echo ok").text()).isEqualTo("ok\n");
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(within);
    }

    /// Whoever sees `running`, by whatever call, can run something.
    @Test
    void lc05_whenTheStateIsRunningACommandRuns(Lab lab) throws Exception {
        try (var box = lab.tiny()) {
            for (var verbs : List.of(List.of("pause", "resume"), List.of("stop", "start"), List.of("stop", "reset", "start"), List.of("pause", "reset"))) {
                for (int i = 0; i < 4; i++) {
                    for (var verb : verbs.subList(0, verbs.size() - 1)) {
                        box.verb(verb);
                    }
                    var last = CompletableFuture.runAsync(() -> box.verb(verbs.getLast()));
                    await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(2)).until(() -> box.state().equals("running"));
                    runs(box, Duration.ofSeconds(2));
                    last.get();
                    runs(box, Duration.ofSeconds(2));
                }
            }
        }
    }

    /// The client keeps its connection.
    @Test
    void lc06_theFirstRequestAfterARollbackIsAsFastAsOthers(Lab lab) {
        try (var box = lab.tiny()) {
            box.sh("echo changed > /root/f");
            box.verb("reset");
            runs(box, Duration.ofSeconds(5));
            assertThat(box.sh("ls /root/f 2>/dev/null").text()).isEmpty();
        }
    }

    @Test
    void lc13_takingASandboxUpNeverShortensItsLife(Lab lab) {
        try (var box = lab.tiny(Map.of("name", "lc13", "limits", Map.of("lifetimeMs", 1_800_000)))) {
            var end = Instant.parse(box.created().get("endsAt").asString());
            var again = lab.api().post("/v1/sandboxes", Map.of("template", "tiny", "name", "lc13", "getOrCreate", true, "limits", Map.of("lifetimeMs", 300_000))).expect(200).json();
            assertThat(again.get("id").asString()).isEqualTo(box.id());
            assertThat(Instant.parse(again.get("endsAt").asString())).isAfterOrEqualTo(end);
            var shorter = box.api().post(box.path("/lifetime"), Map.of("lifetimeMs", 60_000)).expect(200).json();
            assertThat(Instant.parse(shorter.get("endsAt").asString())).isBefore(end);
        }
    }

    @Test
    void lc15_aResumeThatFailsLeavesNothingThatLivesForEver(Lab lab) {
        try (var box = lab.tiny(Map.of("limits", Map.of("lifetimeMs", 120_000)))) {
            box.sh("echo kept > /root/kept");
            box.verb("pause");
            lab.killInit(box);
            box.api().post(box.path("/resume"), Map.of());
            await().atMost(Duration.ofSeconds(30)).until(() -> box.state().equals("stopped"));
            assertThat(box.show().get("reason").get("kind").asString()).isIn("crashed", "host");
            var again = box.verb("start");
            assertThat(Instant.parse(again.get("endsAt").asString())).as("with an end again").isBetween(Instant.now().plusSeconds(60), Instant.now().plusSeconds(125));
            assertThat(box.sh("cat /root/kept").text()).isEqualTo("kept\n");
            box.api().post(box.path("/lifetime"), Map.of("lifetimeMs", 1_000)).expect(200);
            await().atMost(Duration.ofSeconds(30)).until(() -> box.state().equals("ended"));
        }
    }

    @Test
    void lc21_aSandboxIsDeletedInEveryState(Lab lab) {
        for (var verb : List.of("", "pause", "stop", "quarantine", "crash")) {
            var box = lab.tiny(Map.of("labels", Map.of("test", "lc21")));
            if (verb.equals("crash")) {
                lab.killInit(box);
                await().atMost(Duration.ofSeconds(30)).until(() -> box.state().equals("stopped"));
            } else if (!verb.isEmpty()) {
                box.verb(verb);
            }
            assertThat(lab.api().delete(box.path("")).status()).as(verb).isBetween(200, 299);
            assertThat(lab.api().delete(box.path("")).status()).as("again, after " + verb).isBetween(200, 299);
            assertThat(box.state()).isEqualTo("ended");
        }
        assertThat(lab.api().get("/v1/sandboxes?state=running&state=paused&state=stopped&label=test%3Dlc21").expect(200).json().get("items")).isEmpty();
    }

    /// Everything of the installation that runs is killed again and again while sandboxes are made: each create says how it went, each can be
    /// deleted, and nothing stays.
    @Test
    void lc21_aRuntimeThatIsKilledDuringCreateLeavesNothingStuck() throws Exception {
        try (var lab = Lab.start("lc21", RigOptions.standard().with("WARM_SIZE", "0").with("QUOTA_LIVE", "4"))) {
            var over = new AtomicBoolean();
            var killer = Thread.ofPlatform().start(() -> {
                while (!over.get()) {
                    lab.rig().place().processes().forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
                    Rig.pause(7);
                }
            });
            var codes = new ArrayList<String>();
            try {
                for (int i = 0; i < 12; i++) {
                    var answer = lab.api().post("/v1/sandboxes", Map.of("template", "tiny"));
                    codes.add(answer.status() == 201 ? "made" : answer.code());
                    if (answer.status() == 201) {
                        lab.api().delete("/v1/sandboxes/" + answer.json().get("id").asString()).expect(200);
                    }
                }
            } finally {
                over.set(true);
                killer.join();
            }
            assertThat(codes).as("never refused for slots that were not given back").hasSize(12).doesNotContain("quota-exceeded", "internal");
            await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
                assertThat(lab.api().get("/v1/sandboxes").expect(200).json().get("items")).isEmpty();
                assertThat(lab.rig().processes()).isZero();
            });
            var left = new ArrayList<Box>();
            for (int i = 0; i < 4; i++) {
                left.add(lab.tiny());
            }
            for (var box : left) {
                runs(box, Duration.ofSeconds(10));
                box.close();
            }
        }
    }

    @Test
    void lc27_aCrashedSandboxIsTakenUpWithItsFilesAsOftenAsOneAsks(Lab lab) {
        try (var box = lab.tiny()) {
            box.sh("echo kept > /root/kept");
            lab.killInit(box);
            await().atMost(Duration.ofSeconds(30)).until(() -> box.state().equals("stopped"));
            assertThat(box.show().get("reason").get("kind").asString()).isEqualTo("crashed");
            box.verb("start");
            box.verb("start");
            assertThat(box.sh("cat /root/kept").text()).isEqualTo("kept\n");
        }
    }
}
