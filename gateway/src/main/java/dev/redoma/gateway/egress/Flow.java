// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import dev.redoma.kernel.Arrived;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/// One way of a connection, as its bytes come. It has a small buffer of its own; where much has come already a large one is borrowed, of which there are few, so that a fast stream
/// costs few system calls and one that rests costs little.
final class Flow {
    private static final int SMALL = 8 << 10;

    private final Spacious spacious;
    private final ByteBuffer small = ByteBuffer.allocate(SMALL);

    Flow(Spacious spacious) {
        this.spacious = spacious;
    }

    /// Takes all of a piece.
    interface Taker {
        void take(ByteBuffer piece) throws IOException;
    }

    /// Until the end of what comes.
    void carry(SocketChannel from, Taker to) throws IOException {
        while (true) {
            int n = from.read(small.clear());
            if (n < 0) {
                return;
            }
            to.take(small.flip());
            if (n == SMALL && Arrived.bytes(from) >= SMALL) {
                much(from, to);
            }
        }
    }

    /// Nobody waits for bytes with a large buffer in hand.
    private void much(SocketChannel from, Taker to) throws IOException {
        ByteBuffer large = spacious.take();
        if (large == null) {
            return;
        }
        try {
            do {
                if (from.read(large.clear()) < 0) {
                    return; // the next read tells that again
                }
                to.take(large.flip());
            } while (Arrived.bytes(from) >= SMALL);
        } finally {
            spacious.give(large);
        }
    }
}
