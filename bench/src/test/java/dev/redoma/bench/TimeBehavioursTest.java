// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// Section 4 of the behaviours, its limits of time: lifetime, idleness and what counts against them, over the wire.
@ExtendWith(LabExtension.class)
@Timeout(180)
class TimeBehavioursTest {

    @Test
    void lc14_timePausedDoesNotCountAgainstTheLifetime(Lab lab) throws Exception {
        try (var box = lab.tiny(Map.of("limits", Map.of("lifetimeMs", 5_000)))) {
            box.verb("pause");
            var paused = Instant.now();
            Thread.sleep(5_500);
            assertThat(box.state()).isEqualTo("paused");
            var counted = Duration.between(paused, Instant.now());
            var resumed = box.verb("resume");
            var end = Instant.parse(box.created().get("endsAt").asString());
            assertThat(Instant.parse(resumed.get("endsAt").asString())).as("later by the time it was paused").isAfterOrEqualTo(end.plus(counted).minusMillis(5));
            assertThat(box.sh("echo ok").text()).isEqualTo("ok\n");
        }
    }

    @Test
    void lc17_lifetimesThatCannotBeHonouredAreRefusedWithTheCap(Lab lab) {
        for (long bad : new long[] {0, -5, Long.MAX_VALUE}) {
            var answer = lab.api().post("/v1/sandboxes", Map.of("template", "tiny", "limits", Map.of("lifetimeMs", bad)));
            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.text()).contains("lifetimeMs");
        }
        try (var box = lab.tiny(Map.of("limits", Map.of("lifetimeMs", 120_000)))) {
            assertThat(Instant.parse(box.created().get("endsAt").asString())).isBetween(Instant.now().plusSeconds(90), Instant.now().plusSeconds(125));
        }
    }

    @Test
    void lifetimeAndIdleLimitsEndASandboxAndSayWhich(Lab lab) {
        var old = lab.tiny(Map.of("limits", Map.of("lifetimeMs", 2_000)));
        var idle = lab.tiny(Map.of("limits", Map.of("idleMs", 2_000)));
        await().atMost(Duration.ofSeconds(30)).until(() -> "ended".equals(old.state()) && "ended".equals(idle.state()));
        assertThat(old.show().get("reason").get("kind").asString()).isEqualTo("timeout");
        assertThat(idle.show().get("reason").get("kind").asString()).isEqualTo("idle");
    }

    @Test
    void lc18_lc19_aRunningExecKeepsASandboxFromBeingIdleAndLookingAtItDoesNot(Lab lab) throws Exception {
        try (var busy = lab.tiny(Map.of("limits", Map.of("idleMs", 2_000)))) {
            var watched = lab.tiny(Map.of("limits", Map.of("idleMs", 2_000)));
            busy.start(List.of("sleep", "60"));
            Thread.sleep(2_500);
            await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(400)).until(() -> "ended".equals(watched.show().get("state").asString()));
            assertThat(busy.state()).isEqualTo("running");
        }
    }

    @Test
    void lc18_anExecJustBeforeTheLimitKeepsItAlive(Lab lab) throws Exception {
        var limit = Duration.ofSeconds(2);
        sideBySide(3, random -> {
            boolean kept = false;
            for (int tries = 0; !kept; tries++) {
                assertThat(tries).as("pauses that this machine makes longer than the limit say nothing; these are too many").isLessThan(20);
                long used = System.nanoTime();
                try (var box = idle(lab, limit)) {
                    Thread.sleep(1_700);
                    long sent = System.nanoTime();
                    kept = doneOrRefused(box);
                    if (kept) {
                        used = sent;
                        Thread.sleep(1_200);
                        kept = "running".equals(box.state());
                    }
                    if (!kept) {
                        assertThat(Duration.ofNanos(System.nanoTime() - used)).as("a false stop").isGreaterThanOrEqualTo(limit);
                    }
                }
            }
        });
    }

    @Test
    @Tag("long")
    @Timeout(900)
    void lc18_aBusySandboxIsNeverStoppedInTwoHundredTries(Lab lab) throws Exception {
        sideBySide(8, random -> {
            var limit = Duration.ofSeconds(4);
            var box = idle(lab, limit);
            long before = System.nanoTime();
            for (int done = 0, tries = 0; done < 25; tries++) {
                assertThat(tries).as("pauses that this machine makes longer than the limit say nothing; these are too many").isLessThan(100);
                Thread.sleep(3_000 + random.nextInt(500));
                long sent = System.nanoTime();
                if (doneOrRefused(box)) {
                    done++;
                    before = sent;
                } else {
                    assertThat(Duration.ofNanos(System.nanoTime() - before)).as("a false stop").isGreaterThanOrEqualTo(limit);
                    before = System.nanoTime();
                    box = idle(lab, limit);
                }
            }
            box.close();
        });
    }

    @Test
    void lc18_aCommandThatComesWhileItIsStoppedForBeingIdleIsDoneOrRefusedButNotLost(Lab lab) throws Exception {
        sideBySide(16, random -> {
            var limit = Duration.ofSeconds(2);
            var box = idle(lab, limit);
            Thread.sleep(limit.toMillis() - 100 + random.nextInt(200));
            doneOrRefused(box);
            box.close();
        });
    }

    private interface Try {
        void with(java.util.Random random) throws Exception;
    }

    private static void sideBySide(int many, Try each) throws Exception {
        try (var pool = Executors.newVirtualThreadPerTaskExecutor()) {
            var calls = new ArrayList<Callable<Boolean>>();
            for (int i = 0; i < many; i++) {
                var random = new java.util.Random(i);
                calls.add(() -> {
                    each.with(random);
                    return true;
                });
            }
            for (var call : pool.invokeAll(calls)) {
                call.get();
            }
        }
    }

    private static Box idle(Lab lab, Duration limit) {
        return lab.tiny(Map.of("limits", Map.of("idleMs", limit.toMillis())));
    }

    /// True if it was done; what was taken on is never lost.
    private static boolean doneOrRefused(Box box) {
        var answer = box.tryStart(List.of("true"));
        if (answer.status() != 201) {
            assertThat(answer.code()).as(answer.text()).isEqualTo("sandbox-ended");
            return false;
        }
        var exec = box.await(answer.json().get("id").asString(), 30_000);
        assertThat(exec.get("state").asString()).as(exec.toString()).isEqualTo("exited");
        return true;
    }
}
