// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import static dev.redoma.engine.LifeRig.ALICE;
import static dev.redoma.engine.LifeRig.BOB;
import static dev.redoma.engine.LifeRig.OPERATOR;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.redoma.model.Bytes;
import dev.redoma.model.Code;
import dev.redoma.model.RedomaException;
import dev.redoma.model.VolumeId;
import dev.redoma.model.wire.CreateSandbox;
import dev.redoma.model.wire.CreateVolume;
import dev.redoma.model.wire.Sandbox;
import dev.redoma.model.wire.Volume;
import dev.redoma.model.wire.VolumeMount;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What the engine decides about volumes and caches by itself.
@Timeout(60)
class VolumeLifeTest {
    private LifeRig rig = new LifeRig();

    @AfterEach
    void end() {
        rig.sandboxes().killAll(OPERATOR, null);
        rig.close();
    }

    private Volume volume(String name, boolean shared) {
        return rig.engine().volumes().create(ALICE, new CreateVolume(name, 1L << 20, shared, null, null));
    }

    private Sandbox box(VolumeMount... mounts) {
        return rig.sandboxes().create(ALICE, with(List.of(mounts), null), null);
    }

    private static CreateSandbox with(List<VolumeMount> mounts, List<String> caches) {
        return new CreateSandbox(null, null, null, null, null, null, null, null, null, null, null, null, mounts, caches, null);
    }

    private static VolumeMount at(String name) {
        return new VolumeMount(name, "/v", null);
    }

    private static RedomaException refused(Code code, Callable<?> call) {
        var e = catchThrowableOfType(RedomaException.class, call::call);
        assertThat(e).isNotNull();
        assertThat(e.code()).as(e.getMessage()).isEqualTo(code);
        return e;
    }

    @Test
    void liveSandboxesUnderTwoPoliciesHaveNoVolumeInCommon() {
        volume("data", true);
        Sandbox first = box(at("data"));
        rig.store.write(tx -> tx.createUpdate("UPDATE sandbox SET policy = 'internet' WHERE id = :id").bind("id", first.id()).execute());
        var e = refused(Code.POLICY_REFUSED, () -> box(new VolumeMount("data", "/v", true)));
        assertThat(e.problem().details()).containsEntry("holder", first.id());
        rig.sandboxes().stop(ALICE, first.id());
        box(at("data"));
        refused(Code.POLICY_REFUSED, () -> rig.sandboxes().start(ALICE, first.id()));
    }

    @Test
    void whatIsVanishedHoldsNothing() {
        volume("data", false);
        Sandbox first = box(at("data"));
        refused(Code.VOLUME_IN_USE, () -> box(at("data")));
        rig.tier.instances.get(first.id()).die();
        await().atMost(Duration.ofSeconds(30)).until(() -> !rig.sandboxes().get(ALICE, first.id()).state().equals("running"));
        box(at("data"));
    }

