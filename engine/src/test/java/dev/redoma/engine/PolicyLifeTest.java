// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import static dev.redoma.engine.LifeRig.ALICE;
import static dev.redoma.engine.LifeRig.BOB;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redoma.ledger.Entry;
import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.RedomaException;
import dev.redoma.model.TenantId;
import dev.redoma.model.wire.AuditRecord;
import dev.redoma.model.wire.CreateSandbox;
import dev.redoma.model.wire.Limits;
import dev.redoma.model.wire.Sandbox;
import dev.redoma.policy.NamedPolicies;
import dev.redoma.policy.PolicyFile;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PolicyLifeTest {
    private LifeRig rig = new LifeRig();

    @AfterEach
    void end() {
        rig.close();
    }

    private void with(PolicySettings settings) {
        rig.close();
        rig = new LifeRig(c -> policies(c, settings));
    }

    private static EngineConfig policies(EngineConfig c, PolicySettings settings) {
        return new EngineConfig(c.dataDir(), c.runDir(), c.defaultTemplate(), c.sharedKernel(), c.quota(), c.bounds(), c.reserve(), c.warm(), c.uids(), c.times(), c.saving(), c.building(), settings);
    }

    private static PolicySettings settings(String floor, Map<TenantId, String> tenants, String standard) {
        var documents = tenants.entrySet().stream().collect(java.util.stream.Collectors.toMap(Map.Entry::getKey, e -> PolicyFile.read("tenant", "tenant.yaml", e.getValue())));
        return new PolicySettings(PolicyFile.read("floor", "floor.yaml", floor), documents, standard, new NamedPolicies(List.of("registry.example.org")));
    }

    private Sandbox create(Caller caller, @Nullable String policy, @Nullable Limits limits, @Nullable String privileges) {
        return rig.sandboxes().create(caller, new CreateSandbox(null, null, null, null, limits, null, privileges, policy, null, null, null, null), null);
    }

    private static void refused(ThrowingCallable call, Code code, Map<String, Object> details) {
        assertThatThrownBy(call).isInstanceOfSatisfying(RedomaException.class, e -> {
            assertThat(e.code()).isEqualTo(code);
            assertThat(e.problem().details()).containsAllEntriesOf(details);
        });
    }

    @Test
    void aPolicyThatLetsSomethingOutIsRefusedWhereNothingEnforcesIt() {
        refused(() -> create(ALICE, "internet", null, null), Code.NOT_ENFORCEABLE, Map.of("field", "policy", "feature", "egress"));
        refused(() -> create(ALICE, "egress: {web: [{hosts: [a.example.com], tls: opaque}]}", null, null), Code.NOT_ENFORCEABLE, Map.of("line", 1, "column", 16));
        assertThat(rig.sandboxes().list(ALICE, new Sandboxes.Query(java.util.Set.of(), Map.of(), null, null, 10)).items()).isEmpty();
    }

    @Test
    void aPolicyThatCannotBeReadMakesNoSandbox() {
        refused(() -> create(ALICE, "egress: {webb: []}", null, null), Code.POLICY_INVALID, Map.of("line", 1, "column", 10));
        refused(() -> create(ALICE, "intranet", null, null), Code.POLICY_INVALID, Map.of("field", "policy"));
        refused(() -> create(ALICE, "secrets: {a: {host: b}}", null, null), Code.NOT_ENFORCEABLE, Map.of("line", 1));
        refused(() -> create(ALICE, "egress: {internal: [{host: db.internal, port: 1}]}", null, null), Code.POLICY_REFUSED, Map.of("rule", "request.internal[0]", "layer", "floor"));
    }

    @Test
    void whatAPolicyDemandsOfTheSandboxIsEnforced() {
        var box = create(ALICE, "privileges: none\nreopen: tenant\nresources: {memory: 256MiB, lifetime: 10m}\n", null, null);
        assertThat(box.privileges()).isEqualTo("none");
        assertThat(box.reopen()).isEqualTo("tenant");
        assertThat(box.limits().memoryBytes()).isEqualTo(256L << 20);
        assertThat(box.limits().lifetimeMs()).isEqualTo(600_000);
        assertThat(box.policy()).startsWith("custom:");
        refused(() -> rig.sandboxes().setLifetime(ALICE, box.id(), Duration.ofHours(1)), Code.POLICY_REFUSED, Map.of("field", "lifetimeMs"));
        refused(() -> create(ALICE, "privileges: none\n", null, "sudo"), Code.POLICY_REFUSED, Map.of("field", "privileges"));
        refused(() -> create(ALICE, "resources: {memory: 256MiB}\n", new Limits(null, 512L << 20, null, null, null, null, null, null, null), null), Code.POLICY_REFUSED, Map.of("field", "limits.memoryBytes"));
        refused(() -> create(ALICE, "isolation: {min: vm}\n", null, null), Code.NOT_ENFORCEABLE, Map.of("field", "isolation"));
    }

    @Test
    void floorsOfTheOperatorAndOfATenantOnlySubtract() {
        with(settings("resources: {memory: 1GiB}\n", Map.of(ALICE.tenant(), "resources: {memory: 256MiB}\nprivileges: none\n"), "none"));
        var alices = create(ALICE, "resources: {memory: 512MiB}\nprivileges: sudo\n", null, null);
        assertThat(alices.limits().memoryBytes()).isEqualTo(256L << 20);
        assertThat(alices.privileges()).isEqualTo("none");
        var bobs = create(BOB, "resources: {memory: 512MiB}\n", null, null);
        assertThat(bobs.limits().memoryBytes()).isEqualTo(512L << 20);
        assertThat(bobs.privileges()).isEqualTo("sudo");
        assertThat(rig.engine().policies().of(ALICE, alices.id()).lines()).extracting("rule").contains("floor.resources", "tenant.privileges", "request.resources");
    }

    @Test
    void theServersOwnPolicyHoldsWhereARequestSaysNothing() {
        with(settings(NamedPolicies.SHIPPED_FLOOR, Map.of(), "privileges: none\n"));
        assertThat(create(ALICE, null, null, null).privileges()).isEqualTo("none");
        assertThat(create(ALICE, "none", null, null).privileges()).isEqualTo("sudo");
    }

    @Test
    void thePolicyInForceIsStoredWithItsTextAndDigestAndSurvivesARestart() {
        String text = "privileges: none # as agreed\n";
        var box = create(ALICE, text, null, null);
        var told = rig.engine().policies().of(ALICE, box.id());
        assertThat(told.sources().documents().getLast().text()).isEqualTo(text);
        assertThat(told.epoch()).isEqualTo(1);
        assertThat(records(box)).singleElement().satisfies(r -> {
            assertThat(r.action()).isEqualTo("set");
            assertThat(r.fields()).containsEntry("policyDigest", told.digest()).containsEntry("epoch", 1L);
            assertThat(r.fields().get("documents").toString()).contains("# as agreed");
        });
        rig.reopen();
        assertThat(rig.engine().policies().of(ALICE, box.id())).isEqualTo(told);
    }

    @Test
    void anotherFloorOverARestartIsOnRecordOnceAndWithItsText() {
        var box = create(ALICE, "reopen: creator\n", null, null);
        var idle = create(ALICE, null, null, null);
        rig.config = policies(rig.config, settings("privileges: none # since today\n", Map.of(), "none"));
        rig.reopen();
        rig.reopen();
        assertThat(records(box)).extracting(AuditRecord::action).containsExactly("set", "floors-changed");
        var told = rig.engine().policies().of(ALICE, box.id());
        assertThat(told.epoch()).isEqualTo(2);
        assertThat(records(box).getLast()).satisfies(r -> {
            assertThat(r.actor()).isEqualTo("engine");
            assertThat(r.fields()).containsEntry("policyDigest", told.digest()).containsEntry("epoch", 2L);
            assertThat(r.fields().get("documents").toString()).contains("# since today");
        });
        assertThat(records(idle)).isEmpty();
    }

    @Test
    void aLiveSandboxGetsAnotherPolicyWithARecord() {
        var box = create(ALICE, null, null, null);
        assertThat(rig.engine().policies().of(ALICE, box.id()).epoch()).isZero();
        var told = rig.engine().policies().change(ALICE, box.id(), "reopen: creator\n");
        assertThat(told.epoch()).isEqualTo(1);
        assertThat(rig.sandboxes().get(ALICE, box.id()).policy()).isEqualTo(told.name()).startsWith("custom:");
        assertThat(rig.engine().policies().change(ALICE, box.id(), "none").epoch()).isEqualTo(2);
        assertThat(records(box)).extracting(AuditRecord::action).containsExactly("changed", "changed");
        refused(() -> rig.engine().policies().change(ALICE, box.id(), "internet"), Code.NOT_ENFORCEABLE, Map.of("feature", "egress"));
        refused(() -> rig.engine().policies().change(ALICE, box.id(), "privileges: none\n"), Code.POLICY_REFUSED, Map.of("field", "privileges"));
        refused(() -> rig.engine().policies().change(BOB, box.id(), "none"), Code.SANDBOX_NOT_FOUND, Map.of());
        assertThat(rig.engine().policies().of(ALICE, box.id()).epoch()).isEqualTo(2);
    }

    @Test
    void aForkHasThePolicyOfItsSource() {
        var box = create(ALICE, "resources: {lifetime: 10m}\n", null, null);
        var fork = rig.sandboxes().fork(ALICE, box.id(), new dev.redoma.model.wire.ForkSandbox(null, null, null), null);
        assertThat(fork.policy()).isEqualTo(box.policy());
        assertThat(rig.engine().policies().of(ALICE, fork.id()).digest()).isEqualTo(rig.engine().policies().of(ALICE, box.id()).digest());
        refused(() -> rig.sandboxes().fork(ALICE, box.id(), new dev.redoma.model.wire.ForkSandbox(null, null, LifeRig.times(3_600_000L, null)), null), Code.POLICY_REFUSED,
                Map.of("field", "limits.lifetimeMs"));
    }

    @Test
    void theDifferenceOfTwoPoliciesIsWhatBecomesReachable() {
        var difference = rig.engine().policies().difference(ALICE, "none", "egress: {web: [{hosts: [a.example.com], tls: opaque}]}");
        assertThat(difference.opens()).singleElement().satisfies(r -> {
            assertThat(r.hosts()).isEqualTo("a.example.com");
            assertThat(r.ports()).isEqualTo("443");
        });
        assertThat(difference.closes()).isEmpty();
        assertThat(rig.engine().policies().difference(ALICE, "internet", "none").closes()).isNotEmpty();
        assertThat(difference.setUpOpens()).isEmpty();
        String setUp = "setup: {run: [make], egress: {web: [{hosts: [b.example.com], tls: opaque}]}}";
        assertThat(rig.engine().policies().difference(ALICE, "none", setUp).opens()).isEmpty();
        assertThat(rig.engine().policies().difference(ALICE, "none", setUp).setUpOpens()).singleElement().satisfies(r -> assertThat(r.hosts()).isEqualTo("b.example.com"));
        assertThat(rig.engine().policies().difference(ALICE, setUp, "none").setUpCloses()).hasSize(1);
    }

    @Test
    void refusalsOfASandboxBecomeAProposal() {
        var box = create(ALICE, null, null, null);
        rig.store.write(tx -> {
            rig.ledger.append(tx, new Entry(box.tenant(), "gateway", box.id(), null, "egress", "connect.denied", Map.of("reason", "no-rule", "port", 443), Map.of("host", "a.example.com"), List.of()));
            rig.ledger.append(tx, new Entry(box.tenant(), "gateway", box.id(), null, "egress", "connect", Map.of("port", 443), Map.of("host", "allowed.example.com"), List.of()));
            return true;
        });
        assertThat(rig.engine().policies().learn(ALICE, box.id()).text()).contains("\"a.example.com\"").doesNotContain("allowed.example.com");
        refused(() -> rig.engine().policies().learn(BOB, box.id()), Code.SANDBOX_NOT_FOUND, Map.of());
    }

    private List<AuditRecord> records(Sandbox box) {
        return rig.ledger.read(box.tenant(), box.id(), "policy", 0, 100);
    }
}
