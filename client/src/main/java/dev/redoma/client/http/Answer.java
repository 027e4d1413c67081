// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client.http;

import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/// An answer whose body is read from the connection as the caller asks for it. Close it: the connection goes back to its pool, or is closed when
/// the body was not read to its end.
public final class Answer implements AutoCloseable {
    private static final int SMALL = 64 * 1024 * 1024;

    private final Head head;
    private final AnswerBody body;
    private final Connection connection;
    private final Transport home;
    private final boolean reusable;
    private boolean closed;

    Answer(Head head, AnswerBody body, Connection connection, Transport home, boolean reusable) {
        this.head = head;
        this.body = body;
        this.connection = connection;
        this.home = home;
        this.reusable = reusable && !head.says("Connection", "close");
    }

    public int status() {
        return head.status();
    }

    public @Nullable String header(String name) {
        return head.get(name);
    }

    public InputStream body() {
        return body;
    }

    /// The whole body, at most 64 MiB.
    public byte[] bytes() throws IOException {
        var all = body.readNBytes(SMALL);
        if (all.length == SMALL) {
            throw new IOException("an answer of more than " + SMALL + " bytes where a small one was expected");
        }
        return all;
    }

    /// Ends a read in progress from another thread.
    public void abort() {
        connection.close();
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        if (reusable && body.clean()) {
            home.giveBack(connection);
        } else {
            home.drop(connection);
        }
    }
}
