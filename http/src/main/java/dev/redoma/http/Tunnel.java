// SPDX-License-Identifier: Apache-2.0
package dev.redoma.http;

import java.io.IOException;
import java.nio.ByteBuffer;

/// A connection that speaks no HTTP any longer, in blocking calls: `read` for one thread, `write` for one other, `close` for any.
public interface Tunnel {

    /// Bytes put into the buffer at its position; -1 when the other end sends no more.
    int read(ByteBuffer into) throws IOException;

    /// Takes all of them.
    void write(ByteBuffer bytes) throws IOException;

    /// No more will be written; reading goes on.
    void shutdownOutput();

    void close();

    /// What is done with it once it is there. It is closed when this returns.
    @FunctionalInterface
    interface Talk {
        void run(Tunnel tunnel) throws IOException;
    }
}
