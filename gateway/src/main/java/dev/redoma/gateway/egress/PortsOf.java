// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import dev.redoma.policy.EgressClass;
import dev.redoma.policy.EgressDecider;
import dev.redoma.policy.EgressDecision;
import dev.redoma.policy.Passage;
import dev.redoma.policy.Ports;
import dev.redoma.policy.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/// Which ports of a name a connection may be made to, before anything is known of its addresses.
final class PortsOf {
    private PortsOf() {}

    /// What rules say changes only where a range of ports begins or ends.
    static Ports name(EgressDecider decider, String host) {
        var edges = new TreeSet<Integer>();
        decider.policy().layers().stream().flatMap(l -> l.rules().stream()).flatMap(r -> r.targets().stream()).flatMap(t -> t.ports().ranges().stream()).forEach(r -> {
            edges.add(r.from());
            edges.add(r.to() + 1);
        });
        List<Integer> from = List.copyOf(edges);
        var open = new ArrayList<Ports.Range>();
        for (int i = 0; i + 1 < from.size(); i++) {
            if (port(decider, host, from.get(i))) {
                open.add(new Ports.Range(from.get(i), from.get(i + 1) - 1));
            }
        }
        return new Ports(open);
    }

    /// A method or path is refused only where the connection is not.
    static boolean port(EgressDecider decider, String host, int port) {
        for (EgressClass c : EgressClass.all()) {
            if (port(decider, c, host, port)) {
                return true;
            }
        }
        return false;
    }

    /// What the first class that allows it says of it, by its rules.
    static Optional<EgressDecision> by(EgressDecider decider, String host, int port) {
        for (EgressClass c : EgressClass.all()) {
            EgressDecision decision = decider.decideRequest(c, host, port, "GET", "/");
            if (connects(decision)) {
                return Optional.of(decision);
            }
        }
        return Optional.empty();
    }

    /// The class, among those whose traffic is HTTP, by whose rules it is allowed.
    static Optional<EgressClass> http(EgressDecider decider, String host, int port) {
        for (EgressClass c : EgressClass.all()) {
            if (c != EgressClass.INTERNAL && port(decider, c, host, port)) {
                return Optional.of(c);
            }
        }
        return Optional.empty();
    }

    /// Whether requests there are to be seen, by the rules of any class that allow it.
    static boolean seen(EgressDecider decider, String host, int port) {
        for (EgressClass c : EgressClass.all()) {
            if (decider.passage(c, host, port).orElse(null) == Passage.HTTP) {
                return true;
            }
        }
        return false;
    }

    /// Whether a name may be told in TLS to an address that a program named itself: it is allowed, and nobody has to see what it is asked.
    static boolean told(EgressDecider decider, String name, int port) {
        return port(decider, name, port) && !seen(decider, name, port);
    }

    private static boolean port(EgressDecider decider, EgressClass c, String host, int port) {
        return connects(decider.decideRequest(c, host, port, "GET", "/"));
    }

    private static boolean connects(EgressDecision decision) {
        return decision.allowed() || decision.reason() == Reason.METHOD || decision.reason() == Reason.PATH || decision.reason() == Reason.AMBIGUOUS_PATH;
    }
}