    @Test
    void aFailedCreateLetsGo() {
        volume("data", false);
        rig.pool.failing = true;
        refused(Code.HOST_FAILED, () -> box(at("data")));
        rig.pool.failing = false;
        rig.reopen();
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> box(at("data")));
    }

    @Test
    void countsAndBytesOfATenantAreBounded() {
        rig.close();
        rig = new LifeRig(c -> LifeRig.quota(c, 8));
        for (int i = 0; i < 4; i++) {
            volume("v" + i, false);
        }
        assertThat(refused(Code.QUOTA_EXCEEDED, () -> volume("v4", false)).problem().details()).containsEntry("quota", "volumes");
        assertThat(refused(Code.QUOTA_EXCEEDED, () -> rig.engine().volumes().resize(ALICE, "v0", 1L << 40)).problem().details()).containsEntry("quota", "volumeBytes");
        rig.engine().volumes().create(BOB, new CreateVolume("v0", 1L << 20, null, null, null));
        rig.engine().volumes().delete(ALICE, "v3");
        volume("v4", false);
    }

    @Test
    void aResizeIsOnRecordWithTheSizeThatItMade() {
        volume("grows", false);
        rig.engine().volumes().resize(ALICE, "grows", 7_000_000);
        var told = rig.ledger.newest(ALICE.tenant().value(), null, "volume", 2);
        assertThat(told).extracting(r -> r.action() + " " + r.fields().get("sizeBytes")).containsExactly("resize 7000000", "resized 7000000");
    }

    @Test
    void thePromiseOfTheHostCountsVolumes() {
        rig.pool.space = new dev.redoma.pool.Pool.Space(1L << 30, 1L << 30);
        var e = refused(Code.NO_CAPACITY, () -> rig.engine().volumes().create(ALICE, new CreateVolume("huge", 1L << 40, null, null, null)));
        assertThat(e.problem().details()).containsEntry("resource", "disk");
        assertThat(rig.engine().volumes().list(ALICE, Map.of())).isEmpty();
    }

    @Test
    void onlyWhatNoRowKnowsIsAnOrphan() {
        var mine = volume("data", false);
        var orphan = VolumeId.mint();
        rig.pool.volumes().create(orphan, Bytes.mebi(1), 0, 0);
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(rig.pool.volumes().find(orphan)).isEmpty());
        assertThat(rig.pool.volumes().find(new VolumeId(mine.id()))).isPresent();
    }

    @Test
    void anInterruptedChangeIsFinishedOrUndone() {
        var grown = volume("grown", false);
        var gone = volume("gone", false);
        var half = volume("half", false);
        rig.store.write(tx -> {
            tx.execute("UPDATE volume SET target = 'resize', size_bytes = 7000000 WHERE id = ?", grown.id());
            tx.execute("UPDATE volume SET target = 'delete' WHERE id = ?", gone.id());
            return tx.execute("UPDATE volume SET target = 'create', state = 'creating' WHERE id = ?", half.id());
        });
        rig.reopen();
        assertThat(rig.engine().volumes().list(ALICE, Map.of())).extracting(Volume::name).containsExactly("grown");
        assertThat(((StandInVolumes) rig.pool.volumes()).quotas).containsExactly(Map.entry(new VolumeId(grown.id()), 7_000_000L));
    }

    @Test
    void whileACallWritesNoSandboxTakesTheVolumeAndItCannotBeDeleted() throws Exception {
        volume("data", false);
        var out = new PipedOutputStream();
        InputStream slow = new PipedInputStream(out);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var writing = threads.submit(() -> rig.engine().volumeFiles().write(ALICE, "data", "/f", null, null, slow));
            out.write('x');
            out.flush();
            await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> refused(Code.VOLUME_IN_USE, () -> box(at("data"))));
            refused(Code.VOLUME_IN_USE, () -> {
                rig.engine().volumes().delete(ALICE, "data");
                return true;
            });
            box(new VolumeMount("data", "/v", true));
            out.close();
            assertThat(writing.get().size()).isEqualTo(1);
        }
        box(at("data"));
        refused(Code.VOLUME_IN_USE, () -> rig.engine().volumeFiles().write(ALICE, "data", "/f", null, null, new ByteArrayInputStream(new byte[1])));
        assertThat(rig.actions(ALICE)).contains("write");
    }

    @Test
    void copiesOfCachesComeAndGoWithTheirSandbox() {
        Sandbox s = rig.sandboxes().create(ALICE, with(null, List.of("pip", "npm", "pip")), null);
        assertThat(s.volumes()).hasSize(2);
        assertThat(rig.pool.volumes().list()).hasSize(2);
        rig.engine().caches().promote(OPERATOR, s.id(), "pip");
        rig.engine().caches().promote(OPERATOR, s.id(), "pip");
        assertThat(rig.engine().caches().list(ALICE)).hasSize(1);
        assertThat(rig.pool.volumes().list()).hasSize(3);
        rig.sandboxes().kill(ALICE, s.id());
        assertThat(rig.pool.volumes().list()).hasSize(1);
        assertThat(rig.engine().caches().clear(ALICE, null, null)).isEqualTo(1);
        assertThat(rig.pool.volumes().list()).isEmpty();
    }
}
