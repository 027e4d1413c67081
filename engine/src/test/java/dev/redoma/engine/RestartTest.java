// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import static dev.redoma.engine.LifeRig.ALICE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redoma.model.Code;
import dev.redoma.model.wire.Sandbox;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Of the server and of the host; halves are finished and orphans removed.
class RestartTest extends LifeCase {
    @Test
    void restartFindsEverySandboxAsItWas() {
        Sandbox running = rig.create(ALICE);
        Sandbox paused = rig.create(ALICE);
        rig.sandboxes().pause(ALICE, paused.id());
        Sandbox stopped = rig.create(ALICE);
        rig.sandboxes().stop(ALICE, stopped.id());
        rig.reopen();
        assertThat(state(running)).isEqualTo("running");
        assertThat(rig.sandboxes().pause(ALICE, running.id()).state()).isEqualTo("paused");
        assertThat(rig.sandboxes().resume(ALICE, paused.id()).state()).isEqualTo("running");
        assertThat(rig.sandboxes().start(ALICE, stopped.id()).state()).isEqualTo("running");
        assertThat(rig.tier.created).hasValue(4);
    }

    @Test
    void afterAReboot_NothingClaimsToRunAndStartWorks() {
        Sandbox running = rig.create(ALICE);
        Sandbox paused = rig.create(ALICE);
        rig.sandboxes().pause(ALICE, paused.id());
        rig.engine().close();
        rig.tier.reboot();
        rig.reopen();
        for (Sandbox s : List.of(running, paused)) {
            assertThat(state(s)).isEqualTo("stopped");
            assertThat(rig.sandboxes().get(ALICE, s.id()).reason().kind()).isEqualTo("host");
            assertThat(rig.sandboxes().start(ALICE, s.id()).state()).isEqualTo("running");
        }
    }

    @Test
    void anEffectThatFailedHalfwayIsFinishedLater() {
        Sandbox s = rig.create(ALICE);
        rig.pool.failing = true;
        refused(Code.HOST_FAILED, () -> rig.sandboxes().kill(ALICE, s.id()));
        rig.pool.failing = false;
        assertThat(rig.sandboxes().kill(ALICE, s.id()).state()).isEqualTo("ended");
        assertThat(rig.pool.disks()).isEmpty();
    }

    @Test
    void theReaperRemovesOnlyWhatNobodyKnowsAndNothingWhenItCannotList() throws Exception {
        Sandbox mine = rig.create(ALICE);
        var orphan = dev.redoma.model.SandboxId.mint();
        rig.tier.unreadable = true;
        rig.pool.createDisk(orphan, dev.redoma.model.Bytes.mebi(1), 0);
        Thread.sleep(1500);
        assertThat(rig.pool.disk(orphan)).as("nothing is removed while the tier cannot be listed").isPresent();
        rig.tier.unreadable = false;
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(rig.pool.disk(orphan)).isEmpty());
        assertThat(state(mine)).isEqualTo("running");
        assertThat(rig.pool.disk(new dev.redoma.model.SandboxId(mine.id()))).isPresent();
    }
}
