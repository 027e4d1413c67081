// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import static dev.redoma.engine.LifeRig.ALICE;
import static dev.redoma.engine.LifeRig.BOB;
import static dev.redoma.engine.LifeRig.OPERATOR;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redoma.model.Code;
import dev.redoma.model.wire.CreateSnapshot;
import dev.redoma.model.wire.ForkSandbox;
import dev.redoma.model.wire.Sandbox;
import java.io.ByteArrayInputStream;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Snapshots, forks and templates that sandboxes stand on.
class SavedTest extends LifeCase {
    @Test
    void snapshotsAreMadeListedUsedAndDeletedWhileSandboxesFromThemGoOn() throws Exception {
        Sandbox s = rig.create(ALICE);
        java.nio.file.Files.writeString(rig.pool.disk(new dev.redoma.model.SandboxId(s.id())).orElseThrow().upper().resolve("f"), "x");
        var snapshot = rig.sandboxes().snapshot(ALICE, s.id(), new CreateSnapshot("save", Map.of("a", "b")));
        assertThat(rig.tier.instances.get(s.id()).frozen()).isFalse();
        assertThat(rig.sandboxes().snapshots(ALICE, s.id())).containsExactly(snapshot);
        assertThat(rig.sandboxes().getSnapshot(ALICE, "save")).isEqualTo(snapshot);
        refused(Code.SNAPSHOT_NOT_FOUND, () -> rig.sandboxes().getSnapshot(BOB, snapshot.id()));
        refused(Code.NAME_TAKEN, () -> rig.sandboxes().snapshot(ALICE, s.id(), new CreateSnapshot("save", null)));
        refused(Code.INVALID_FIELD, () -> rig.sandboxes().snapshot(ALICE, s.id(), new CreateSnapshot(null, "v1", null, null, null)));
        Sandbox from = rig.sandboxes().create(ALICE, template("save"), null);
        assertThat(from.template().digest()).isEqualTo(snapshot.digest());
        assertThat(rig.tier.instances.get(from.id()).spec.lowers()).hasSize(2).first().satisfies(l -> assertThat(l.dir().resolve("f")).exists());
        rig.sandboxes().deleteSnapshot(ALICE, "save");
        assertThat(rig.sandboxes().snapshots(ALICE, null)).isEmpty();
        refused(Code.TEMPLATE_NOT_FOUND, () -> rig.sandboxes().create(ALICE, template(snapshot.id()), null));
        assertThat(rig.pool.snapshots()).as("a sandbox stands on it").hasSize(1);
        rig.sandboxes().kill(ALICE, s.id());
        rig.sandboxes().kill(ALICE, from.id());
        await().atMost(java.time.Duration.ofSeconds(30)).untilAsserted(() -> assertThat(rig.pool.snapshots()).isEmpty());
        assertThat(rig.ranges("%")).isZero();
    }

    @Test
    void aForkHasItsOwnIdAndRangeAndLeavesNoSnapshotBehind() {
        Sandbox s = rig.create(ALICE);
        Sandbox fork = rig.sandboxes().fork(ALICE, s.id(), new ForkSandbox("copy", Map.of("x", "y"), null), "fk");
        assertThat(fork.forkedFrom()).isEqualTo(s.id());
        assertThat(fork.limits()).isEqualTo(s.limits());
        assertThat(fork.labels()).containsEntry("x", "y");
        assertThat(rig.sandboxes().fork(ALICE, s.id(), new ForkSandbox("copy", Map.of("x", "y"), null), "fk").id()).isEqualTo(fork.id());
        assertThat(rig.tier.instances.get(fork.id()).spec.range()).isNotEqualTo(rig.tier.instances.get(s.id()).spec.range());
        assertThat(rig.sandboxes().snapshots(ALICE, null)).isEmpty();
        Sandbox grandchild = rig.sandboxes().fork(ALICE, fork.id(), new ForkSandbox(null, null, null), null);
        rig.sandboxes().kill(ALICE, fork.id());
        rig.sandboxes().kill(ALICE, grandchild.id());
        await().atMost(java.time.Duration.ofSeconds(30)).untilAsserted(() -> assertThat(rig.pool.snapshots()).isEmpty());
    }

    @Test
    void templatesAreImportedVersionedAndKeptWhileUsed() {
        var first = rig.engine().templates().importTar(OPERATOR, "mine", new ByteArrayInputStream(new byte[] {1}), p -> {});
        Sandbox s = rig.sandboxes().create(ALICE, template("mine"), null);
        var second = rig.engine().templates().importTar(OPERATOR, "mine", new ByteArrayInputStream(new byte[] {2}), p -> {});
        assertThat(rig.engine().templates().get(ALICE, "mine").digest()).isEqualTo(second.digest());
        assertThat(rig.engine().templates().get(ALICE, first.digest()).digest()).isEqualTo(first.digest());
        refused(Code.TEMPLATE_IN_USE, () -> rig.engine().templates().delete(OPERATOR, first.digest()));
        refused(Code.FORBIDDEN, () -> rig.engine().templates().delete(ALICE, "mine"));
        rig.sandboxes().kill(ALICE, s.id());
        rig.engine().templates().delete(OPERATOR, first.digest());
        assertThat(rig.pool.layers()).doesNotContain(new dev.redoma.pool.LayerId(first.layers().getFirst().digest()))
                .contains(new dev.redoma.pool.LayerId(second.layers().getFirst().digest()));
        rig.engine().templates().delete(OPERATOR, "mine");
        refused(Code.TEMPLATE_NOT_FOUND, () -> rig.engine().templates().get(ALICE, "mine"));
    }
}
