// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// Lines of a file that is not trusted: one that never ends is an error instead of all memory. Not thread-safe.
final class Lines implements AutoCloseable {
    private static final int LONGEST = 64 << 20;

    private final InputStream in;
    private final byte[] buffer = new byte[1 << 16];
    private final ByteArrayOutputStream line = new ByteArrayOutputStream(1 << 12);
    private int at;
    private int end;

    Lines(Path file) throws IOException {
        in = Files.newInputStream(file);
    }

    /// Without its line feed; null at the end. A last line need not have one.
    @Nullable String next() throws IOException {
        line.reset();
        while (fill()) {
            int from = at;
            while (at < end && buffer[at] != '\n') {
                at++;
            }
            line.write(buffer, from, at - from);
            if (at < end) {
                at++;
                return line.toString(StandardCharsets.UTF_8);
            }
            if (line.size() > LONGEST) {
                throw new IOException("a line is longer than " + LONGEST + " bytes");
            }
        }
        return line.size() == 0 ? null : line.toString(StandardCharsets.UTF_8);
    }

    private boolean fill() throws IOException {
        if (at == end) {
            at = 0;
            end = Math.max(0, in.read(buffer));
        }
        return at < end;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
