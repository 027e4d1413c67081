// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// What the rules of one class in one layer say. Of those that speak of it the most specific count; among equals one that denies wins. `name`: the layer's.
record LayerRules(String name, EgressClass egressClass, List<Rule> rules) {

    static LayerRules of(PolicyLayer layer, EgressClass egressClass) {
        return new LayerRules(layer.layer(), egressClass, layer.of(egressClass));
    }

    sealed interface Verdict {
        default Verdict and(Function<List<Rule>, Verdict> next) {
            return this instanceof Yes yes ? next.apply(yes.rules()) : this;
        }
    }

    /// Never empty.
    record Yes(List<Rule> rules) implements Verdict {}

    record No(String rule, Reason reason, @Nullable String about) implements Verdict {}

    private record Match(Rule rule, int weight) {}

    /// Asked several times for each connection: without any work that does not decide.
    Verdict named(HostName host, int port) {
        var speaking = new ArrayList<Rule>(1);
        int most = -1;
        boolean otherPorts = false;
        for (Rule rule : rules) {
            for (Target target : rule.targets()) {
                if (target instanceof Target.Named named && named.hosts().matches(host)) {
                    int weight = named.hosts().weight();
                    if (!named.ports().has(port)) {
                        otherPorts |= !rule.deny();
                    } else if (weight > most) {
                        most = weight;
                        speaking.clear();
                        speaking.add(rule);
                    } else if (weight == most && speaking.getLast() != rule) {
                        speaking.add(rule);
                    }
                }
            }
        }
        if (most >= 0) {
            return first(speaking);
        }
        return otherPorts ? new No(silent(), Reason.PORT, String.valueOf(port)) : new No(silent(), Reason.NO_RULE, null);
    }

    private static Verdict first(List<Rule> equals) {
        for (Rule rule : equals) {
            if (rule.deny()) {
                return new No(rule.id(), Reason.DENIED, null);
            }
        }
        return new Yes(equals);
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
        List<Match> every = rules.stream().flatMap(r -> r.targets().stream()
                .filter(t -> t instanceof Target.Named n && n.hosts() instanceof HostPattern.Any && n.ports().has(port))
                .map(t -> new Match(r, 0))).toList();
        if (every.isEmpty()) {
            boolean otherPorts = rules.stream().anyMatch(r -> !r.deny() && r.targets().stream().anyMatch(t -> t instanceof Target.Named n && n.hosts() instanceof HostPattern.Any));
            return otherPorts ? new No(silent(), Reason.PORT, String.valueOf(port)) : new No(silent(), Reason.NO_RULE, null);
        }
        return top(every).and(rules -> kind.isEmpty() ? new Yes(rules) : foreign(rules.getFirst(), address));
    }

    /// The rule that denies an address to which a name leads.
    Optional<Rule> denies(InetAddress address, int port) {
        List<Match> numbered = numbered(address, port);
        return !numbered.isEmpty() && top(numbered) instanceof No no ? rules.stream().filter(r -> r.id().equals(no.rule())).findFirst() : Optional.empty();
    }

    private static No foreign(Rule rule, InetAddress address) {
        return new No(rule.id(), Reason.PRIVATE_ADDRESS, address.getHostAddress());
    }

    private List<Match> numbered(InetAddress address, int port) {
        return rules.stream().flatMap(r -> r.targets().stream()
                .filter(t -> t instanceof Target.Numbered n && n.block().contains(address) && n.ports().has(port))
                .map(t -> new Match(r, ((Target.Numbered) t).block().prefix()))).toList();
    }

    private static Verdict top(List<Match> matches) {
        int most = matches.stream().mapToInt(Match::weight).max().orElseThrow();
        List<Rule> rules = matches.stream().filter(m -> m.weight() == most).map(Match::rule).distinct().toList();
        return first(rules);
    }

    private String silent() {
        return name + ".default";
    }
}
