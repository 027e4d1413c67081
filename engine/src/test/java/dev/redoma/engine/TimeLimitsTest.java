// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import static dev.redoma.engine.LifeRig.ALICE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.redoma.model.Code;
import dev.redoma.model.RedomaException;
import dev.redoma.model.wire.Sandbox;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Lifetime and idle time.
class TimeLimitsTest extends LifeCase {
    @Test
    void aTimeThatIsOverDoesWhatOnTimeoutSays() {
        for (String onTimeout : List.of("kill", "stop", "pause", "sleep")) {
            Sandbox s = rig.sandboxes().create(ALICE, LifeRig.limited(LifeRig.times(200L, null), onTimeout), null);
            String state = Map.of("kill", "ended", "stop", "stopped", "pause", "paused", "sleep", "paused").get(onTimeout);
            await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(state(s)).isEqualTo(state));
            Sandbox after = rig.sandboxes().get(ALICE, s.id());
            assertThat(after.reason().kind()).isEqualTo("timeout");
            assertThat(after.reason().limit()).isEqualTo("lifetimeMs");
        }
    }

    @Test
    void onePausedByItsLifetimeHasAWholeOneAgainWhenResumed() {
        Sandbox s = rig.sandboxes().create(ALICE, LifeRig.limited(LifeRig.times(200L, null), "pause"), null);
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(state(s)).isEqualTo("paused"));
        Instant before = Instant.now();
        Sandbox resumed = rig.sandboxes().resume(ALICE, s.id());
        assertThat(resumed.state()).isEqualTo("running");
        assertThat(resumed.endsAt()).isAfterOrEqualTo(before.plusMillis(199)); // what is told is in whole milliseconds
    }

    @Test
    void timePausedDoesNotCount() throws Exception {
        Sandbox s = rig.sandboxes().create(ALICE, LifeRig.limited(LifeRig.times(1500L, null), "kill"), null);
        rig.sandboxes().pause(ALICE, s.id());
        Instant paused = Instant.now();
        Thread.sleep(2000);
        assertThat(state(s)).isEqualTo("paused");
        var counted = Duration.between(paused, Instant.now());
        assertThat(rig.sandboxes().resume(ALICE, s.id()).endsAt()).as("later by the time it was paused").isAfterOrEqualTo(s.endsAt().plus(counted).minusMillis(5));
    }

    @Test
    void idleEndsItAndActivityKeepsIt() throws Exception {
        var limit = Duration.ofMillis(400);
        var request = LifeRig.limited(LifeRig.times(null, limit.toMillis()), "stop");
        Sandbox s = rig.sandboxes().create(ALICE, request, null);
        Live.Busy busy = usedForLong(s, limit);
        for (int tries = 0; busy == null; tries++) {
            assertThat(tries).as("pauses that this machine makes longer than the limit say nothing; these are too many").isLessThan(50);
            s = rig.sandboxes().create(ALICE, request, null);
            busy = usedForLong(s, limit);
        }
        Thread.sleep(1000);
        assertThat(state(s)).isEqualTo("running");
        busy.close();
        Sandbox kept = s;
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(state(kept)).isEqualTo("stopped"));
        assertThat(rig.sandboxes().get(ALICE, s.id()).reason().kind()).isEqualTo("idle");
    }

    /// Used for three times its limit, and busy then. Null if between two uses the machine itself paused for longer than that; gone without that is a fault.
    private Live.Busy usedForLong(Sandbox s, Duration limit) throws Exception {
        var live = (LiveBox) live(s);
        long used = System.nanoTime();
        for (int i = 0; i < 12; i++) {
            Thread.sleep(100);
            long before = System.nanoTime();
            if (!live.use()) {
                assertThat(Duration.ofNanos(System.nanoTime() - used)).as("gone, and used so long before").isGreaterThanOrEqualTo(limit);
                return null;
            }
            used = before;
        }
        try {
            return live.busy();
        } catch (RedomaException gone) {
            assertThat(Duration.ofNanos(System.nanoTime() - used)).as("gone, and used so long before").isGreaterThanOrEqualTo(limit);
            return null;
        }
    }

    @Test
    void lookingAtItIsNoActivity() {
        Sandbox s = rig.sandboxes().create(ALICE, LifeRig.limited(LifeRig.times(null, 400L), "stop"), null);
        await().pollInterval(Duration.ofMillis(20)).atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            rig.sandboxes().list(ALICE, all());
            rig.sandboxes().usage(ALICE, s.id());
            assertThat(state(s)).isEqualTo("stopped");
        });
    }

    @Test
    void eitherItIsUsedOrItLeaves() throws Exception {
        var known = (LiveBox) live(rig.sandboxes().create(ALICE, LifeRig.limited(LifeRig.times(null, 300L), "stop"), null));
        var box = new LiveBox(known.row(), known.config(), known.instance(), known.guest());
        assertThat(box.leaveIfIdle()).isFalse();
        Thread.sleep(350);
        assertThat(box.use()).isTrue();
        assertThat(box.leaveIfIdle()).as("used in the last moment").isFalse();
        try (var busy = box.busy()) {
            Thread.sleep(350);
            assertThat(box.leaveIfIdle()).as("busy").isFalse();
        }
        Thread.sleep(350);
        assertThat(box.leaveIfIdle()).isTrue();
        assertThat(box.use()).isFalse();
        assertThatThrownBy(box::busy).as("nothing is begun in it")
                .isInstanceOfSatisfying(RedomaException.class, refused -> assertThat(refused.code()).isEqualTo(Code.WRONG_STATE));
        box.stay();
        assertThat(box.use()).isTrue();
    }

    @Test
    void whatComesWhileItLeavesWaitsAndHearsTheState() throws Exception {
        for (int i = 0; i < 20; i++) {
            Sandbox s = rig.sandboxes().create(ALICE, LifeRig.limited(LifeRig.times(null, 100L), "stop"), null);
            var lookup = new LiveLookup(rig.store, ((EngineHouse) rig.engine()).boxes());
            Thread.sleep(90 + i);
            try {
                var used = lookup.used(ALICE, s.id());
                long since = System.nanoTime();
                Thread.sleep(30);
                if (!((LiveBox) used).use()) {
                    assertThat(Duration.ofNanos(System.nanoTime() - since)).as("used, and gone so soon all the same").isGreaterThanOrEqualTo(Duration.ofMillis(100));
                }
            } catch (RedomaException refused) {
                assertThat(refused.code()).isEqualTo(Code.WRONG_STATE);
                assertThat(refused.problem().details()).containsEntry("state", "stopped");
            }
        }
    }

    @Test
    void whatCouldNotBeEndedIsLookedAtAgain() {
        try (var background = new Background()) {
            var timers = new Timers(java.time.Clock.systemUTC(), background);
            var looks = new java.util.concurrent.atomic.AtomicInteger();
            timers.onDue(box -> {
                if (looks.incrementAndGet() == 1) {
                    timers.forget(box);
                    throw new IllegalStateException("the first time it cannot be ended");
                }
            });
            timers.watch(new Box(dev.redoma.model.SandboxId.mint(), ALICE.tenant()), Instant.now());
            await().atMost(Duration.ofSeconds(40)).untilAtomic(looks, org.hamcrest.Matchers.is(2));
        }
    }

    private Live live(Sandbox s) {
        return ((EngineHouse) rig.engine()).boxes().find(new dev.redoma.model.SandboxId(s.id())).orElseThrow().live();
    }

    @Test
    void resumeNeverShortensAndSetLifetimeMay() {
        Sandbox s = rig.sandboxes().create(ALICE, LifeRig.limited(LifeRig.times(1_800_000L, null), null), null);
        rig.sandboxes().resume(ALICE, s.id());
        assertThat(rig.sandboxes().get(ALICE, s.id()).endsAt()).isEqualTo(s.endsAt());
        assertThat(rig.sandboxes().setLifetime(ALICE, s.id(), Duration.ofSeconds(60)).endsAt()).isBefore(s.endsAt());
        refused(Code.INVALID_FIELD, () -> rig.sandboxes().setLifetime(ALICE, s.id(), Duration.ZERO));
        refused(Code.INVALID_FIELD, () -> rig.sandboxes().setLifetime(ALICE, s.id(), Duration.ofDays(30)));
    }
}
