// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import dev.redoma.kernel.GrantTable;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.OptionalInt;

/// The addresses that stand for names: the n-th name of a sandbox is the n-th address of either family.
final class Synthetic {
    static final InetAddress RESOLVER = InetAddress.ofLiteral("198.18.0.1");
    static final List<GrantTable.Block> BLOCKS =
            List.of(new GrantTable.Block(InetAddress.ofLiteral("198.18.0.0"), 15), new GrantTable.Block(InetAddress.ofLiteral("fd72:6564:6f6d:6100::"), 64));
    /// The addresses below stay free for what the gateway itself answers on.
    static final int FIRST = 256;
    static final int BEYOND = 1 << 17;

    private Synthetic() {}

    static InetAddress four(int n) {
        return address(BLOCKS.getFirst().first().getAddress(), n);
    }

    static InetAddress six(int n) {
        return address(BLOCKS.getLast().first().getAddress(), n);
    }

    private static InetAddress address(byte[] base, int n) {
        int last = base.length - 1;
        base[last - 2] |= (byte) (n >> 16);
        base[last - 1] = (byte) (n >> 8);
        base[last] = (byte) n;
        try {
            return InetAddress.getByAddress(base);
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    /// Which it is; empty: it stands for no name.
    static OptionalInt number(InetAddress address) {
        byte[] a = address.getAddress();
        int last = a.length - 1;
        int n = (a[last - 2] & (a.length == 4 ? 1 : 0xff)) << 16 | (a[last - 1] & 0xff) << 8 | a[last] & 0xff;
        boolean ours = n >= FIRST && n < BEYOND && (a.length == 4 ? four(n) : six(n)).equals(address);
        return ours ? OptionalInt.of(n) : OptionalInt.empty();
    }
}
