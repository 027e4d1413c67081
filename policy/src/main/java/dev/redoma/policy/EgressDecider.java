// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import dev.redoma.policy.EgressDecision.Allow;
import dev.redoma.policy.EgressDecision.Deny;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;

/// Decides what may leave under one policy. Pure but for `own`, which tells the addresses of this host: those are never dialled. `space`: what is public where it stands. Thread-safe
/// where `own` is.
public final class EgressDecider {
    private final EffectivePolicy policy;
    private final Predicate<InetAddress> own;
    private final AddressSpace space;
    /// By class, the innermost layer first.
    private final List<List<LayerRules>> rules;

    public EgressDecider(EffectivePolicy policy, Predicate<InetAddress> own, AddressSpace space) {
        this.policy = policy;
        this.own = own;
        this.space = space;
        this.rules = EgressClass.all().stream().map(c -> policy.layers().reversed().stream().map(layer -> LayerRules.of(layer, c)).toList()).toList();
    }

    /// Where what is public is so on the Internet.
    public EgressDecider(EffectivePolicy policy, Predicate<InetAddress> own) {
        this(policy, own, AddressSpace.INTERNET);
    }

    public EffectivePolicy policy() {
        return policy;
    }

    /// Before anything is looked up: whether any connection to the name may be allowed at all.
    public EgressDecision decideName(String host) {
        return named(host, name -> decide(c -> anyPort(name, c)));
    }

    /// Before it is dialled. Every address that the name has must be one that may be dialled.
    public EgressDecision decideConnect(String host, int port, List<InetAddress> addresses) {
        return named(host, name -> decide(c -> layers(c, layer -> layer.named(name, port).and(rules -> addresses(layer, rules, port, addresses)), port)));
    }

    /// A connection to an address that the program named itself. Where it speaks TLS with a name, that name has to be decided as well.
    public EgressDecision decideLiteral(InetAddress address, int port) {
        Optional<AddressKind> kind = kind(address);
        if (kind.isPresent() && !kind.get().internal()) {
            return new Deny(null, "never", Reason.NEVER_DIALLED, address.getHostAddress());
        }
        return decide(c -> layers(c, layer -> literal(layer, address, kind, port), port));
    }

    /// A request where the gateway sees it. The same as `decideConnect(…)` and its `request(…)`, but for addresses.
    public EgressDecision decideRequest(EgressClass egressClass, String host, int port, String method, String path) {
        var connection = named(host, name -> layers(egressClass, layer -> layer.named(name, port), port).decision());
        return connection instanceof Allow allow ? allow.request(method, path) : connection;
    }

    /// How a class' rules would have a connection carried, whatever its addresses are; empty: they allow none.
    public Optional<Passage> passage(EgressClass egressClass, String host, int port) {
        return named(host, name -> layers(egressClass, layer -> layer.named(name, port), port).decision()) instanceof Allow allow ? Optional.of(allow.passage()) : Optional.empty();
    }

    EgressDecision connectIn(EgressClass c, HostName name, int port, List<InetAddress> addresses) {
        return layers(c, layer -> layer.named(name, port).and(rules -> addresses(layer, rules, port, addresses)), port).decision();
    }

    EgressDecision literalIn(EgressClass c, InetAddress address, int port) {
        Optional<AddressKind> kind = kind(address);
        if (kind.isPresent() && !kind.get().internal()) {
            return new Deny(c, "never", Reason.NEVER_DIALLED, address.getHostAddress());
        }
        return layers(c, layer -> literal(layer, address, kind, port), port).decision();
    }

    /// What a translated address stands for may be denied as well.
    private LayerRules.Verdict literal(LayerRules layer, InetAddress address, Optional<AddressKind> kind, int port) {
        return layer.literal(address, kind, port).and(rules -> space.translated(address).flatMap(four -> layer.denies(four, port))
                .<LayerRules.Verdict>map(r -> new LayerRules.No(r.id(), Reason.DENIED, address.getHostAddress())).orElseGet(() -> new LayerRules.Yes(rules)));
    }

