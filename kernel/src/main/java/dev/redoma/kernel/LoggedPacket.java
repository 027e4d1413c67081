// SPDX-License-Identifier: Apache-2.0
package dev.redoma.kernel;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Optional;

/// Where a packet was to go: a number of a protocol, the address, and the port where the protocol is TCP or UDP and it was seen (0: it was not).
public record LoggedPacket(int protocol, InetAddress to, int port) {
    public static final int TCP = 6;
    public static final int UDP = 17;
    private static final int FOUR_HEAD = 20;
    private static final int SIX_HEAD = 40;
    private static final int MOST_EXTENSIONS = 8;
    private static final int FRAGMENT = 44;

    /// Of its first bytes, which a program inside may have chosen. Empty: they are no packet of either family.
    static Optional<LoggedPacket> of(byte[] packet) {
        int version = packet.length == 0 ? 0 : packet[0] >> 4 & 15;
        try {
            return switch (version) {
                case 4 -> four(packet);
                case 6 -> six(packet);
                default -> Optional.empty();
            };
        } catch (UnknownHostException wrongLength) {
            throw new IllegalStateException(wrongLength);
        }
    }

    private static Optional<LoggedPacket> four(byte[] packet) throws UnknownHostException {
        if (packet.length < FOUR_HEAD) {
            return Optional.empty();
        }
        int head = 4 * (packet[0] & 15);
        boolean first = (number(packet, 6) & 0x1fff) == 0;
        int protocol = packet[9] & 0xff;
        var to = InetAddress.getByAddress(Arrays.copyOfRange(packet, 16, 20));
        return Optional.of(new LoggedPacket(protocol, to, first && head >= FOUR_HEAD ? port(packet, protocol, head) : 0));
    }

    private static Optional<LoggedPacket> six(byte[] packet) throws UnknownHostException {
        if (packet.length < SIX_HEAD) {
            return Optional.empty();
        }
        int protocol = packet[6] & 0xff;
        int at = SIX_HEAD;
        boolean first = true;
        for (int i = 0; i < MOST_EXTENSIONS && extension(protocol) && at + 8 <= packet.length; i++) {
            boolean fragment = protocol == FRAGMENT;
            first &= !fragment || (number(packet, at + 2) & 0xfff8) == 0;
            protocol = packet[at] & 0xff;
            at += fragment ? 8 : 8 * ((packet[at + 1] & 0xff) + 1);
        }
        // by its 16 bytes: an address that holds one of the other family stays what it is
        var to = java.net.Inet6Address.getByAddress(null, Arrays.copyOfRange(packet, 24, 40), -1);
        return Optional.of(new LoggedPacket(protocol, to, first ? port(packet, protocol, at) : 0));
    }

    /// Options for each hop or for the destination, a route, a fragment.
    private static boolean extension(int protocol) {
        return protocol == 0 || protocol == 43 || protocol == FRAGMENT || protocol == 60;
    }

    private static int port(byte[] packet, int protocol, int at) {
        return (protocol == TCP || protocol == UDP) && at + 4 <= packet.length ? number(packet, at + 2) : 0;
    }

    private static int number(byte[] packet, int at) {
        return (packet[at] & 0xff) << 8 | packet[at + 1] & 0xff;
    }
}
