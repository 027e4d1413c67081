// SPDX-License-Identifier: Apache-2.0
package dev.redoma.kernel;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;

/// Where a connection was going before packet rules led it to us, as conntrack of its namespace noted it.
public final class OriginalDestination {
    private static final int SO_ORIGINAL_DST = 80;
    private static final int LEVEL_4 = 0;
    private static final int LEVEL_6 = 41;

    private OriginalDestination() {}

    /// The address is that of the channel itself, which such rules keep; the port is the one that was asked for. Throws ENOENT where nothing led it here.
    public static InetSocketAddress of(SocketChannel channel) {
        try (var arena = Arena.ofConfined()) {
            var local = (InetSocketAddress) channel.getLocalAddress();
            boolean four = local.getAddress() instanceof Inet4Address;
            var asked = arena.allocate(28, 4);
            var length = arena.allocateFrom(ValueLayout.JAVA_INT, four ? 16 : 28);
            long r = Sys.retried(Nr.GETSOCKOPT, Peer.fd(channel), four ? LEVEL_4 : LEVEL_6, SO_ORIGINAL_DST, asked.address(), length.address(), 0);
            Sys.check(r, "getsockopt", "SO_ORIGINAL_DST");
            int port = (asked.get(ValueLayout.JAVA_BYTE, 2) & 0xff) << 8 | asked.get(ValueLayout.JAVA_BYTE, 3) & 0xff;
            return new InetSocketAddress(local.getAddress(), port);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
