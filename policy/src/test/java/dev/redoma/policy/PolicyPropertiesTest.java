// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redoma.model.wire.PolicyReach;
import dev.redoma.policy.EgressDecision.Allow;
import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

/// What holds of every policy, tried on many that are made at random from fixed seeds.
class PolicyPropertiesTest {

    @Test
    void aLayerAroundAPolicyOnlySubtracts() {
        for (int seed = 0; seed < 200; seed++) {
            var make = new RandomPolicies(seed);
            var inner = make.policy(1);
            var both = new EffectivePolicy("p", 1, List.of(make.document("floor").egress(), inner.layers().getFirst()));
            for (int i = 0; i < 200; i++) {
                subtracts(decider(both), decider(inner), make);
            }
        }
    }

    private static void subtracts(EgressDecider both, EgressDecider inner, RandomPolicies make) {
        String host = make.one(RandomPolicies.HOSTS);
        int port = make.one(RandomPolicies.PORTS);
        InetAddress address = make.one(RandomPolicies.ADDRESSES);
        String method = make.one(RandomPolicies.METHODS);
        if (both.decideName(host).allowed()) {
            assertThat(inner.decideName(host).allowed()).isTrue();
        }
        if (both.decideLiteral(address, port).allowed()) {
            assertThat(inner.decideLiteral(address, port).allowed()).isTrue();
        }
        if (both.decideConnect(host, port, List.of(address)) instanceof Allow allow) {
            var alone = inner.connectIn(allow.egressClass(), HostName.parse(host).orElseThrow(), port, List.of(address));
            assertThat(alone.allowed()).isTrue();
            assertThat(both.decideName(host).allowed()).as("what may be connected to may be looked up").isTrue();
            assertThat(allow.passage()).isLessThanOrEqualTo(((Allow) alone).passage());
            if (allow.request(method, "/").allowed()) {
                assertThat(((Allow) alone).request(method, "/").allowed()).isTrue();
            }
        }
    }

    @Test
    void theDifferenceIsWhatBecomesReachableAndNothingElse() {
        for (int seed = 0; seed < 40; seed++) {
            var make = new RandomPolicies(seed);
            var before = make.policy(1 + seed % 2);
            var after = make.policy(1 + seed % 3 / 2);
            var opened = Reaches.opened(before, after);
            for (EgressClass c : List.of(EgressClass.INTERNAL, EgressClass.WEB)) {
                var regions = new Regions(List.of(before, after), c);
                var parts = new Parts(regions.names(), regions.numbers());
                for (String host : RandomPolicies.HOSTS) {
                    for (int port : RandomPolicies.PORTS) {
                        for (InetAddress address : RandomPolicies.ADDRESSES) {
                            var name = HostName.parse(host).orElseThrow();
                            boolean opens = opens(decider(before).connectIn(c, name, port, List.of(address)), decider(after).connectIn(c, name, port, List.of(address)));
                            assertThat(told(opened, parts, c, name, port, address)).as("seed %d: %s %s:%d at %s", seed, c, host, port, address).isEqualTo(opens);
                        }
                    }
                }
            }
        }
    }

    private static boolean opens(EgressDecision before, EgressDecision after) {
        for (String method : List.of("GET", "POST", "OTHER")) {
            Ability can = Ability.of(after, method);
            Ability could = Ability.of(before, method);
            if (can != null && (could == null || !can.within(could))) {
                return true;
            }
        }
        return false;
    }

    private record Parts(List<Regions.Names> names, List<Regions.Numbers> numbers) {}

    /// The line that counts for a name is the most specific one that matches it, of all that any of both policies has.
    private static boolean told(List<PolicyReach> lines, Parts parts, EgressClass c, HostName host, int port, InetAddress address) {
        var region = parts.names().stream().map(Regions.Names::pattern).filter(p -> p.matches(host))
                .max(java.util.Comparator.comparingInt(HostPattern::weight)).orElseThrow();
        var block = parts.numbers().stream().filter(n -> n.block().contains(address))
                .filter(n -> n.internal() == Addresses.kind(address).isPresent()).max(java.util.Comparator.comparingInt(n -> n.block().prefix())).map(Object::toString).orElse("never");
        if (Addresses.kind(address).filter(k -> !k.internal()).isPresent()) {
            return false;
        }
        return lines.stream().anyMatch(l -> l.egressClass().equals(c.wire()) && l.hosts().equals(region.toString()) && (l.to().equals(block) || l.to().equals(block.replaceFirst("IPv[46] ", ""))) && ports(l.ports()).has(port));
    }

    private static Ports ports(String text) {
        if (text.equals("any")) {
            return Ports.ANY;
        }
        return new Ports(java.util.Arrays.stream(text.split(", ")).map(p -> p.split("-")).map(p -> new Ports.Range(Integer.parseInt(p[0]), Integer.parseInt(p[p.length - 1]))).toList());
    }

    @Test
    void nothingBecomesReachableWhereNothingChanged() {
        for (int seed = 0; seed < 100; seed++) {
            var policy = new RandomPolicies(seed).policy(2);
            assertThat(Reaches.opened(policy, policy)).isEmpty();
        }
    }

    @Test
    void whatAPolicyReachesIsWhatItOpensFromNothing() {
        var policy = new PolicyStack("p", List.of(PolicyFile.read("request", "p", "egress: {web: [{hosts: [a.example], tls: opaque}]}"))).effective(1);
        assertThat(Reaches.of(policy)).singleElement().satisfies(r -> {
            assertThat(r.hosts()).isEqualTo("a.example");
            assertThat(r.ports()).isEqualTo("443");
            assertThat(r.passage()).isEqualTo("tls");
            assertThat(r.rules()).containsExactly("request.web[0] from request (p, line 1)");
        });
    }

    /// Whatever rules say, HTTP without TLS to an address that a program names itself is refused.
    @Test
    void port80OfAddressesIsNotSaidToBeReached() {
        var policy = new PolicyStack("p", List.of(PolicyFile.read("request", "p", "egress: {web: [{hosts: ['*'], ports: [80, 443], tls: opaque}, {hosts: [45.0.0.7], ports: '79-81'}]}"))).effective(1);
        assertThat(Reaches.of(policy)).filteredOn(r -> r.hosts().equals("*")).anyMatch(r -> ports(r.ports()).has(80));
        assertThat(Reaches.of(policy)).filteredOn(r -> !r.hosts().equals("*")).noneMatch(r -> ports(r.ports()).has(80)).anyMatch(r -> ports(r.ports()).has(443));
        assertThat(Reaches.of(policy)).doesNotHaveDuplicates();
    }

    private static EgressDecider decider(EffectivePolicy policy) {
        return new EgressDecider(policy, a -> false);
    }
}
