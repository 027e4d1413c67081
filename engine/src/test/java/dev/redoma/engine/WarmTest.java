// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import static dev.redoma.engine.LifeRig.ALICE;
import static dev.redoma.engine.LifeRig.BOB;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redoma.model.wire.CreateSandbox;
import dev.redoma.model.wire.Limits;
import dev.redoma.model.wire.Sandbox;
import org.junit.jupiter.api.Test;

/// Sandboxes started ahead.
class WarmTest extends LifeCase {
    @Test
    void warmMembersAreHandedOverUnderTheirOwnIdWithTheLimitsAskedFor() {
        rig(c -> LifeRig.warm(c, 2));
        assertThat(rig.create(ALICE).warm()).isFalse();
        await().atMost(java.time.Duration.ofSeconds(30)).until(() -> rig.tier.instances.size() == 3);
        Sandbox warm = rig.sandboxes().create(ALICE, new CreateSandbox(null, "fast", null, null,
                new Limits(1.0, 256L << 20, 1L << 30, null, null, null, null, null, null), null, null, null, null, null, null, null), null);
        assertThat(warm.warm()).isTrue();
        assertThat(warm.state()).isEqualTo("running");
        var instance = rig.tier.instances.get(warm.id());
        assertThat(instance.limits.memoryBytes()).isEqualTo(256L << 20);
        assertThat(instance.guest.hostnames).contains("fast");
        assertThat(rig.pool.quotas.get(new dev.redoma.model.SandboxId(warm.id()))).isEqualTo(1L << 30);
        assertThat(rig.create(BOB).warm()).as("members are one tenant's").isFalse();
        assertThat(rig.sandboxes().kill(ALICE, warm.id()).state()).isEqualTo("ended");
    }

    @Test
    void warmMembersGoWithTheServerAndAreRemovedAfterAKill() {
        rig(c -> LifeRig.warm(c, 2));
        Sandbox s = rig.create(ALICE);
        await().atMost(java.time.Duration.ofSeconds(30)).until(() -> rig.tier.instances.size() == 3);
        rig.engine().close();
        assertThat(rig.tier.instances).containsOnlyKeys(s.id());
        rig.killAndReopen();
        rig.sandboxes().kill(ALICE, s.id());
        assertThat(rig.ranges("%")).isZero();
    }

    @Test
    void aTemplateWhoseStartFailsIsTriedThreeTimesAndOthersGoOn() throws Exception {
        rig(c -> LifeRig.warm(c, 1));
        rig.create(ALICE);
        await().atMost(java.time.Duration.ofSeconds(30)).until(() -> rig.tier.instances.size() == 2);
        rig.tier.failing = true;
        int before = rig.tier.created.get();
        assertThat(rig.create(ALICE).warm()).isTrue();
        await().atMost(java.time.Duration.ofSeconds(60)).until(() -> rig.tier.created.get() - before >= 3);
        Thread.sleep(1500);
        assertThat(rig.tier.created.get() - before).isEqualTo(3);
        assertThat(rig.ranges("warm:%")).isZero();
    }

    @Test
    void aWarmMemberThatFallsSilentIsReplacedByOneMadeNew() {
        rig(c -> LifeRig.warm(c, 1));
        rig.create(ALICE);
        await().atMost(java.time.Duration.ofSeconds(30)).until(() -> rig.tier.instances.size() == 2);
        rig.tier.instances.values().forEach(i -> i.guest.silent = true);
        Sandbox s = rig.create(ALICE);
        assertThat(s.state()).isEqualTo("running");
        assertThat(s.warm()).isFalse();
    }
}
