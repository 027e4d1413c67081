// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import static dev.redoma.engine.LifeRig.ALICE;
import static dev.redoma.engine.LifeRig.BOB;
import static dev.redoma.engine.LifeRig.OPERATOR;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.redoma.model.Code;
import dev.redoma.model.RedomaException;
import dev.redoma.model.SandboxId;
import dev.redoma.model.SnapshotId;
import dev.redoma.model.wire.CreateSandbox;
import dev.redoma.model.wire.CreateSnapshot;
import dev.redoma.model.wire.ForkSandbox;
import dev.redoma.model.wire.KeepSnapshots;
import dev.redoma.model.wire.Sandbox;
import dev.redoma.model.wire.Snapshot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SavedDisksTest {
    private static final String TOKEN = "ghp_" + "Zz1Yy2Xx3Ww4Vv5Uu6Tt7Ss8Rr9Qq0Pp1Oo2";

    private final LifeRig rig = new LifeRig();

    @AfterEach
    void close() {
        rig.close();
    }

    private static void refused(Code code, ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOfSatisfying(RedomaException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    private Path upper(Sandbox s) {
        return rig.pool.disk(new SandboxId(s.id())).orElseThrow().upper();
    }

    private Path saved(Snapshot s) {
        return rig.pool.snapshotUpper(new SnapshotId(s.id())).orElseThrow();
    }

    private Snapshot save(Sandbox s, String name, String tag, KeepSnapshots keep) {
        return rig.sandboxes().snapshot(ALICE, s.id(), new CreateSnapshot(name, tag, null, null, keep));
    }

    private Sandbox from(String template) {
        return rig.sandboxes().create(ALICE, new CreateSandbox(template, null, null, null, null, null, null, null, null, null, null, null), null);
    }

    @Test
    void secretsAreTakenOutOfTheCopyAndTheSandboxKeepsThem() throws IOException {
        Sandbox s = rig.create(ALICE);
        Files.writeString(upper(s).resolve(".env"), "T=" + TOKEN);
        Snapshot made = save(s, "clean", null, null);
        assertThat(saved(made).resolve(".env")).content().doesNotContain(TOKEN);
        assertThat(upper(s).resolve(".env")).hasContent("T=" + TOKEN);
        assertThat(made.scrubbed().get("credentials").files()).isEqualTo(1);
        assertThat(made.contents()).containsEntry("credentials", "scrub").containsEntry("other", "keep");
        assertThat(rig.sandboxes().snapshotContents(ALICE, "clean").credentials()).isEmpty();
        refused(Code.SNAPSHOT_NOT_FOUND, () -> rig.sandboxes().snapshotContents(BOB, made.id()));
        assertThat(rig.sandboxes().snapshotContents(OPERATOR, made.id()).whole()).isTrue();
    }

    @Test
    void whatIsRefusedLeavesNoRowNoRangeAndNoName() throws IOException {
        Sandbox s = rig.create(ALICE);
        Files.writeString(upper(s).resolve(".env"), "T=" + TOKEN);
        refused(Code.CONTENTS_REFUSED, () -> rig.sandboxes().snapshot(ALICE, s.id(), new CreateSnapshot("x", null, null, Map.of("credentials", "refuse"), null)));
        assertThat(rig.sandboxes().snapshots(ALICE, null)).isEmpty();
        assertThat(rig.pool.snapshots()).isEmpty();
        assertThat(rig.tier.instances.get(s.id()).frozen()).isFalse();
        for (var wrong : List.of(Map.of("secrets", "keep"), Map.of("credentials", "remove"), Map.of("other", "scrub"))) {
            refused(Code.INVALID_FIELD, () -> rig.sandboxes().snapshot(ALICE, s.id(), new CreateSnapshot(null, null, null, wrong, null)));
        }
        save(s, "x", null, null);
        rig.sandboxes().deleteSnapshot(ALICE, "x");
        rig.sandboxes().kill(ALICE, s.id());
        assertThat(rig.ranges("%")).isZero();
    }

    @Test
    void aSnapshotOfAForkStandsOnScrubbedCopiesThatGoWithIt() throws IOException {
        Sandbox s = rig.create(ALICE);
        Files.writeString(upper(s).resolve("notes"), "T=" + TOKEN);
        Sandbox fork = rig.sandboxes().fork(ALICE, s.id(), new ForkSandbox(null, null, null), null);
        Snapshot made = save(fork, "ground", null, null);
        rig.sandboxes().kill(ALICE, s.id());
        rig.sandboxes().kill(ALICE, fork.id());
        Sandbox again = from("ground");
        var lowers = rig.tier.instances.get(again.id()).spec.lowers();
        assertThat(lowers).hasSize(3);
        assertThat(lowers.get(1).dir().resolve("notes")).content().startsWith("T=***").doesNotContain(TOKEN);
        assertThat(made.scrubbed().get("credentials").files()).isEqualTo(1);
        Snapshot next = save(again, "next", null, null);
        assertThat(next.scrubbed()).isEmpty();
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(rig.pool.snapshots()).as("what was scrubbed is not copied again").hasSize(3));
        rig.sandboxes().deleteSnapshot(ALICE, "ground");
        rig.sandboxes().deleteSnapshot(ALICE, "next");
        rig.sandboxes().kill(ALICE, again.id());
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(rig.pool.snapshots()).isEmpty());
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(rig.ranges("%")).isZero());
    }

    @Test
    void theNewestOfANameAreKeptAndTagsProtect() {
        Sandbox s = rig.create(ALICE);
        Snapshot tagged = save(s, "nightly", "v1", new KeepSnapshots(2, null));
        Snapshot old = save(s, "nightly", "latest", new KeepSnapshots(2, null));
        Snapshot third = save(s, "nightly", "latest", new KeepSnapshots(2, null));
        Snapshot fourth = save(s, "nightly", "latest", new KeepSnapshots(2, null));
        Snapshot other = save(s, null, null, null);
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(ids()).doesNotContain(old.id()));
        assertThat(ids()).containsExactlyInAnyOrder(tagged.id(), third.id(), fourth.id(), other.id());
        rig.sandboxes().untagSnapshot(ALICE, "nightly", "v1");
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(ids()).containsExactlyInAnyOrder(third.id(), fourth.id(), other.id()));
        assertThat(rig.actions(ALICE)).contains("snapshot.delete");
    }

    @Test
    void ofTwoThatAreReadyOutOfOrderTheNameMeansTheNewer() {
        Sandbox s = rig.create(ALICE);
        var second = new Snapshot[1];
        rig.pool.beforeScrub = () -> second[0] = save(s, "nightly", "both", null);
        Snapshot first = save(s, "nightly", "both", null);
        assertThat(second[0].createdAt()).isAfter(first.createdAt());
        assertThat(rig.sandboxes().getSnapshot(ALICE, "nightly").id()).isEqualTo(second[0].id());
        assertThat(rig.sandboxes().getSnapshot(ALICE, "nightly:both").id()).isEqualTo(second[0].id());
        assertThat(ids()).containsExactlyInAnyOrder(first.id(), second[0].id());
        rig.sandboxes().deleteSnapshot(ALICE, second[0].id());
        assertThat(rig.sandboxes().getSnapshot(ALICE, "nightly").id()).isEqualTo(first.id());
    }

    private List<String> ids() {
        return rig.sandboxes().snapshots(ALICE, null).stream().map(Snapshot::id).toList();
    }

    @Test
    void aSnapshotGoesWhenItsTimeIsOver() {
        Sandbox s = rig.create(ALICE);
        Snapshot brief = save(s, "brief", "v1", new KeepSnapshots(null, 1L));
        assertThat(brief.expiresAt()).isEqualTo(brief.createdAt().plusMillis(1));
        Snapshot kept = save(s, "kept", null, new KeepSnapshots(0, 0L));
        assertThat(kept.expiresAt()).isNull();
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(ids()).containsExactly(kept.id()));
        refused(Code.INVALID_FIELD, () -> save(s, null, null, new KeepSnapshots(-1, null)));
        refused(Code.INVALID_FIELD, () -> save(s, null, null, new KeepSnapshots(null, -1L)));
    }

    @Test
    void environmentGivenAtCreateIsNoPartOfTheConfiguration() {
        Sandbox s = rig.sandboxes().create(ALICE, new CreateSandbox(null, null, null, Map.of("MINE", "value"), null, null, null, null, null, null, null, null), null);
        Snapshot made = save(s, "no-env", null, null);
        String row = rig.store.read(tx -> tx.createQuery("SELECT config FROM snapshot WHERE id = :id").bind("id", made.id()).mapTo(String.class).one());
        assertThat(row).contains("FROM").doesNotContain("MINE").doesNotContain("value");
        Sandbox next = from("no-env");
        assertThat(rig.store.read(tx -> SandboxRows.get(tx, new SandboxId(next.id()))).env()).containsOnlyKeys("FROM");
    }

    @Test
    void twoNamesOfTwoTenantsAreNotOne() {
        Sandbox s = rig.create(ALICE);
        save(s, "same", null, null);
        Sandbox bobs = rig.create(BOB);
        var his = rig.sandboxes().snapshot(BOB, bobs.id(), new CreateSnapshot("same", null));
        assertThat(rig.sandboxes().getSnapshot(BOB, "same").id()).isEqualTo(his.id());
        assertThat(rig.sandboxes().getSnapshot(ALICE, "same").id()).isNotEqualTo(his.id());
        refused(Code.SNAPSHOT_NOT_FOUND, () -> rig.sandboxes().tagSnapshot(ALICE, his.id(), "x"));
        refused(Code.TEMPLATE_NOT_FOUND, () -> from(his.digest()));
    }
}
