// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import static dev.redoma.engine.LifeRig.ALICE;
import static dev.redoma.engine.LifeRig.ALICE_TOO;
import static dev.redoma.engine.LifeRig.BOB;
import static dev.redoma.engine.LifeRig.OPERATOR;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.redoma.model.Code;
import dev.redoma.model.RedomaException;
import dev.redoma.model.wire.CreateSandbox;
import dev.redoma.model.wire.CreateSnapshot;
import dev.redoma.model.wire.ForkSandbox;
import dev.redoma.model.wire.Limits;
import dev.redoma.model.wire.Sandbox;
import java.io.ByteArrayInputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executors;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LifecycleTest {
    private LifeRig rig = new LifeRig();

    @AfterEach
    void close() {
        rig.close();
    }

    private void rig(java.util.function.UnaryOperator<EngineConfig> change) {
        rig.close();
        rig = new LifeRig(change);
    }

    private static void refused(Code code, ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOfSatisfying(RedomaException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    private static RedomaException refusal(ThrowingCallable call) {
        return (RedomaException) org.assertj.core.api.Assertions.catchThrowable(call);
    }

    private String state(Sandbox sandbox) {
        return rig.sandboxes().get(OPERATOR, sandbox.id()).state();
    }

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
        refused(Code.NOT_OFFERED, () -> rig.sandboxes().create(ALICE, new CreateSandbox(null, null, null, null, null, null, null, "internet", null, null, null, null), null));
        RedomaException io = refusal(() -> rig.sandboxes().create(ALICE, LifeRig.limited(new Limits(null, null, null, null, null, null, 1L << 21, null, null), null), null));
        assertThat(io.code()).isEqualTo(Code.NOT_ENFORCEABLE);
        assertThat(io.problem().details().get("fields")).isEqualTo(List.of("limits.ioBytesPerSecond"));
    }

    @Test
    void aFailedCreationLeavesNothingAndFreesItsPlace() {
        rig(c -> LifeRig.quota(c, 1));
        rig.tier.failing = true;
        refused(Code.RUNTIME_FAILED, () -> rig.create(ALICE));
        assertThat(rig.pool.disks()).isEmpty();
        assertThat(rig.ranges("%")).isZero();
        rig.tier.failing = false;
        assertThat(rig.create(ALICE).state()).isEqualTo("running");
        assertThat(rig.actions(ALICE)).contains("create.failed");
    }

    @Test
    void aGuestThatNeverConfirmsFailsTheCreation() {
        rig.config = shortReady(rig.config);
        rig.reopen();
        rig.tier.slowMillis = 0;
        Thread.startVirtualThread(() -> {
            await().pollInterval(Duration.ofMillis(1)).until(() -> !rig.tier.instances.isEmpty());
            rig.tier.instances.values().forEach(StandInTier.StandInInstance::die);
        });
        assertThat(refusal(() -> {
            for (int i = 0; i < 50; i++) {
                rig.create(ALICE);
            }
        })).satisfiesAnyOf(e -> assertThat(e).isNull(), e -> assertThat(e.code()).isEqualTo(Code.GUEST_UNREACHABLE));
    }

    private static EngineConfig shortReady(EngineConfig c) {
        var t = c.times();
        return new EngineConfig(c.dataDir(), c.runDir(), c.defaultTemplate(), c.sharedKernel(), c.quota(), c.bounds(), c.reserve(), c.warm(), c.uids(),
                new EngineConfig.Times(Duration.ofMillis(300), t.lock(), t.liveness(), t.sweep(), t.grace(), t.ended(), t.lost()), c.saving());
    }

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

    @Test
    void sameKeyAndBodyIsTheSameSandboxAndAnotherBodyAConflict() throws Exception {
        rig.tier.slowMillis = 100;
        var ids = java.util.concurrent.ConcurrentHashMap.<String>newKeySet();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 10; i++) {
                threads.submit(() -> ids.add(rig.sandboxes().create(ALICE, LifeRig.request(null), "k1").id()));
            }
        }
        assertThat(ids).hasSize(1);
        Sandbox again = rig.sandboxes().create(ALICE, LifeRig.request(null), "k1");
        assertThat(ids).contains(again.id());
        assertThat(again.reused()).isTrue();
        assertThat(rig.tier.created).hasValue(1);
        refused(Code.IDEMPOTENCY_CONFLICT, () -> rig.sandboxes().create(ALICE, LifeRig.request("other"), "k1"));
        assertThat(rig.sandboxes().create(ALICE_TOO, LifeRig.request(null), "k1").id()).as("keys are each caller's own").isNotIn(ids);
    }

    @Test
    void aKeyOfAFailedCreationMayBeUsedAgain() {
        rig.tier.failing = true;
        refused(Code.RUNTIME_FAILED, () -> rig.sandboxes().create(ALICE, LifeRig.request(null), "k1"));
        rig.tier.failing = false;
        assertThat(rig.sandboxes().create(ALICE, LifeRig.request(null), "k1").reused()).isFalse();
    }

    @Test
    void aCallerThatGoesAwayLeavesNothing() throws Exception {
        rig.tier.slowMillis = 300;
        Thread caller = Thread.startVirtualThread(() -> rig.create(ALICE));
        await().until(() -> rig.tier.created.get() == 1);
        caller.interrupt();
        caller.join();
        await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> {
            assertThat(rig.sandboxes().list(OPERATOR, all()).items()).isEmpty();
            assertThat(rig.tier.instances).isEmpty();
            assertThat(rig.pool.disks()).isEmpty();
        });
    }

    @Test
    void killInTheMiddleOfCreatingEndsIt() throws Exception {
        rig.tier.slowMillis = 500;
        Thread caller = Thread.startVirtualThread(() -> refused(Code.SANDBOX_ENDED, () -> rig.sandboxes().create(ALICE, LifeRig.request("young"), null)));
        await().until(() -> rig.tier.created.get() == 1);
        assertThat(rig.sandboxes().kill(ALICE, "young").state()).isEqualTo("ended");
        caller.join();
        assertThat(rig.tier.instances).isEmpty();
    }

    @Test
    void aNameIsHeldByOneAndGetOrCreateFindsItsHolder() {
        Sandbox first = rig.sandboxes().create(ALICE, LifeRig.getOrCreate("box"), null);
        assertThat(first.reused()).isFalse();
        refused(Code.NAME_TAKEN, () -> rig.sandboxes().create(ALICE, LifeRig.request("box"), null));
        assertThat(rig.sandboxes().create(BOB, LifeRig.request("box"), null).id()).isNotEqualTo(first.id());
        Sandbox again = rig.sandboxes().create(ALICE, LifeRig.getOrCreate("box"), null);
        assertThat(again.id()).isEqualTo(first.id());
        assertThat(again.reused()).isTrue();
        rig.sandboxes().pause(ALICE, "box");
        assertThat(rig.sandboxes().create(ALICE, LifeRig.getOrCreate("box"), null).state()).isEqualTo("running");
        rig.sandboxes().stop(ALICE, "box");
        assertThat(rig.sandboxes().create(ALICE, LifeRig.getOrCreate("box"), null).id()).isEqualTo(first.id());
        rig.sandboxes().kill(ALICE, "box");
        Sandbox next = rig.sandboxes().create(ALICE, LifeRig.getOrCreate("box"), null);
        assertThat(next.id()).isNotEqualTo(first.id());
        assertThat(next.reused()).isFalse();
    }

    @Test
    void manyThatRaceForANameGetTheSameSandbox() throws Exception {
        var ids = java.util.concurrent.ConcurrentHashMap.<String>newKeySet();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 20; i++) {
                threads.submit(() -> ids.add(rig.sandboxes().create(ALICE, LifeRig.getOrCreate("box"), null).id()));
            }
        }
        assertThat(ids).hasSize(1);
    }

    @Test
    void ofAnotherTenantAndRandomAnswerTheSame() {
        Sandbox s = rig.create(ALICE);
        String random = "sb" + "0".repeat(18);
        List<java.util.function.Function<String, ThrowingCallable>> verbs = List.of(
                id -> () -> rig.sandboxes().get(BOB, id), id -> () -> rig.sandboxes().kill(BOB, id), id -> () -> rig.sandboxes().pause(BOB, id),
                id -> () -> rig.sandboxes().resume(BOB, id), id -> () -> rig.sandboxes().usage(BOB, id), id -> () -> rig.sandboxes().changes(BOB, id),
                id -> () -> rig.sandboxes().stop(BOB, id), id -> () -> rig.sandboxes().snapshot(BOB, id, new CreateSnapshot(null, null)),
                id -> () -> rig.sandboxes().fork(BOB, id, new ForkSandbox(null, null, null), null), id -> () -> rig.sandboxes().quarantine(BOB, id),
                id -> () -> rig.sandboxes().setLifetime(BOB, id, Duration.ofMinutes(1)));
        for (var verb : verbs) {
            RedomaException foreign = refusal(verb.apply(s.id()));
            RedomaException unknown = refusal(verb.apply(random));
            assertThat(foreign.code()).isEqualTo(Code.SANDBOX_NOT_FOUND);
            assertThat(foreign.problem().message().replace(s.id(), random)).isEqualTo(unknown.problem().message());
            assertThat(foreign.problem().details()).isEqualTo(unknown.problem().details());
        }
        assertThat(rig.sandboxes().get(OPERATOR, s.id()).id()).isEqualTo(s.id());
        assertThat(rig.sandboxes().list(BOB, all()).items()).isEmpty();
    }

    @Test
    void reopenSaysWhoMayResume() {
        Sandbox creators = rig.create(ALICE);
        rig.sandboxes().pause(ALICE_TOO, creators.id());
        refused(Code.POLICY_REFUSED, () -> rig.sandboxes().resume(ALICE_TOO, creators.id()));
        assertThat(rig.sandboxes().resume(ALICE, creators.id()).state()).isEqualTo("running");
        Sandbox tenants = rig.sandboxes().create(ALICE, reopen("tenant"), null);
        rig.sandboxes().pause(ALICE, tenants.id());
        assertThat(rig.sandboxes().resume(ALICE_TOO, tenants.id()).state()).isEqualTo("running");
        Sandbox nobodys = rig.sandboxes().create(ALICE, reopen("none"), null);
        rig.sandboxes().pause(ALICE, nobodys.id());
        refused(Code.POLICY_REFUSED, () -> rig.sandboxes().resume(ALICE, nobodys.id()));
    }

    private static CreateSandbox reopen(String who) {
        return new CreateSandbox(null, null, null, null, null, null, null, null, who, null, null, null);
    }

    private static CreateSandbox template(String name) {
        return new CreateSandbox(name, null, null, null, null, null, null, null, null, null, null, null);
    }

    private static Sandboxes.Query all() {
        return new Sandboxes.Query(Set.of(), Map.of(), null, null, 200);
    }

    @Test
    void quarantineFreezesAndOnlyOperatorsEndIt() {
        Sandbox s = rig.create(ALICE);
        Sandbox held = rig.sandboxes().quarantine(ALICE, s.id());
        assertThat(held.state()).isEqualTo("paused");
        assertThat(held.reason().kind()).isEqualTo("quarantine");
        refused(Code.POLICY_REFUSED, () -> rig.sandboxes().resume(ALICE, s.id()));
        refused(Code.POLICY_REFUSED, () -> rig.sandboxes().kill(ALICE, s.id()));
        rig.reopen();
        assertThat(rig.sandboxes().get(ALICE, s.id()).reason().kind()).isEqualTo("quarantine");
        assertThat(rig.sandboxes().resume(OPERATOR, s.id()).reason()).isNull();
        assertThat(rig.sandboxes().kill(ALICE, s.id()).state()).isEqualTo("ended");
    }

    @Test
    void aTimeThatIsOverDoesWhatOnTimeoutSays() {
        for (String onTimeout : List.of("kill", "stop", "pause")) {
            Sandbox s = rig.sandboxes().create(ALICE, LifeRig.limited(LifeRig.times(200L, null), onTimeout), null);
            String state = Map.of("kill", "ended", "stop", "stopped", "pause", "paused").get(onTimeout);
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

    @Test
    void oneWhoseFirstProcessEndsIsStoppedAsCrashedAndStartsAgain() {
        Sandbox s = rig.create(ALICE);
        rig.tier.instances.get(s.id()).oomKills = 2; // commands, and long ago
        rig.tier.instances.get(s.id()).die();
        await().untilAsserted(() -> assertThat(state(s)).isEqualTo("stopped"));
        assertThat(rig.sandboxes().get(ALICE, s.id()).reason().kind()).isEqualTo("crashed");
        assertThat(rig.sandboxes().start(ALICE, s.id()).state()).isEqualTo("running");
        rig.tier.instances.get(s.id()).initOutOfMemory = true;
        rig.tier.instances.get(s.id()).die();
        await().untilAsserted(() -> assertThat(rig.sandboxes().get(ALICE, s.id()).reason()).isNotNull().satisfies(r -> {
            assertThat(r.kind()).isEqualTo("oom");
            assertThat(r.limit()).isEqualTo("memoryBytes");
        }));
    }

    @Test
    void oneRemovedFromOutsideIsLostAndItsNameMayBeTakenAgain() {
        Sandbox s = rig.sandboxes().create(ALICE, LifeRig.getOrCreate("box"), null);
        var instance = rig.tier.instances.remove(s.id());
        instance.die();
        await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> assertThat(state(s)).isEqualTo("lost"));
        assertThat(rig.sandboxes().get(ALICE, s.id()).reason()).isNotNull();
        Sandbox next = rig.sandboxes().create(ALICE, LifeRig.getOrCreate("box"), null);
        assertThat(next.reused()).isFalse();
        assertThat(next.id()).isNotEqualTo(s.id());
        assertThat(rig.sandboxes().start(ALICE, s.id()).state()).as("the disk is there").isEqualTo("running");
    }

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
        await().atMost(Duration.ofSeconds(5)).untilAsserted(() -> assertThat(rig.pool.disk(orphan)).isEmpty());
        assertThat(state(mine)).isEqualTo("running");
        assertThat(rig.pool.disk(new dev.redoma.model.SandboxId(mine.id()))).isPresent();
    }

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
        await().untilAsserted(() -> assertThat(rig.pool.snapshots()).isEmpty());
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
        await().untilAsserted(() -> assertThat(rig.pool.snapshots()).isEmpty());
    }

    @Test
    void pagesGoThroughAllNewestFirstAndFiltersHold() {
        var ids = new ArrayList<String>();
        for (int i = 0; i < 7; i++) {
            ids.addFirst(rig.sandboxes().create(ALICE, new CreateSandbox(null, "n" + i, Map.of("k", i % 2 == 0 ? "even" : "odd"), null, null, null, null, null, null, null, null, null), null).id());
        }
        var seen = new ArrayList<String>();
        String cursor = null;
        do {
            var page = rig.sandboxes().list(ALICE, new Sandboxes.Query(Set.of(), Map.of(), null, cursor, 3));
            page.items().forEach(s -> seen.add(s.id()));
            cursor = page.next();
        } while (cursor != null);
        assertThat(seen).isEqualTo(ids);
        assertThat(rig.sandboxes().list(ALICE, new Sandboxes.Query(Set.of(), Map.of("k", "odd"), null, null, 200)).items()).hasSize(3);
        assertThat(rig.sandboxes().list(ALICE, new Sandboxes.Query(Set.of("paused"), Map.of(), null, null, 200)).items()).isEmpty();
        assertThat(rig.sandboxes().list(ALICE, new Sandboxes.Query(Set.of(), Map.of(), "n3", null, 200)).items()).hasSize(1);
        refused(Code.INVALID_FIELD, () -> rig.sandboxes().list(ALICE, new Sandboxes.Query(Set.of("gone"), Map.of(), null, null, 10)));
        refused(Code.INVALID_FIELD, () -> rig.sandboxes().list(ALICE, new Sandboxes.Query(Set.of(), Map.of(), null, "x", 10)));
        refused(Code.INVALID_FIELD, () -> rig.sandboxes().list(ALICE, new Sandboxes.Query(Set.of(), Map.of(), null, null, 0)));
    }

    @Test
    void killAllIsTheOperatorsBrake() {
        rig.create(ALICE);
        rig.create(ALICE);
        Sandbox bobs = rig.create(BOB);
        refused(Code.FORBIDDEN, () -> rig.sandboxes().killAll(ALICE, null));
        assertThat(rig.sandboxes().killAll(OPERATOR, "alice")).isEqualTo(2);
        assertThat(state(bobs)).isEqualTo("running");
        assertThat(rig.sandboxes().killAll(OPERATOR, null)).isEqualTo(1);
        assertThat(rig.tier.instances).isEmpty();
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

    @Test
    void theSystemLogIsForOperators() {
        Sandbox s = rig.create(ALICE);
        rig.tier.instances.get(s.id()).die();
        await().untilAsserted(() -> assertThat(rig.sandboxes().systemLog(OPERATOR, s.id())).anyMatch(l -> l.contains("stopped")));
        refused(Code.FORBIDDEN, () -> rig.sandboxes().systemLog(ALICE, s.id()));
    }

    @Test
    void warmMembersAreHandedOverUnderTheirOwnIdWithTheLimitsAskedFor() {
        rig(c -> LifeRig.warm(c, 2));
        assertThat(rig.create(ALICE).warm()).isFalse();
        await().until(() -> rig.tier.instances.size() == 3);
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
        await().until(() -> rig.tier.instances.size() == 3);
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
        await().until(() -> rig.tier.instances.size() == 2);
        rig.tier.failing = true;
        int before = rig.tier.created.get();
        assertThat(rig.create(ALICE).warm()).isTrue();
        Thread.sleep(9000);
        assertThat(rig.tier.created.get() - before).isEqualTo(3);
        assertThat(rig.ranges("warm:%")).isZero();
    }

    @Test
    void aWarmMemberThatFallsSilentIsReplacedByOneMadeNew() {
        rig(c -> LifeRig.warm(c, 1));
        rig.create(ALICE);
        await().until(() -> rig.tier.instances.size() == 2);
        rig.tier.instances.values().forEach(i -> i.guest.silent = true);
        Sandbox s = rig.create(ALICE);
        assertThat(s.state()).isEqualTo("running");
        assertThat(s.warm()).isFalse();
    }
}
