// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;

/// What is in force for a sandbox: documents, the outermost (the operator's floor) first. Something is allowed where *each* of them allows it, so that none can widen another.
/// `epoch` grows with each change.
public record EffectivePolicy(String name, long epoch, List<PolicyLayer> layers) {
    /// Nothing leaves.
    public static final EffectivePolicy NONE = new EffectivePolicy("none", 0, List.of());

    public EffectivePolicy {
        layers = List.copyOf(layers);
    }

    /// Nothing can leave under it.
    public boolean closed() {
        return layers.isEmpty() || Arrays.stream(EgressClass.values()).noneMatch(c -> layers.stream().allMatch(l -> l.of(c).stream().anyMatch(r -> !r.deny())));
    }

    /// Whether TLS may be intercepted under it.
    public boolean intercepts() {
        return !closed() && layers.stream().flatMap(l -> l.rules().stream()).anyMatch(r -> !r.deny() && r.handling() == Rule.Handling.INTERCEPT);
    }

    /// The ranges in which an address that a program names itself may be reachable: where routes are needed. Each such connection is still decided.
    public List<AddressBlock> literals() {
        if (closed()) {
            return List.of();
        }
        return layers.getLast().rules().stream().filter(r -> !r.deny()).flatMap(EffectivePolicy::literals).distinct().toList();
    }

    private static java.util.stream.Stream<AddressBlock> literals(Rule rule) {
        return rule.targets().stream().flatMap(t -> switch (t) {
            case Target.Numbered numbered -> java.util.stream.Stream.of(numbered.block());
            case Target.Named named when named.hosts() instanceof HostPattern.Any && rule.egressClass() == EgressClass.WEB ->
                java.util.stream.Stream.of("0.0.0.0", "::").map(a -> new AddressBlock(InetAddress.ofLiteral(a), 0));
            case Target.Named named -> java.util.stream.Stream.empty();
        });
    }

    public EffectivePolicy at(long other) {
        return new EffectivePolicy(name, other, layers);
    }
}
