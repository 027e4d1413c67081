// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import dev.redoma.model.wire.PolicyProposal;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Makes of refusals the least policy that would not have refused them, for a human to read: exact hosts and ports, nothing wider, nothing by itself.
public final class Learning {
    private Learning() {}

    /// A refusal as it was recorded. `port` 0: only the name was asked for. `address`: what was dialled, where the program named it itself or a name led there.
    public record Refused(@Nullable String host, @Nullable String address, int port, @Nullable String reason) {}

    public static PolicyProposal propose(List<Refused> refusals, EffectivePolicy policy) {
        var hosts = new TreeMap<String, TreeSet<Integer>>();
        var left = new TreeSet<String>();
        for (Refused r : refusals) {
            String asked = r.host() != null ? r.host() : r.address();
            if (asked == null) {
                left.add("Refusals that were only counted: too many at once.");
                continue;
            }
            objection(r, policy).ifPresentOrElse(left::add, () -> {
                var ports = hosts.computeIfAbsent(plain(asked), h -> new TreeSet<>());
                if (r.port() > 0) {
                    ports.add(r.port());
                }
            });
        }
        hosts.forEach((host, ports) -> {
            if (ports.isEmpty()) {
                left.add(host + ": only its name was asked for, so its port is not known; 443 is proposed.");
            }
        });
        return new PolicyProposal(text(hosts), List.copyOf(left));
    }

    private static String plain(String asked) {
        return HostName.parse(asked).map(HostName::ascii).orElse(asked);
    }

    /// Why it is not proposed.
    private static Optional<String> objection(Refused r, EffectivePolicy policy) {
        String asked = r.host() != null ? r.host() : String.valueOf(r.address());
        String shown = Flaw.shown(asked);
        if (r.reason() != null && Arrays.stream(Reason.values()).noneMatch(known -> known != Reason.NO_ADDRESS && known.wire().equals(r.reason()))) {
            return Optional.of(shown + ": " + Flaw.shown(r.reason()) + "; no rule would change that.");
        }
        if (r.host() != null && HostName.parse(r.host()).isEmpty()) {
            return Optional.of(shown + ": it is no name of a host.");
        }
        var address = Optional.ofNullable(r.address()).flatMap(AddressBlock::address);
        if (r.host() == null && address.isEmpty()) {
            return Optional.of(shown + ": it is no address that could be named.");
        }
        var kind = address.flatMap(Addresses::kind);
        if (kind.isPresent()) {
            return Optional.of(shown + ": its address " + r.address() + " is " + kind.get() + (kind.get().internal() ? "; only the class internal reaches it, which a human has to write." : "; it is never dialled."));
        }
        if (Reason.NEVER_DIALLED.wire().equals(r.reason())) {
            return Optional.of(shown + ": its address is never dialled.");
        }
        var around = new EffectivePolicy("around", 0, policy.layers().isEmpty() ? List.of() : policy.layers().subList(0, policy.layers().size() - 1));
        return around.layers().isEmpty() || allows(around, r, address) ? Optional.empty() : Optional.of(shown + ": the floor refuses it.");
    }

    private static boolean allows(EffectivePolicy around, Refused r, Optional<java.net.InetAddress> address) {
        var d = new EgressDecider(around, a -> false);
        if (r.host() == null) {
            return d.decideLiteral(address.orElseThrow(), r.port() > 0 ? r.port() : 443).allowed();
        }
        if (r.port() == 0) {
            return d.decideName(r.host()).allowed();
        }
        return d.decideConnect(r.host(), r.port(), List.of(java.net.InetAddress.ofLiteral("1.1.1.1"))).allowed();
    }

    private static String text(Map<String, TreeSet<Integer>> hosts) {
        if (hosts.isEmpty()) {
            return "";
        }
        var byPorts = new TreeMap<String, TreeSet<String>>();
        hosts.forEach((host, ports) -> {
            var own = ports.isEmpty() ? new TreeSet<>(List.of(443)) : ports;
            byPorts.computeIfAbsent(own.toString(), p -> new TreeSet<>()).add(host);
        });
        var text = new StringBuilder("egress:\n  web:\n");
        byPorts.forEach((ports, some) -> {
            text.append("    - hosts: [");
            text.append(some.stream().map(h -> "\"" + h + "\"").collect(java.util.stream.Collectors.joining(", ")));
            text.append("]\n      ports: ").append(ports).append("\n      tls: opaque\n");
        });
        return text.toString();
    }
}
