// SPDX-License-Identifier: Apache-2.0
package dev.redoma.kernel;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.channels.SocketChannel;

/// Whether the other end of a connection is still there, asked of the kernel without reading a byte. `ENDED`: it will send no more (a
/// close looks so until something is sent to it; both ends closed in good order look so, too); `RESET`: it refused what it was sent.
public enum Hangup {
    NONE,
    ENDED,
    RESET;

    private static final int SIOCOUTQ = 0x5411;
    private static final int POLLERR = 0x8;
    private static final int POLLHUP = 0x10;
    private static final int POLLRDHUP = 0x2000;

    /// Never waits. Of a channel that is closed here no more is known than that it has ended.
    public static Hangup of(SocketChannel channel) {
        if (!channel.isOpen()) {
            return ENDED;
        }
        int events = events(channel);
        // Looked at again: the number may have become another file's meanwhile.
        if (!channel.isOpen()) {
            return ENDED;
        }
        if ((events & POLLERR) != 0) {
            return RESET;
        }
        return (events & (POLLRDHUP | POLLHUP)) == 0 ? NONE : ENDED;
    }

    /// How many of the bytes sent the other end's kernel has not confirmed yet; 0 of a channel that is closed here.
    public static int unconfirmed(SocketChannel channel) {
        if (!channel.isOpen()) {
            return 0;
        }
        try (var arena = Arena.ofConfined()) {
            var bytes = arena.allocate(ValueLayout.JAVA_INT);
            long answer = Sys.retried(Nr.IOCTL, Peer.fd(channel), SIOCOUTQ, bytes.address());
            if (!channel.isOpen()) {
                return 0;
            }
            Sys.check(answer, "ioctl SIOCOUTQ", "");
            return bytes.get(ValueLayout.JAVA_INT, 0);
        }
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
