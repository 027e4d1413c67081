// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import dev.redoma.kernel.LoggedPacket;
import dev.redoma.policy.EgressDecider;
import java.util.Map;
import java.util.Optional;

/// What is said of a packet that packet rules refused, by the policy in force when it is read.
final class PacketVerdict {
    private static final String CONNECTION = "connect.denied";
    private static final Map<Integer, String> PROTOCOLS = Map.of(1, "icmp", 2, "igmp", LoggedPacket.UDP, "udp", 33, "dccp", 58, "icmpv6", 132, "sctp", 136, "udplite");

    private PacketVerdict() {}

    /// `listener`: the port of ours that programs are kept from, whatever the rules say.
    static Fact of(LoggedPacket packet, EgressDecider decider, SandboxNames names, int listener) {
        var number = Synthetic.number(packet.to());
        var host = number.isPresent() ? names.name(number.getAsInt()) : Optional.<String>empty();
        String address = packet.to().getHostAddress();
        if (packet.protocol() != LoggedPacket.TCP) {
            String protocol = PROTOCOLS.getOrDefault(packet.protocol(), String.valueOf(packet.protocol()));
            return new Fact(RefusedPackets.DENIED, host.orElse(null), host.isPresent() ? null : address, packet.port(), null, null, "protocol", Map.of("protocol", protocol));
        }
        if (host.isPresent()) {
            Fact fact = Fact.of(CONNECTION, host.get(), packet.port(), decider.decideConnect(host.get(), packet.port(), java.util.List.of()));
            return PortsOf.port(decider, host.get(), packet.port()) ? fact.because(otherwise(packet, listener)) : fact;
        }
        var decision = decider.decideLiteral(packet.to(), packet.port());
        Fact fact = Fact.of(CONNECTION, null, packet.port(), decision).at(address);
        return decision.allowed() ? fact.because(otherwise(packet, listener)) : fact;
    }

    /// Why it was refused, though the rules allow it now.
    private static String otherwise(LoggedPacket packet, int listener) {
        return packet.port() == listener ? "reserved-port" : "changed";
    }
}
