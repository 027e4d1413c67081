// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import static dev.redoma.engine.LifeRig.ALICE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redoma.model.Code;
import dev.redoma.model.RedomaException;
import dev.redoma.model.wire.Sandbox;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/// Through its states by its verbs, and out of them by what happens to it.
class LifecycleTest extends LifeCase {
    @Test
    void createdOneRunsWithEveryLimitInForceAndATemplateVersion() {
        Sandbox made = rig.create(ALICE);
        assertThat(made.state()).isEqualTo("running");
        assertThat(made.template().digest()).isEqualTo(rig.engine().templates().get(ALICE, "base").digest());
        assertThat(made.limits().memoryBytes()).isNotNull();
        assertThat(made.endsAt()).isAfter(Instant.now());
        assertThat(made.starts()).isEqualTo(1);
        assertThat(made.reused()).isFalse();
        assertThat(rig.tier.instances.get(made.id()).guest.hostnames).containsExactly(made.id());
        assertThat(rig.actions(ALICE)).contains("create", "running");
    }

    @Test
    void verbsMoveItThroughItsStates() {
        Sandbox s = rig.create(ALICE);
        assertThat(rig.sandboxes().pause(ALICE, s.id()).state()).isEqualTo("paused");
        assertThat(rig.tier.instances.get(s.id()).frozen()).isTrue();
        assertThat(rig.sandboxes().pause(ALICE, s.id()).state()).isEqualTo("paused");
        assertThat(rig.sandboxes().resume(ALICE, s.id()).state()).isEqualTo("running");
        Sandbox stopped = rig.sandboxes().stop(ALICE, s.id());
        assertThat(stopped.state()).isEqualTo("stopped");
        assertThat(stopped.endsAt()).isNull();
        assertThat(rig.tier.instances).isEmpty();
        Sandbox started = rig.sandboxes().start(ALICE, s.id());
        assertThat(started.state()).isEqualTo("running");
        assertThat(started.starts()).isEqualTo(2);
        assertThat(rig.sandboxes().reset(ALICE, s.id()).state()).isEqualTo("running");
        Sandbox ended = rig.sandboxes().kill(ALICE, s.id());
        assertThat(ended.state()).isEqualTo("ended");
        assertThat(ended.reason().kind()).isEqualTo("killed");
        assertThat(rig.sandboxes().kill(ALICE, s.id())).isEqualTo(ended);
        assertThat(rig.pool.disks()).isEmpty();
        refused(Code.SANDBOX_ENDED, () -> rig.sandboxes().resume(ALICE, s.id()));
    }

    @Test
    void verbsOfTheWrongStateSayTheState() {
        Sandbox s = rig.create(ALICE);
        RedomaException refusal = refusal(() -> {
            rig.sandboxes().stop(ALICE, s.id());
            rig.sandboxes().pause(ALICE, s.id());
        });
        assertThat(refusal.code()).isEqualTo(Code.WRONG_STATE);
        assertThat(refusal.problem().details()).containsEntry("state", "stopped");
    }

    @Test
    void killInTheMiddleOfCreatingEndsIt() throws Exception {
        rig.tier.slowMillis = 1000;
        var caller = java.util.concurrent.CompletableFuture.runAsync(() -> refused(Code.SANDBOX_ENDED, () -> rig.sandboxes().create(ALICE, LifeRig.request("young"), null)));
        await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(5)).until(() -> rig.tier.created.get() == 1);
        assertThat(rig.sandboxes().kill(ALICE, "young").state()).isEqualTo("ended");
        caller.get(30, java.util.concurrent.TimeUnit.SECONDS); // and it heard that
        assertThat(rig.tier.instances).isEmpty();
    }

    @Test
    void oneWhoseFirstProcessEndsIsStoppedAsCrashedAndStartsAgain() {
        Sandbox s = rig.create(ALICE);
        rig.tier.instances.get(s.id()).oomKills = 2; // commands, and long ago
        rig.tier.instances.get(s.id()).die();
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(state(s)).isEqualTo("stopped"));
        assertThat(rig.sandboxes().get(ALICE, s.id()).reason().kind()).isEqualTo("crashed");
        assertThat(rig.sandboxes().start(ALICE, s.id()).state()).isEqualTo("running");
        rig.tier.instances.get(s.id()).initOutOfMemory = true;
        rig.tier.instances.get(s.id()).die();
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(rig.sandboxes().get(ALICE, s.id()).reason()).isNotNull().satisfies(r -> {
            assertThat(r.kind()).isEqualTo("oom");
            assertThat(r.limit()).isEqualTo("memoryBytes");
        }));
    }

    @Test
    void oneRemovedFromOutsideIsLostAndItsNameMayBeTakenAgain() {
        Sandbox s = rig.sandboxes().create(ALICE, LifeRig.getOrCreate("box"), null);
        var instance = rig.tier.instances.remove(s.id());
        instance.die();
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(state(s)).isEqualTo("lost"));
        assertThat(rig.sandboxes().get(ALICE, s.id()).reason()).isNotNull();
        Sandbox next = rig.sandboxes().create(ALICE, LifeRig.getOrCreate("box"), null);
        assertThat(next.reused()).isFalse();
        assertThat(next.id()).isNotEqualTo(s.id());
        assertThat(rig.sandboxes().start(ALICE, s.id()).state()).as("the disk is there").isEqualTo("running");
    }
}
