// SPDX-License-Identifier: Apache-2.0
package dev.redoma.kernel;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.channels.SocketChannel;

/// Whether the other end of a connection is still there, asked of the kernel without reading a byte. `ENDED`: it will send no more (a
/// close looks so until something is sent to it); `RESET`: it takes nothing either.
public enum Hangup {
    NONE,
    ENDED,
    RESET;

    private static final int POLLERR = 0x8;
    private static final int POLLHUP = 0x10;
    private static final int POLLRDHUP = 0x2000;

    /// Never waits. A channel that is closed here counts as reset.
    public static Hangup of(SocketChannel channel) {
        if (!channel.isOpen()) {
            return RESET;
        }
        int events = events(channel);
        // Looked at again: the number may have become another file's meanwhile.
        if ((events & (POLLERR | POLLHUP)) != 0 || !channel.isOpen()) {
            return RESET;
        }
        return (events & POLLRDHUP) == 0 ? NONE : ENDED;
    }

    private static int events(SocketChannel channel) {
        try (var arena = Arena.ofConfined()) {
            var poll = arena.allocate(8, 4);
            poll.set(ValueLayout.JAVA_INT, 0, Peer.fd(channel));
            poll.set(ValueLayout.JAVA_SHORT, 4, (short) POLLRDHUP);
            Sys.check(Sys.retried(Nr.POLL, poll.address(), 1, 0), "poll", "");
            return Short.toUnsignedInt(poll.get(ValueLayout.JAVA_SHORT, 6));
        }
    }
}
