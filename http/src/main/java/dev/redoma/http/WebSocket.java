// SPDX-License-Identifier: Apache-2.0
package dev.redoma.http;

import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// A WebSocket in blocking calls. `receive` is for one thread, `send` for one other, `close` for any.
public interface WebSocket {

    /// The next message; null when none came in that time. After [Closed] there is none.
    @Nullable Message receive(Duration atMost) throws InterruptedException;

    /// Blocks while the other end does not read.
    void send(byte[] bytes, int offset, int length) throws IOException;

    void send(String text) throws IOException;

    /// Idempotent; the first code and reason count. The reason is cut to 123 bytes.
    void close(int code, String reason);

    /// Something that arrived.
    sealed interface Message {}

    record Binary(byte[] bytes) implements Message {}

    record Text(String text) implements Message {}

    record Closed(int code, @Nullable String reason) implements Message {}

    /// What is done with a WebSocket once it is open. It is closed when this returns.
    @FunctionalInterface
    interface Talk {
        void run(WebSocket socket) throws Exception;
    }
}
