// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client.http;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;

/// What a request carries.
public sealed interface Body {

    String type();

    /// Bytes that can be sent again if a kept-alive connection turns out to be dead.
    record Bytes(String type, byte[] bytes) implements Body {}

    /// A file of known length.
    record FileBody(String type, Path file, Progress progress) implements Body {}

    /// Written as it comes, chunked; `flush` sends at once.
    record Stream(String type, Source source) implements Body {}

    /// Writes the body.
    interface Source {
        void writeTo(OutputStream out) throws IOException;
    }

    /// Told after each part how much was moved of how much (-1: not known).
    interface Progress {
        Progress NONE = (done, total) -> {};

        void at(long done, long total);
    }
}
