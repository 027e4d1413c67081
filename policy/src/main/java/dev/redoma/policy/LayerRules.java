// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What the rules of one class in one layer say. Of those that speak of it the most specific count; among equals one that denies wins.
record LayerRules(PolicyLayer layer, EgressClass egressClass) {

    sealed interface Verdict {
        default Verdict and(Function<List<Rule>, Verdict> next) {
            return this instanceof Yes yes ? next.apply(yes.rules()) : this;
        }
    }

    /// Never empty.
    record Yes(List<Rule> rules) implements Verdict {}

    record No(String rule, Reason reason, @Nullable String about) implements Verdict {}

    private record Match(Rule rule, int weight) {}

    Verdict named(HostName host, int port) {
        List<Match> speaking = rules().flatMap(r -> r.targets().stream()
                .filter(t -> t instanceof Target.Named n && n.hosts().matches(host))
                .map(t -> (Target.Named) t)
                .filter(t -> t.ports().has(port))
                .map(t -> new Match(r, t.hosts().weight()))).toList();
        if (!speaking.isEmpty()) {
            return top(speaking);
        }
        boolean otherPorts = rules().anyMatch(r -> !r.deny() && r.targets().stream().anyMatch(t -> t instanceof Target.Named n && n.hosts().matches(host)));
        return otherPorts ? new No(silent(), Reason.PORT, String.valueOf(port)) : new No(silent(), Reason.NO_RULE, null);
    }

    /// `kind`: empty for a public address, else one that class `internal` may name.
    Verdict literal(InetAddress address, Optional<AddressKind> kind, int port) {
        List<Match> numbered = numbered(address, port);
        if (!numbered.isEmpty()) {
            return top(numbered).and(rules -> kind.isEmpty() || egressClass == EgressClass.INTERNAL ? new Yes(rules) : foreign(rules.getFirst(), address));
        }
        if (egressClass != EgressClass.WEB) {
            return new No(silent(), Reason.NO_RULE, null);
        }
        List<Match> every = rules().flatMap(r -> r.targets().stream()
                .filter(t -> t instanceof Target.Named n && n.hosts() instanceof HostPattern.Any && n.ports().has(port))
                .map(t -> new Match(r, 0))).toList();
        if (every.isEmpty()) {
            boolean otherPorts = rules().anyMatch(r -> !r.deny() && r.targets().stream().anyMatch(t -> t instanceof Target.Named n && n.hosts() instanceof HostPattern.Any));
            return otherPorts ? new No(silent(), Reason.PORT, String.valueOf(port)) : new No(silent(), Reason.NO_RULE, null);
        }
        return top(every).and(rules -> kind.isEmpty() ? new Yes(rules) : foreign(rules.getFirst(), address));
    }

    /// The rule that denies an address to which a name leads.
    Optional<Rule> denies(InetAddress address, int port) {
        List<Match> numbered = numbered(address, port);
        return !numbered.isEmpty() && top(numbered) instanceof No no ? rules().filter(r -> r.id().equals(no.rule())).findFirst() : Optional.empty();
    }

    private static No foreign(Rule rule, InetAddress address) {
        return new No(rule.id(), Reason.PRIVATE_ADDRESS, address.getHostAddress());
    }

    private List<Match> numbered(InetAddress address, int port) {
        return rules().flatMap(r -> r.targets().stream()
                .filter(t -> t instanceof Target.Numbered n && n.block().contains(address) && n.ports().has(port))
                .map(t -> new Match(r, ((Target.Numbered) t).block().prefix()))).toList();
    }

    private Stream<Rule> rules() {
        return layer.rules().stream().filter(r -> r.egressClass() == egressClass);
    }

    private static Verdict top(List<Match> matches) {
        int most = matches.stream().mapToInt(Match::weight).max().orElseThrow();
        List<Rule> rules = matches.stream().filter(m -> m.weight() == most).map(Match::rule).distinct().toList();
        return rules.stream().filter(Rule::deny).findFirst().<Verdict>map(r -> new No(r.id(), Reason.DENIED, null)).orElseGet(() -> new Yes(rules));
    }

    private String silent() {
        return layer.layer() + ".default";
    }
}
