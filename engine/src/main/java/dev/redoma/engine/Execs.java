// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Caller;
import dev.redoma.model.wire.Exec;
import dev.redoma.model.wire.ExecSpec;
import dev.redoma.model.wire.Page;
import dev.redoma.model.wire.Tty;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Commands in a sandbox and their output.
public interface Execs {

    /// Returns when the process was started (its record durable before). Program not found or not executable are no errors: the
    /// exec ends with 127 or 126. A missing cwd is NO_SUCH_DIRECTORY, an unknown user NO_SUCH_USER.
    Exec start(Caller caller, String sandbox, ExecSpec spec);

    Exec get(Caller caller, String sandbox, String exec);

    Page<Exec> list(Caller caller, String sandbox, @Nullable String cursor, int limit);

    /// Those whose end was not seen yet, oldest first.
    List<Exec> running(Caller caller, String sandbox);

    /// Waits for the exit, at most that long; the present state either way.
    Exec await(Caller caller, String sandbox, String exec, Duration atMost);

    /// Output from a byte offset (counted over both streams in order of arrival). Ends when the exec's exit was seen and all up
    /// to it delivered, or, with `untilClosed`, when the last holder of its pipes is gone. Close it when done.
    Output output(Caller caller, String sandbox, String exec, long offset, boolean follow, boolean untilClosed);

    /// Copies the stream to the process; closes its stdin at the end if `close`.
    void stdin(Caller caller, String sandbox, String exec, InputStream data, boolean close) throws IOException;

    void resize(Caller caller, String sandbox, String exec, Tty size);

    /// To the process group; false if it has ended.
    boolean signal(Caller caller, String sandbox, String exec, int signal);

    /// Ends the whole tree, children left behind included; true if anything was alive.
    boolean kill(Caller caller, String sandbox, String exec);

    /// A reader of one exec's output. Not thread-safe, except `close`.
    interface Output extends AutoCloseable {

        /// The next chunk (at most 128 KiB); null at the end. Blocks; wakes at least every `keepAlive` with an empty chunk.
        @Nullable Chunk next(Duration keepAlive) throws InterruptedException;

        @Override
        void close();
    }

    /// `stream`: 1 stdout (and terminal), 2 stderr. `offset` is that of its first byte. Bytes past the cap are not delivered; the
    /// exec's `droppedBytes` tells.
    /// `bytes` are the reader's, until `next` is called again. In front of them may be room for a header, as `bytes.position()` says.
    record Chunk(int stream, long offset, ByteBuffer bytes) {

        public boolean isEmpty() {
            return !bytes.hasRemaining();
        }

        public byte[] copy() {
            var copy = new byte[bytes.remaining()];
            bytes.get(bytes.position(), copy);
            return copy;
        }
    }
}
