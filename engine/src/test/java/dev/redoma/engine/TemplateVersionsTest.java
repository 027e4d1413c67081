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
import dev.redoma.model.wire.CreateSandbox;
import dev.redoma.model.wire.CreateSnapshot;
import dev.redoma.model.wire.Sandbox;
import dev.redoma.model.wire.Template;
import dev.redoma.model.wire.TemplateLayer;
import dev.redoma.pool.LayerId;
import java.io.ByteArrayInputStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TemplateVersionsTest {
    private final LifeRig rig = new LifeRig();

    @AfterEach
    void close() {
        rig.close();
    }

    private Templates templates() {
        return rig.engine().templates();
    }

    private Template imported(String name, int content) {
        return templates().importTar(OPERATOR, name, new ByteArrayInputStream(new byte[] {(byte) content}), p -> {});
    }

    private static LayerId layer(Template template) {
        return new LayerId(String.valueOf(template.layers().getFirst().digest()));
    }

    private Sandbox from(String template) {
        return rig.sandboxes().create(ALICE, new CreateSandbox(template, null, null, null, null, null, null, null, null, null, null, null), null);
    }

    private static void refused(Code code, ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOfSatisfying(RedomaException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    @Test
    void aVersionIsNamedByEveryFormOfReferenceAndTheSandboxTellsWhichItIs() {
        Template first = imported("mine:v1", 1);
        Template second = imported("mine", 2);
        for (String reference : List.of("mine:v1", "mine@" + first.digest(), first.digest())) {
            assertThat(templates().get(ALICE, reference).digest()).as(reference).isEqualTo(first.digest());
            assertThat(from(reference).template().digest()).as(reference).isEqualTo(first.digest());
        }
        assertThat(from("mine").template().digest()).isEqualTo(second.digest());
        assertThat(from("mine:latest").template().digest()).isEqualTo(second.digest());
        assertThat(templates().list(ALICE)).filteredOn(t -> t.name().equals("mine")).extracting(Template::tags)
                .containsExactly(List.of("latest"), List.of("v1"));
        refused(Code.TEMPLATE_NOT_FOUND, () -> from("mine:v2"));
        refused(Code.TEMPLATE_NOT_FOUND, () -> from("base@" + first.digest()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Mine", "mine:", ":v1", "mine:-x", "mine@", "mine@sha256:12", "sha256:12", "sha256:latest", "mine:a@sha256:1", "../x", "a/b", "mine:v1:v2"})
    void whatIsNoReferenceIsRefusedByItsField(String text) {
        assertThatThrownBy(() -> from(text)).isInstanceOfSatisfying(RedomaException.class, e -> {
            assertThat(e.code()).isEqualTo(Code.INVALID_FIELD);
            assertThat(e.problem().details()).containsEntry("field", "template");
        });
    }

    @Test
    void aTagMovesAndNothingElseOfTheVersionDoes() {
        Template first = imported("mine", 1);
        Template second = imported("mine", 2);
        templates().tag(OPERATOR, "mine", "stable", "mine@" + first.digest());
        assertThat(templates().get(ALICE, "mine:stable").digest()).isEqualTo(first.digest());
        Template moved = templates().tag(OPERATOR, "mine", "stable", second.digest());
        assertThat(moved.tags()).containsExactly("latest", "stable");
        assertThat(templates().get(ALICE, first.digest())).isEqualTo(withoutTags(first));
        templates().tag(OPERATOR, "mine", "latest", "mine@" + first.digest());
        assertThat(from("mine").template().digest()).isEqualTo(first.digest());
        templates().untag(OPERATOR, "mine", "stable");
        refused(Code.TEMPLATE_NOT_FOUND, () -> templates().get(ALICE, "mine:stable"));
        refused(Code.TEMPLATE_NOT_FOUND, () -> templates().untag(OPERATOR, "mine", "stable"));
        refused(Code.TEMPLATE_NOT_FOUND, () -> templates().tag(OPERATOR, "mine", "x", "base"));
        refused(Code.INVALID_FIELD, () -> templates().tag(OPERATOR, "mine", "no tag", "mine"));
        refused(Code.FORBIDDEN, () -> templates().tag(ALICE, "mine", "x", "mine"));
        refused(Code.FORBIDDEN, () -> templates().untag(ALICE, "mine", "latest"));
        assertThat(rig.actions(OPERATOR)).contains("template.tag", "template.untag");
    }

    private static Template withoutTags(Template t) {
        return new Template(t.name(), t.digest(), List.of(), t.source(), t.state(), t.createdAt(), t.sizeBytes(), t.message(), t.config(), t.layers(), t.usedBy(), null);
    }

    @Test
    void theSameContentAgainIsTheSameVersion() {
        Template first = imported("mine", 1);
        imported("mine", 2);
        Template again = imported("mine", 1);
        assertThat(again.digest()).isEqualTo(first.digest());
        assertThat(again.createdAt()).isEqualTo(first.createdAt());
        assertThat(templates().get(ALICE, "mine").digest()).isEqualTo(first.digest());
        assertThat(templates().list(ALICE)).filteredOn(t -> t.name().equals("mine")).hasSize(2);
    }

    @Test
    void theDigestCoversTheConfigurationToo() {
        var layers = List.of(LayerRef.template(StandInPool.LAYER.value()));
        assertThat(TemplateRow.digest(layers, TemplateConfig.of("user", null, null))).matches("sha256:[0-9a-f]{64}")
                .isEqualTo(TemplateRow.digest(layers, TemplateConfig.of("user", null, null)))
                .isNotEqualTo(TemplateRow.digest(layers, TemplateConfig.of("root", null, null)))
                .isNotEqualTo(TemplateRow.digest(List.of(LayerRef.template("sha256:" + "cd".repeat(32))), TemplateConfig.of("user", null, null)));
    }

    @Test
    void aTemplateTellsItsLayersItsConfigurationAndWhoStandsOnIt() {
        Template made = imported("mine", 1);
        Sandbox s = from("mine");
        var snapshot = rig.sandboxes().snapshot(ALICE, s.id(), new CreateSnapshot(null, null));
        Template told = templates().get(ALICE, "mine");
        assertThat(told.layers()).containsExactly(new TemplateLayer(layer(made).value(), null, 1L));
        assertThat(told.config().user()).isEqualTo("user");
        assertThat(told.usedBy().sandboxIds()).containsExactly(s.id());
        assertThat(told.usedBy().snapshotIds()).containsExactly(snapshot.id());
        assertThat(templates().get(BOB, "mine").usedBy().sandboxes()).as("another tenant's").isZero();
        assertThat(templates().get(OPERATOR, "mine").usedBy().sandboxes()).isEqualTo(1);
        assertThatThrownBy(() -> templates().delete(OPERATOR, "mine")).isInstanceOfSatisfying(RedomaException.class, e -> {
            assertThat(e.code()).isEqualTo(Code.TEMPLATE_IN_USE);
            assertThat(e.problem().details()).containsEntry("sandboxes", List.of(s.id())).containsEntry("snapshots", List.of(snapshot.id()))
                    .containsEntry("inUse", 2).containsEntry("digest", made.digest());
        });
        assertThat(templates().get(ALICE, "mine").tags()).as("a refused deletion changes nothing").containsExactly("latest");
    }

    @Test
    void deletingATagTakesItsVersionOnlyIfItWasTheLast() {
        Template first = imported("mine:v1", 1);
        templates().tag(OPERATOR, "mine", "stable", "mine:v1");
        imported("mine", 2);
        templates().delete(OPERATOR, "mine:v1");
        assertThat(templates().get(ALICE, "mine:stable").digest()).isEqualTo(first.digest());
        templates().delete(OPERATOR, "mine:stable");
        refused(Code.TEMPLATE_NOT_FOUND, () -> templates().get(ALICE, first.digest()));
        assertThat(rig.pool.layers()).doesNotContain(layer(first));
    }

    @Test
    void theBareNameMeansTheNewestVersionLeft() {
        Template first = imported("mine", 1);
        Template second = imported("mine", 2);
        templates().delete(OPERATOR, "mine@" + second.digest());
        assertThat(templates().get(ALICE, "mine").digest()).isEqualTo(first.digest());
        templates().delete(OPERATOR, first.digest());
        refused(Code.TEMPLATE_NOT_FOUND, () -> templates().get(ALICE, "mine"));
        refused(Code.TEMPLATE_NOT_FOUND, () -> templates().delete(OPERATOR, "mine"));
    }

    @Test
    void aLayerGoesWithTheLastThatNeedsIt() {
        Template mine = imported("mine", 1);
        Template other = imported("other", 1);
        assertThat(layer(other)).isEqualTo(layer(mine));
        Sandbox s = from("other");
        templates().delete(OPERATOR, "mine");
        assertThat(rig.pool.layers()).as("another name has it").contains(layer(mine));
        refused(Code.TEMPLATE_IN_USE, () -> templates().delete(OPERATOR, "other"));
        var snapshot = rig.sandboxes().snapshot(ALICE, s.id(), new CreateSnapshot(null, null));
        rig.sandboxes().kill(ALICE, s.id());
        refused(Code.TEMPLATE_IN_USE, () -> templates().delete(OPERATOR, "other"));
        rig.sandboxes().deleteSnapshot(ALICE, snapshot.id());
        templates().delete(OPERATOR, "other");
        assertThat(rig.pool.layers()).doesNotContain(layer(mine)).contains(StandInPool.LAYER);
    }

    @Test
    void aLayerThatNoRowNamesIsRemovedAfterTheGraceAndNotWhileAJobHoldsIt() throws Exception {
        var holds = new LayerHolds();
        try (var hold = holds.open()) {
            hold.accept(StandInPool.LAYER);
            assertThat(holds.unlessHeld(StandInPool.LAYER, () -> true)).isFalse();
        }
        assertThat(holds.unlessHeld(StandInPool.LAYER, () -> true)).isTrue();
        LayerId orphan = rig.pool.importTar(new ByteArrayInputStream(new byte[] {9}), p -> {});
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(rig.pool.layers()).doesNotContain(orphan));
        assertThat(rig.pool.layers()).contains(StandInPool.LAYER);
    }

    /// LC-25.
    @Test
    void nothingIsRemovedWhileTheDatabaseCannotBeRead() throws Exception {
        Template mine = imported("mine", 1);
        LayerId orphan = rig.pool.importTar(new ByteArrayInputStream(new byte[] {9}), p -> {});
        rename("template", "template_away");
        Thread.sleep(1500);
        assertThat(rig.pool.layers()).contains(orphan, layer(mine), StandInPool.LAYER);
        rename("template_away", "template");
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(rig.pool.layers()).doesNotContain(orphan));
        assertThat(rig.pool.layers()).contains(layer(mine), StandInPool.LAYER);
    }

    private void rename(String table, String to) {
        rig.store.write(tx -> tx.createUpdate("ALTER TABLE " + table + " RENAME TO " + to).execute());
    }

    @Test
    void importsAndDeletionsOfTheSameContentNeverLeaveAVersionWithoutItsLayer() throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int round = 0; round < 40; round++) {
                imported("one", 1);
                var both = List.of(threads.submit(() -> imported("two", 1)), threads.submit(() -> {
                    templates().delete(OPERATOR, "one");
                    return null;
                }));
                for (var done : both) {
                    done.get();
                }
                assertThat(rig.pool.layers()).as("round " + round).contains(layer(templates().get(OPERATOR, "two")));
                templates().delete(OPERATOR, "two");
            }
        }
    }

    @Test
    void everyRecordOfASandboxAndASnapshotNamesTheExactVersion() {
        Template mine = imported("mine", 1);
        Sandbox s = from("mine");
        rig.sandboxes().pause(ALICE, s.id());
        rig.sandboxes().resume(ALICE, s.id());
        var snapshot = rig.sandboxes().snapshot(ALICE, s.id(), new CreateSnapshot(null, null));
        assertThat(snapshot.template().digest()).isEqualTo(mine.digest());
        rig.sandboxes().kill(ALICE, s.id());
        var records = rig.ledger.read("alice", null, null, 0, 1000).stream().filter(r -> r.category().equals("sandbox")).toList();
        assertThat(records).hasSizeGreaterThan(6).allSatisfy(r -> assertThat(r.fields()).as(r.action()).satisfies(f -> assertThat(((Map<?, ?>) f).containsKey("templateDigest")
                ? ((Map<?, ?>) f).get("templateDigest") : ((Map<?, ?>) f).get("digest")).isEqualTo(mine.digest())));
    }
}