    private static EgressDecision named(String host, Function<HostName, EgressDecision> decide) {
        return HostName.parse(host).map(decide).orElseGet(() -> new Deny(null, "never", Reason.BAD_NAME, null));
    }

    /// `passed`: how many layers allowed it. A refusal tells the more the more layers it passed.
    private record Asked(EgressDecision decision, int passed) {

        Asked or(Asked next) {
            return decision.allowed() || !next.decision.allowed() && tells() >= next.tells() ? this : next;
        }

        private int tells() {
            return passed * 100 + (decision.reason() == Reason.PORT ? 0 : decision.reason().ordinal());
        }
    }

    /// The first class whose rules allow it; else the refusal that tells most.
    private EgressDecision decide(Function<EgressClass, Asked> in) {
        Asked told = in.apply(EgressClass.all().getFirst());
        for (EgressClass c : EgressClass.all()) {
            if (!told.decision().allowed()) {
                told = told.or(in.apply(c));
            }
        }
        // What no layer allows in any of them is of none of them.
        return told.decision() instanceof Deny none && none.reason() == Reason.NO_RULE && told.passed() == 0 ? new Deny(null, none.rule(), none.reason(), none.about()) : told.decision();
    }

    /// Allowed where each layer allows it; the innermost that does not is told.
    private Asked layers(EgressClass c, Function<LayerRules, LayerRules.Verdict> verdict, int port) {
        if (policy.layers().isEmpty()) {
            return new Asked(new Deny(null, "none.default", Reason.NO_RULE, null), 0);
        }
        List<LayerRules> layers = rules.get(c.ordinal());
        var candidates = new ArrayList<List<Rule>>(layers.size());
        var passage = Passage.TCP;
        for (LayerRules layer : layers) {
            switch (verdict.apply(layer)) {
                case LayerRules.No no -> {
                    return new Asked(new Deny(c, no.rule(), no.reason(), no.about()), candidates.size());
                }
                case LayerRules.Yes yes -> {
                    candidates.addFirst(yes.rules());
                    for (Rule rule : yes.rules()) {
                        passage = passage.stricter(rule.passage(port));
                    }
                }
            }
        }
        return new Asked(new Allow(c, passage, candidates), candidates.size());
    }

    /// Rules change what they say only where a range of ports begins or ends.
    private Asked anyPort(HostName name, EgressClass c) {
        var ports = new TreeSet<Integer>();
        policy.layers().stream().flatMap(l -> l.of(c).stream()).flatMap(r -> r.targets().stream()).flatMap(t -> t.ports().ranges().stream()).forEach(r -> {
            ports.add(r.from());
            if (r.to() < 65_535) {
                ports.add(r.to() + 1);
            }
        });
        Asked told = layers(c, layer -> layer.named(name, 443), 443);
        for (int port : ports) {
            if (!told.decision().allowed()) {
                told = told.or(layers(c, layer -> layer.named(name, port), port));
            }
        }
        return told;
    }

    private LayerRules.Verdict addresses(LayerRules layer, List<Rule> rules, int port, List<InetAddress> addresses) {
        String first = rules.getFirst().id();
        if (addresses.isEmpty()) {
            return new LayerRules.No(first, Reason.NO_ADDRESS, null);
        }
        List<Rule> rest = rules;
        for (InetAddress address : addresses) {
            Optional<AddressKind> kind = kind(address);
            List<Rule> before = rest;
            rest = before.stream().filter(r -> r.objects(address, kind).isEmpty()).toList();
            if (rest.isEmpty()) {
                return new LayerRules.No(before.getFirst().id(), before.getFirst().objects(address, kind).orElseThrow(), address.getHostAddress());
            }
            Optional<Rule> denies = layer.denies(address, port).or(() -> space.translated(address).flatMap(four -> layer.denies(four, port)));
            if (denies.isPresent()) {
                return new LayerRules.No(denies.get().id(), Reason.DENIED, address.getHostAddress());
            }
        }
        return new LayerRules.Yes(rest);
    }

    private Optional<AddressKind> kind(InetAddress address) {
        boolean mine = own.test(address) || space.translated(address).filter(own).isPresent();
        return mine ? Optional.of(AddressKind.OWN) : space.kind(address);
    }
}
