// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import static dev.redoma.engine.LifeRig.ALICE;
import static dev.redoma.engine.LifeRig.BOB;
import static org.assertj.core.api.Assertions.assertThat;

import dev.redoma.model.Code;
import dev.redoma.model.RedomaException;
import dev.redoma.model.wire.Sandbox;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/// Quotas, tenants and a full host.
class AdmissionTest extends LifeCase {
    @Test
    void fortyParallelCreatesAgainstAQuotaOfEightGiveExactlyEight() throws Exception {
        rig(c -> LifeRig.quota(c, 8));
        var refusals = new java.util.concurrent.ConcurrentLinkedQueue<RedomaException>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 40; i++) {
                threads.submit(() -> {
                    try {
                        rig.create(ALICE);
                    } catch (RedomaException e) {
                        refusals.add(e);
                    }
                });
            }
        }
        assertThat(refusals).hasSize(32).allSatisfy(e -> {
            assertThat(e.code()).isEqualTo(Code.QUOTA_EXCEEDED);
            assertThat(e.problem().details()).containsEntry("limit", 8).containsEntry("inUse", 8);
        });
        assertThat(rig.sandboxes().list(ALICE, all()).items()).hasSize(8);
        assertThat(rig.tier.instances).hasSize(8);
        rig.sandboxes().kill(ALICE, rig.sandboxes().list(ALICE, all()).items().getFirst().id());
        assertThat(rig.create(ALICE).state()).isEqualTo("running");
        assertThat(rig.create(BOB).state()).as("another tenant has its own").isEqualTo("running");
    }

    @Test
    void startingCountsAgainstTheQuotaAsCreatingDoes() {
        rig(c -> LifeRig.quota(c, 1));
        Sandbox first = rig.create(ALICE);
        rig.sandboxes().stop(ALICE, first.id());
        rig.create(ALICE);
        refused(Code.QUOTA_EXCEEDED, () -> rig.sandboxes().start(ALICE, first.id()));
        assertThat(state(first)).isEqualTo("stopped");
    }

    @Test
    void tenantsShareAKernelOnlyWhereTheOperatorSaidSo() {
        rig(LifeRig::apart);
        Sandbox alices = rig.create(ALICE);
        refused(Code.POLICY_REFUSED, () -> rig.create(BOB));
        rig.sandboxes().kill(ALICE, alices.id());
        assertThat(rig.create(BOB).state()).isEqualTo("running");
    }

    @Test
    void aFullHostIsSaidByItsResource() {
        rig.pool.space = new dev.redoma.pool.Pool.Space(1 << 20, 1L << 40);
        RedomaException refusal = refusal(() -> rig.create(ALICE));
        assertThat(refusal.code()).isEqualTo(Code.NO_CAPACITY);
        assertThat(refusal.problem().details()).containsEntry("resource", "disk");
    }
}
