// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redoma.model.Code;
import dev.redoma.model.RedomaException;
import java.net.InetAddress;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PolicyStackTest {
    private static final NamedPolicies NAMED = new NamedPolicies(List.of("registry.example.org"));
    private static final PolicyDocument FLOOR = PolicyFile.read("floor", "shipped", NamedPolicies.SHIPPED_FLOOR);
    private static final InetAddress PUBLIC = InetAddress.ofLiteral("93.184.216.34");

    @ParameterizedTest
    @CsvSource({"none,a.example.com,443,false", "none,registry.example.org,443,false", "packages,registry.example.org,443,true", "packages,a.example.com,443,false", "internet,a.example.com,443,true",
        "internet,a.example.com,80,true", "internet,a.example.com,22,false", "internet,registry.example.org,443,true"})
    void thePoliciesThatShipMeanWhatTheySay(String name, String host, int port, boolean allowed) {
        var d = decider(stack(NAMED.read("request", name)));
        assertThat(d.decideConnect(host, port, List.of(PUBLIC)).allowed()).isEqualTo(allowed);
        assertThat(d.decideName(host).allowed()).isEqualTo(allowed || port == 22);
    }

    @Test
    void theInternetHasNothingPrivate() {
        var d = decider(stack(NAMED.read("request", "internet")));
        for (String address : List.of("10.0.0.1", "127.0.0.1", "169.254.169.254", "fd00::1")) {
            assertThat(d.decideConnect("a.example.com", 443, List.of(InetAddress.ofLiteral(address))).allowed()).isFalse();
            assertThat(d.decideLiteral(InetAddress.ofLiteral(address), 443).allowed()).isFalse();
        }
        assertThat(d.decideLiteral(PUBLIC, 443).allowed()).isTrue();
    }

    @Test
    void withoutRegistriesThePolicyPackagesIsRefused() {
        assertThatThrownBy(() -> new NamedPolicies(List.of()).read("request", "packages")).isInstanceOfSatisfying(RedomaException.class, e -> assertThat(e.code()).isEqualTo(Code.NOT_ENFORCEABLE));
    }

    @Test
    void aNameThatNobodyKnowsIsToldWithThoseThatThereAre() {
        assertThatThrownBy(() -> NAMED.read("request", "intranet")).isInstanceOfSatisfying(RedomaException.class, e -> assertThat(e.problem().details()).containsEntry("allowed", NamedPolicies.NAMES));
    }

    @Test
    void thatPlainHttpIsNotSeenInClassInternalIsSaid() {
        var seen = new PolicyStack("p", List.of(PolicyFile.read("request", "p", "egress: {internal: [{host: db.internal, cidrs: [10.0.0.0/8], ports: [80, 443], methods: [GET]}]}")));
        assertThat(Explainer.explain(seen, 0).notes()).anyMatch(n -> n.contains("within TLS alone"));
        var bytes = new PolicyStack("p", List.of(PolicyFile.read("request", "p", "egress: {internal: [{host: db.internal, cidrs: [10.0.0.0/8], port: 5432}]}")));
        assertThat(Explainer.explain(bytes, 0).notes()).noneMatch(n -> n.contains("within TLS alone"));
    }

    @Test
    void whatAPolicySaysBesideItsReachIsToldLineByLineWithoutItsPlace() {
        var told = Explainer.besides(new PolicyStack("p", List.of(PolicyFile.read("request", "p", """
                privileges: sudo
                reopen: tenant
                resources: {pids: 32}
                preview: [{port: 3000, audience: public, ttl: 1h}]
                approve: [{raise: lifetime}]
                egress:
                  web:
                    - {hosts: [plain.example.com]}
                    - {hosts: [a.example.com], rate: 2/h, bytes: 10MiB}
                """))));
        assertThat(told).anySatisfy(l -> assertThat(l).isEqualTo("request.privileges at most sudo")).anySatisfy(l -> assertThat(l).isEqualTo("request.reopen at most tenant"))
                .anySatisfy(l -> assertThat(l).startsWith("request.resources ").contains("pids 32")).anySatisfy(l -> assertThat(l).startsWith("request.preview ").contains("3000", "public"))
                .anySatisfy(l -> assertThat(l).startsWith("request.web allows a.example.com").contains("at most 2/h")).hasSize(5);
    }

    /// Without ranges it would reach public addresses, of which such a floor allows none, and the other way round.
    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {"'cidrs: [10.0.0.0/8], '; ''; false", "''; 'cidrs: [10.0.0.0/8], '; false", "''; ''; true", "'cidrs: [10.0.0.0/8], '; 'cidrs: [10.1.0.0/16], '; true", "'cidrs: [10.0.0.0/8, 45.0.0.0/8], '; ''; true"})
    void anInternalHostHasEffectOnlyWhereItsRangesAreThoseOfTheFloor(String floor, String asked, boolean effect) {
        var outer = PolicyFile.read("floor", "f", "egress: {internal: [{host: '*.internal', " + floor + "port: 5432}]}");
        var stack = new PolicyStack("p", List.of(outer, PolicyFile.read("request", "p", "egress: {internal: [{host: db.internal, " + asked + "port: 5432}]}")));
        assertThat(Reaches.of(stack.effective(1)).isEmpty()).isEqualTo(!effect);
        if (effect) {
            stack.mustHaveEffect();
        } else {
            assertThatThrownBy(stack::mustHaveEffect).isInstanceOfSatisfying(RedomaException.class, e -> assertThat(e.problem().details()).containsEntry("rule", "request.internal[0]"));
        }
    }

    @Test
    void theShippedFloorHasNothingInternal() {
        var stack = stack(PolicyFile.read("request", "p", "\negress: {internal: [{host: db.internal, cidrs: [10.0.0.0/8], port: 5432}]}"));
        assertThatThrownBy(stack::mustHaveEffect).isInstanceOfSatisfying(RedomaException.class, e -> {
            assertThat(e.code()).isEqualTo(Code.POLICY_REFUSED);
            assertThat(e.problem().details()).containsEntry("rule", "request.internal[0]").containsEntry("layer", "floor").containsEntry("line", 2);
        });
    }

    @Test
    void whatTheGatewayDoesNotEnforceIsRefusedWithItsPlace() {
        var web = stack(PolicyFile.read("request", "p", "egress: {web: [{hosts: [a.example.com]}]}"));
        assertThatThrownBy(() -> web.mustBeEnforced(EnumSet.of(Feature.EGRESS))).isInstanceOfSatisfying(RedomaException.class, e -> {
            assertThat(e.code()).isEqualTo(Code.NOT_ENFORCEABLE);
            assertThat(e.problem().details()).containsEntry("feature", "interception").containsEntry("line", 1).containsEntry("column", 16);
        });
        assertThatThrownBy(() -> stack(NAMED.read("request", "internet")).mustBeEnforced(Set.of()))
                .isInstanceOfSatisfying(RedomaException.class, e -> assertThat(e.problem().details()).containsEntry("feature", "egress"));
        stack(NAMED.read("request", "internet")).mustBeEnforced(EnumSet.of(Feature.EGRESS));
        stack(NAMED.read("request", "none")).mustBeEnforced(Set.of());
    }

    @Test
    void whatWasStoredIsReadAgainAsItWas() {
        var stack = stack(NAMED.read("request", "internet"));
        var again = PolicyStack.of(stack.sources());
        assertThat(again).isEqualTo(stack);
        assertThat(again.digest()).isEqualTo(stack.digest()).startsWith("sha256:");
        assertThat(stack(NAMED.read("request", "none")).digest()).isNotEqualTo(stack.digest());
    }

    @Test
    void ofTermsTheStricterHold() {
        var one = PolicyFile.read("floor", "f", "isolation: {min: gvisor}\nprivileges: sudo\nreopen: creator\nresources: {memory: 1GiB}").terms();
        var two = PolicyFile.read("request", "r", "isolation: {min: container}\nprivileges: none\nreopen: tenant\nresources: {memory: 2GiB, pids: 7}").terms();
        var both = one.and(two);
        assertThat(both).isEqualTo(two.and(one));
        assertThat(both.isolation()).isEqualTo("gvisor");
        assertThat(both.privileges()).isEqualTo("none");
        assertThat(both.reopen()).isEqualTo("creator");
        assertThat(both.limits().memoryBytes()).isEqualTo(1L << 30);
        assertThat(both.limits().pids()).isEqualTo(7);
    }

    @Test
    void anExplanationTellsEachLineItsOriginAndWhatNobodySees() {
        var floor = PolicyFile.read("floor", "redoma.yaml", "egress: {web: [{hosts: ['*.example.com'], tls: opaque}]}");
        var told = Explainer.explain(new PolicyStack("custom", List.of(floor, PolicyFile.read("request", "p", """
                egress:
                  web:
                    - {hosts: ["*"], tls: opaque}
                    - {hosts: [a.example.com], tls: opaque}
                    - {hosts: [b.example.org], tls: opaque}
                """))), 3);
        assertThat(told.reach()).extracting("hosts").containsExactlyInAnyOrder("*.example.com", "a.example.com");
        assertThat(told.lines()).extracting("rule", "from", "effect").containsExactly(org.assertj.core.groups.Tuple.tuple("floor.web[0]", "floor (redoma.yaml, line 1)", "whole"),
                org.assertj.core.groups.Tuple.tuple("request.web[0]", "request (p, line 3)", "narrowed"), org.assertj.core.groups.Tuple.tuple("request.web[1]", "request (p, line 4)", "whole"),
                org.assertj.core.groups.Tuple.tuple("request.web[2]", "request (p, line 5)", "nothing"));
        assertThat(told.notes()).anyMatch(n -> n.contains("fronting") && n.contains("ECH"));
        assertThat(told.epoch()).isEqualTo(3);
    }

    @Test
    void aProposalNamesExactlyWhatWasRefusedAndNothingThatTheFloorWouldRefuse() {
        var policy = stack(NAMED.read("request", "none")).effective(1);
        var proposal = Learning.propose(List.of(new Learning.Refused("a.example.com", null, 0, "no-rule"), new Learning.Refused("a.example.com", null, 443, "no-rule"),
                new Learning.Refused("b.example.com", null, 8443, "no-rule"), new Learning.Refused(null, "10.0.0.1", 5432, "no-rule"), new Learning.Refused(null, "169.254.169.254", 80, "never-dialled"),
                new Learning.Refused("a b", null, 0, "bad-name"), new Learning.Refused(null, "93.184.216.34", 443, "no-rule")), policy);
        assertThat(proposal.left()).hasSize(3).anyMatch(l -> l.startsWith("10.0.0.1: ") && l.contains("internal")).anyMatch(l -> l.startsWith("169.254.169.254: ")).anyMatch(l -> l.startsWith("a b: "));
        var d = decider(stack(PolicyFile.read("request", "proposed", proposal.text())));
        assertThat(d.decideConnect("a.example.com", 443, List.of(PUBLIC)).allowed()).isTrue();
        assertThat(d.decideConnect("b.example.com", 8443, List.of(PUBLIC)).allowed()).isTrue();
        assertThat(d.decideLiteral(PUBLIC, 443).allowed()).isTrue();
        for (String other : List.of("b.a.example.com", "example.com", "c.example.com")) {
            assertThat(d.decideName(other).allowed()).isFalse();
        }
        assertThat(d.decideConnect("b.example.com", 443, List.of(PUBLIC)).allowed()).isFalse();
        assertThat(Learning.propose(List.of(new Learning.Refused("n.example.com", null, 0, "no-rule"), new Learning.Refused("m.example.com", null, 80, "host-mismatch")), policy)).satisfies(p -> {
            assertThat(p.text()).contains("n.example.com").doesNotContain("m.example.com");
            assertThat(p.left()).hasSize(2).anyMatch(l -> l.startsWith("n.example.com: only its name")).anyMatch(l -> l.startsWith("m.example.com: host-mismatch"));
        });
        var narrow = new PolicyStack("p", List.of(PolicyFile.read("floor", "f", "egress: {web: [{hosts: [a.example.com], tls: opaque}]}"), NAMED.read("request", "none"))).effective(1);
        assertThat(Learning.propose(List.of(new Learning.Refused("b.example.com", null, 443, "no-rule")), narrow)).satisfies(p -> {
            assertThat(p.text()).isEmpty();
            assertThat(p.left()).singleElement().asString().contains("the floor refuses it");
        });
    }

    @Test
    void aProposalOfRefusedRequestsNamesTheirMethodsAndPathsInTheirClass() {
        var internal = PolicyFile.read("floor", "f", "egress: {web: [{hosts: ['*']}], internal: [{host: db.example.com, cidrs: [10.9.0.0/24], port: 8443}, {cidr: 10.8.0.1/32, port: 443}]}");
        var asked = PolicyFile.read("request", "p", """
                egress:
                  web:
                    - {hosts: [a.example.com], methods: [GET], paths: [/ok]}
                  internal:
                    - {host: db.example.com, cidrs: [10.9.0.0/24], port: 8443, paths: [/ok]}
                    - {cidr: 10.8.0.1/32, port: 443, paths: [/ok]}
                """);
        var policy = new PolicyStack("p", List.of(internal, asked)).effective(1);
        var proposal = Learning.propose(List.of(new Learning.Refused("a.example.com", null, 0, "no-rule"), new Learning.Refused("a.example.com", null, 443, "path", "web", "request.web[0]", "GET", "/v2/1"),
                new Learning.Refused("a.example.com", null, 443, "method", "web", "request.web[0]", "POST", "/v2/2"), new Learning.Refused("a.example.com", null, 443, "path", "web", "request.web[0]", "GET", "/v2/*"),
                new Learning.Refused("a.example.com", null, 443, "ambiguous-path", "web", "request.web[0]", "GET", "/v2/../3"), new Learning.Refused("a.example.com", null, 443, "rate", "web", "request.web[0]", "GET", "/ok"),
                new Learning.Refused("db.example.com", null, 8443, "path", "internal", "request.internal[0]", "GET", "/rows"), new Learning.Refused("gone.example.com", null, 8443, "path", "internal", "request.internal[9]", "GET", "/"),
                new Learning.Refused(null, "10.8.0.1", 443, "path", "internal", "request.internal[1]", "PUT", "/rows"), new Learning.Refused("me.example.com", "10.7.0.1", 443, "never-dialled", "web", "request.web[0]", null, null)), policy);
        assertThat(proposal.text()).doesNotContain("opaque").doesNotContain("me.example.com").doesNotContain("gone.example.com");
        assertThat(proposal.left()).hasSize(5).anyMatch(l -> l.startsWith("a.example.com: a request that no rule could name exactly")).anyMatch(l -> l.startsWith("a.example.com: a path that can be read in two ways"))
                .anyMatch(l -> l.startsWith("a.example.com: rate; the rule that allows it grants no more (request.web[0])")).anyMatch(l -> l.startsWith("gone.example.com: only the class internal"))
                .anyMatch(l -> l.equals("me.example.com: its address 10.7.0.1 is one of this host's own; it is never dialled."));
        var d = new EgressDecider(new PolicyStack("proposed", List.of(internal, PolicyFile.read("request", "proposed", proposal.text()))).effective(1), a -> false);
        assertThat(d.decideRequest(EgressClass.WEB, "a.example.com", 443, "GET", "/v2/1").allowed()).isTrue();
        assertThat(d.decideRequest(EgressClass.WEB, "a.example.com", 443, "POST", "/v2/2").allowed()).isTrue();
        assertThat(d.decideRequest(EgressClass.WEB, "a.example.com", 443, "GET", "/v2/2").allowed()).as("nothing wider").isFalse();
        assertThat(d.decideRequest(EgressClass.WEB, "a.example.com", 443, "POST", "/v2/1").allowed()).isFalse();
        assertThat(d.decideConnect("db.example.com", 8443, List.of(java.net.InetAddress.ofLiteral("10.9.0.7"))).allowed()).isTrue();
        assertThat(d.decideRequest(EgressClass.INTERNAL, "db.example.com", 8443, "GET", "/rows").allowed()).isTrue();
        assertThat(d.decideRequest(EgressClass.INTERNAL, "db.example.com", 8443, "GET", "/ok").allowed()).isFalse();
        assertThat(d.decideRequest(EgressClass.WEB, "db.example.com", 443, "GET", "/").allowed()).as("it is of no other class").isFalse();
        assertThat(d.decideLiteral(java.net.InetAddress.ofLiteral("10.8.0.1"), 443).allowed()).isTrue();
    }

    private static PolicyStack stack(PolicyDocument request) {
        return new PolicyStack(request.source(), List.of(FLOOR, request));
    }

    private static EgressDecider decider(PolicyStack stack) {
        return new EgressDecider(stack.effective(1), a -> false);
    }
}
