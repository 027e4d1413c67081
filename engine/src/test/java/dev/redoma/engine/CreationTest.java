// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import static dev.redoma.engine.LifeRig.ALICE;
import static dev.redoma.engine.LifeRig.OPERATOR;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redoma.model.Code;
import dev.redoma.model.RedomaException;
import dev.redoma.model.wire.CreateSandbox;
import dev.redoma.model.wire.Limits;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// What a creation refuses, and what one that fails or is given up leaves: nothing.
class CreationTest extends LifeCase {
    @Test
    void badRequestsNameTheirFieldAndMakeNothing() {
        var wrong = new HashMap<String, CreateSandbox>();
        wrong.put("name", LifeRig.request("No Good"));
        wrong.put("getOrCreate", LifeRig.getOrCreate(null));
        wrong.put("limits.cpu", LifeRig.limited(new Limits(Double.NaN, null, null, null, null, null, null, null, null), null));
        wrong.put("limits.memoryBytes", LifeRig.limited(new Limits(null, 1L, null, null, null, null, null, null, null), null));
        wrong.put("limits.lifetimeMs", LifeRig.limited(LifeRig.times(0L, null), null));
        wrong.put("limits.idleMs", LifeRig.limited(LifeRig.times(null, -1L), null));
        wrong.put("onTimeout", LifeRig.limited(null, "explode"));
        wrong.put("isolation", new CreateSandbox(null, null, null, null, null, "chroot", null, null, null, null, null, null));
        wrong.put("privileges", new CreateSandbox(null, null, null, null, null, null, "root", null, null, null, null, null));
        wrong.put("reopen", new CreateSandbox(null, null, null, null, null, null, null, null, "all", null, null, null));
        wrong.put("env", new CreateSandbox(null, null, null, Map.of("A=B", "c"), null, null, null, null, null, null, null, null));
        wrong.put("labels", new CreateSandbox(null, null, Map.of("", "c"), null, null, null, null, null, null, null, null, null));
        wrong.forEach((field, request) -> {
            RedomaException refusal = refusal(() -> rig.sandboxes().create(ALICE, request, null));
            assertThat(refusal.code()).as(field).isEqualTo(Code.INVALID_FIELD);
            assertThat(refusal.problem().details()).as(field).containsEntry("field", field).containsKey("allowed");
        });
        refused(Code.TEMPLATE_NOT_FOUND, () -> rig.sandboxes().create(ALICE, template("nope"), null));
        assertThat(rig.tier.created).hasValue(0);
        assertThat(rig.sandboxes().list(OPERATOR, all()).items()).isEmpty();
    }

    @Test
    void whatThisServerCannotDoIsRefusedByName() {
        refused(Code.NOT_OFFERED, () -> rig.sandboxes().create(ALICE, new CreateSandbox(null, null, null, null, null, "gvisor", null, null, null, null, null, null), null));
        refused(Code.NOT_ENFORCEABLE, () -> rig.sandboxes().create(ALICE, new CreateSandbox(null, null, null, null, null, null, null, "internet", null, null, null, null), null));
        RedomaException io = refusal(() -> rig.sandboxes().create(ALICE, LifeRig.limited(new Limits(null, null, null, null, null, null, 1L << 21, null, null), null), null));
        assertThat(io.code()).isEqualTo(Code.NOT_ENFORCEABLE);
        assertThat(io.problem().details().get("fields")).isEqualTo(List.of("limits.ioBytesPerSecond"));
    }

    @Test
    void aFailedCreationLeavesNothingAndFreesItsPlace() {
        rig(c -> LifeRig.quota(c, 1));
        rig.tier.failing = true;
        refused(Code.RUNTIME_FAILED, () -> rig.create(ALICE));
        nothingIsLeft();
        rig.tier.failing = false;
        assertThat(rig.create(ALICE).state()).isEqualTo("running");
        assertThat(rig.actions(ALICE)).contains("create.failed");
    }

    @Test
    void aGuestThatNeverConfirmsFailsTheCreation() {
        rig.config = shortReady(rig.config);
        rig.reopen();
        rig.tier.silent = true;
        refused(Code.GUEST_UNREACHABLE, () -> rig.create(ALICE));
        nothingIsLeft();
        rig.tier.silent = false;
        assertThat(rig.create(ALICE).state()).isEqualTo("running");
    }

    @Test
    void aFirstProcessThatEndsAtOnceFailsTheCreation() {
        rig.tier.dying = true;
        refused(Code.GUEST_UNREACHABLE, () -> rig.create(ALICE));
        nothingIsLeft();
    }

    private void nothingIsLeft() {
        assertThat(rig.sandboxes().list(OPERATOR, all()).items()).isEmpty();
        assertThat(rig.tier.instances).isEmpty();
        assertThat(rig.pool.disks()).isEmpty();
        assertThat(rig.ranges("%")).isZero();
    }

    private static EngineConfig shortReady(EngineConfig c) {
        var t = c.times();
        return new EngineConfig(c.dataDir(), c.runDir(), c.defaultTemplate(), c.sharedKernel(), c.quota(), c.bounds(), c.reserve(), c.warm(), c.uids(),
                new EngineConfig.Times(Duration.ofMillis(300), t.lock(), t.liveness(), t.sweep(), t.grace(), t.ended(), t.lost()), c.saving(), c.building());
    }

    @Test
    void aCallerThatGoesAwayLeavesNothing() throws Exception {
        rig.tier.slowMillis = 5000; // the interrupt ends it
        Thread caller = Thread.startVirtualThread(() -> refused(Code.REQUEST_TIMEOUT, () -> rig.create(ALICE)));
        await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(5)).until(() -> rig.tier.created.get() == 1);
        caller.interrupt();
        caller.join();
        await().atMost(Duration.ofSeconds(30)).untilAsserted(this::nothingIsLeft);
    }
}
