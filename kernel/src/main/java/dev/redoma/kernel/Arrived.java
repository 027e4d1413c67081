// SPDX-License-Identifier: Apache-2.0
package dev.redoma.kernel;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.channels.SocketChannel;

/// How much has come on a connection and was not read yet.
public final class Arrived {
    private static final int FIONREAD = 0x541b;

    private Arrived() {}

    /// In bytes. Never waits; 0 at the end of what comes, and of a channel that is closed here.
    public static int bytes(SocketChannel channel) {
        if (!channel.isOpen()) {
            return 0;
        }
        try (var arena = Arena.ofConfined()) {
            var bytes = arena.allocate(ValueLayout.JAVA_INT);
            long answer = Sys.retried(Nr.IOCTL, Peer.fd(channel), FIONREAD, bytes.address());
            // Looked at again: the number may have become another file's meanwhile.
            if (!channel.isOpen()) {
                return 0;
            }
            Sys.check(answer, "ioctl FIONREAD", "");
            return bytes.get(ValueLayout.JAVA_INT, 0);
        }
    }
}
