// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import static dev.redoma.engine.LifeRig.ALICE;
import static dev.redoma.engine.LifeRig.ALICE_TOO;
import static dev.redoma.engine.LifeRig.BOB;
import static dev.redoma.engine.LifeRig.OPERATOR;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redoma.model.Code;
import dev.redoma.model.RedomaException;
import dev.redoma.model.wire.CreateSandbox;
import dev.redoma.model.wire.CreateSnapshot;
import dev.redoma.model.wire.ForkSandbox;
import dev.redoma.model.wire.Sandbox;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/// Other tenants, other keys of a tenant, and operators.
class WhoMayTest extends LifeCase {
    @Test
    void ofAnotherTenantAndRandomAnswerTheSame() {
        Sandbox s = rig.create(ALICE);
        String random = "sb" + "0".repeat(18);
        List<java.util.function.Function<String, ThrowingCallable>> verbs = List.of(
                id -> () -> rig.sandboxes().get(BOB, id), id -> () -> rig.sandboxes().kill(BOB, id), id -> () -> rig.sandboxes().pause(BOB, id),
                id -> () -> rig.sandboxes().resume(BOB, id), id -> () -> rig.sandboxes().usage(BOB, id), id -> () -> rig.reviews().changes(BOB, id, null),
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

    @Test
    void quarantineFreezesAndOnlyOperatorsEndIt() {
        Sandbox s = rig.create(ALICE);
        Sandbox held = rig.sandboxes().quarantine(ALICE, s.id(), "it dials out");
        assertThat(held.state()).isEqualTo("paused");
        assertThat(held.reason().kind()).isEqualTo("quarantine");
        refused(Code.POLICY_REFUSED, () -> rig.sandboxes().resume(ALICE, s.id()));
        refused(Code.POLICY_REFUSED, () -> rig.sandboxes().kill(ALICE, s.id()));
        assertThat(rig.ledger.read("alice", s.id(), "sandbox", 0, 100)).as("who pulled it, before it is paused").extracting(r -> r.action() + " " + r.actor()).endsWith("quarantine ky-alice", "pause ky-alice", "paused ky-alice");
        assertThat(rig.ledger.read("alice", s.id(), "sandbox", 0, 100)).filteredOn(r -> r.action().equals("quarantine")).singleElement().satisfies(r -> assertThat(r.toString()).contains("it dials out").contains("reason=quarantine").contains("state=running"));
        refused(Code.INVALID_FIELD, () -> rig.sandboxes().quarantine(OPERATOR, s.id(), " "));
        rig.reopen();
        assertThat(rig.sandboxes().get(ALICE, s.id()).reason().kind()).isEqualTo("quarantine");
        assertThat(rig.sandboxes().resume(OPERATOR, s.id()).reason()).isNull();
        assertThat(rig.sandboxes().kill(ALICE, s.id()).state()).isEqualTo("ended");
    }

    @Test
    void killAllIsTheOperatorsBrake() {
        rig.create(ALICE);
        rig.create(ALICE);
        Sandbox bobs = rig.create(BOB);
        refused(Code.FORBIDDEN, () -> rig.sandboxes().killAll(ALICE, null));
        assertThat(rig.sandboxes().killAll(OPERATOR, "alice", "they mine")).isEqualTo(2);
        assertThat(state(bobs)).isEqualTo("running");
        assertThat(rig.sandboxes().killAll(OPERATOR, null)).isEqualTo(1);
        assertThat(rig.ledger.read("alice", null, "admin", 0, 100)).singleElement().satisfies(r -> {
            assertThat(r.action()).isEqualTo("kill-all");
            assertThat(r.actor()).isEqualTo("ky-op");
            assertThat(r.fields()).containsEntry("everyTenant", false);
            assertThat(r.toString()).contains("they mine");
            assertThat(String.valueOf(r.fields().get("sandboxes"))).isEqualTo("2");
        });
        assertThat(rig.ledger.read("bob", null, "admin", 0, 100)).singleElement().satisfies(r -> assertThat(r.fields()).containsEntry("everyTenant", true));
        assertThat(rig.tier.instances).isEmpty();
    }

    @Test
    void theSystemLogIsForOperators() {
        Sandbox s = rig.create(ALICE);
        rig.tier.instances.get(s.id()).die();
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(rig.sandboxes().systemLog(OPERATOR, s.id())).anyMatch(l -> l.contains("stopped")));
        refused(Code.FORBIDDEN, () -> rig.sandboxes().systemLog(ALICE, s.id()));
    }
}
