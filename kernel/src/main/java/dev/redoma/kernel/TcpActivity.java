// SPDX-License-Identifier: Apache-2.0
package dev.redoma.kernel;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Optional;

/// When a TCP connection last carried data, as the kernel knows it. What only keeps a connection alive is no data.
public final class TcpActivity {
    private static final int IPPROTO_TCP = 6;
    private static final int TCP_INFO = 11;
    private static final int SIZE = 104;
    /// `tcpi_last_data_sent` and `tcpi_last_data_recv` of `struct tcp_info`, in milliseconds.
    private static final int LAST_SENT = 44;
    private static final int LAST_RECEIVED = 52;

    private TcpActivity() {}

    /// How long neither side has sent the other data; since it was made, where none ever did. Empty: the channel is closed.
    public static Optional<Duration> quiet(SocketChannel channel) {
        try (var arena = Arena.ofConfined()) {
            var info = arena.allocate(SIZE, 8);
            var length = arena.allocateFrom(ValueLayout.JAVA_INT, SIZE);
            long r = Sys.retried(Nr.GETSOCKOPT, Peer.fd(channel), IPPROTO_TCP, TCP_INFO, info.address(), length.address(), 0);
            if (!channel.isOpen()) {
                return Optional.empty(); // closed meanwhile: the number may be another file's by now
            }
            Sys.check(r, "getsockopt", "TCP_INFO");
            long sent = Integer.toUnsignedLong(info.get(ValueLayout.JAVA_INT, LAST_SENT));
            long received = Integer.toUnsignedLong(info.get(ValueLayout.JAVA_INT, LAST_RECEIVED));
            return Optional.of(Duration.ofMillis(Math.min(sent, received)));
        }
    }
}
