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
            await().atMost(Duration.ofSeconds(5)).untilAsserted(() -> assertThat(state(s)).isEqualTo(state));
            Sandbox after = rig.sandboxes().get(ALICE, s.id());
            assertThat(after.reason().kind()).isEqualTo("timeout");
            assertThat(after.reason().limit()).isEqualTo("lifetimeMs");
        }
    }

    @Test
    void onePausedByItsLifetimeHasAWholeOneAgainWhenResumed() {
        Sandbox s = rig.sandboxes().create(ALICE, LifeRig.limited(LifeRig.times(200L, null), "pause"), null);
        await().untilAsserted(() -> assertThat(state(s)).isEqualTo("paused"));
        rig.sandboxes().resume(ALICE, s.id());
        rig.sandboxes().setLifetime(ALICE, s.id(), Duration.ofMinutes(1));
        assertThat(state(s)).isEqualTo("running");
    }

    @Test
    void timePausedDoesNotCount() throws Exception {
        Sandbox s = rig.sandboxes().create(ALICE, LifeRig.limited(LifeRig.times(1500L, null), "kill"), null);
        rig.sandboxes().pause(ALICE, s.id());
        Thread.sleep(2000);
        assertThat(state(s)).isEqualTo("paused");
        Sandbox resumed = rig.sandboxes().resume(ALICE, s.id());
        assertThat(Duration.between(Instant.now(), resumed.endsAt())).isGreaterThan(Duration.ofMillis(700));
    }

    @Test
    void idleEndsItAndActivityKeepsIt() throws Exception {
        Sandbox s = rig.sandboxes().create(ALICE, LifeRig.limited(LifeRig.times(null, 400L), "stop"), null);
        for (int i = 0; i < 12; i++) {
            Thread.sleep(100);
            live(s).touch();
        }
        assertThat(state(s)).isEqualTo("running");
        try (var busy = live(s).busy()) {
            Thread.sleep(1000);
            assertThat(state(s)).isEqualTo("running");
        }
        await().atMost(Duration.ofSeconds(3)).untilAsserted(() -> assertThat(state(s)).isEqualTo("stopped"));
        assertThat(rig.sandboxes().get(ALICE, s.id()).reason().kind()).isEqualTo("idle");
    }

    @Test
    void lookingAtItIsNoActivity() {
        Sandbox s = rig.sandboxes().create(ALICE, LifeRig.limited(LifeRig.times(null, 400L), "stop"), null);
        await().pollInterval(Duration.ofMillis(20)).atMost(Duration.ofSeconds(2)).untilAsserted(() -> {
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
                Thread.sleep(30);
                assertThat(((LiveBox) used).use()).as("used, and gone all the same").isTrue();
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
