// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client.tar;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/// The files of a tar, one after another; other members are passed over.
public final class Members {
    private Members() {}

    /// Takes a file: its name as it stands there, and its content, which need not be read to its end.
    public interface Taker {
        void file(byte[] name, InputStream content) throws IOException;
    }

    public static void files(InputStream tar, Taker taker) throws IOException {
        var reader = new TarReader(tar);
        for (var entry = reader.next(); entry != null; entry = reader.next()) {
            if (entry.kind() == '0') {
                taker.file(entry.name().getBytes(StandardCharsets.ISO_8859_1), new Data(reader));
            }
        }
    }

    private static final class Data extends InputStream {
        private final TarReader reader;

        Data(TarReader reader) {
            this.reader = reader;
        }

        @Override
        public int read() throws IOException {
            var one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] into, int off, int len) throws IOException {
            return len == 0 ? 0 : reader.read(into, off, len);
        }
    }
}
