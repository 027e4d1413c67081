// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client;

import dev.redoma.model.wire.Exec;
import java.io.IOException;
import java.io.OutputStream;

/// Takes a command's output as it comes: bytes, undecoded, in the order in which the host received them. Called by the thread that follows.
public interface OutputSink {

    /// Valid only during the call.
    void stdout(byte[] bytes, int off, int len) throws IOException;

    void stderr(byte[] bytes, int off, int len) throws IOException;

    /// The exec has its id; told once.
    default void started(Exec exec) throws IOException {}

    /// Lets all output fall.
    OutputSink NONE = to(OutputStream.nullOutputStream(), OutputStream.nullOutputStream());

    /// Copies to two streams, flushed after each part.
    static OutputSink to(OutputStream stdout, OutputStream stderr) {
        return new OutputSink() {
            @Override
            public void stdout(byte[] bytes, int off, int len) throws IOException {
                stdout.write(bytes, off, len);
                stdout.flush();
            }

            @Override
            public void stderr(byte[] bytes, int off, int len) throws IOException {
                stderr.write(bytes, off, len);
                stderr.flush();
            }
        };
    }
}
