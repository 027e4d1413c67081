// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import com.github.luben.zstd.ZstdInputStream;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.GZIPInputStream;

/// Takes off a gzip or zstd wrapping, told by its first bytes.
final class Unpacked {
    private static final int BUFFER = 1 << 17;
    /// 128 MiB: what zstd itself takes without being asked; more is a bomb for memory.
    private static final int ZSTD_WINDOW_LOG = 27;

    private Unpacked() {}

    static InputStream of(InputStream raw) throws IOException {
        var in = new Whole(raw);
        in.mark(4);
        var start = in.readNBytes(4);
        in.reset();
        if (start.length >= 2 && (start[0] & 0xff) == 0x1f && (start[1] & 0xff) == 0x8b) {
            return new BufferedInputStream(new GZIPInputStream(in, BUFFER), BUFFER);
        }
        if (start.length == 4 && start[0] == 0x28 && (start[1] & 0xff) == 0xb5 && start[2] == 0x2f && (start[3] & 0xff) == 0xfd) {
            return new BufferedInputStream(new ZstdInputStream(in).setLongMax(ZSTD_WINDOW_LOG), BUFFER);
        }
        return in;
    }

    /// Says that there is more until there is not: by a stream that only has nothing yet, the JDK's gzip takes the first of several
    /// members for the last.
    private static final class Whole extends BufferedInputStream {
        Whole(InputStream in) {
            super(in, BUFFER);
        }

        @Override
        public synchronized int available() throws IOException {
            if (pos >= count) {
                mark(1);
                int next = read();
                reset();
                return next < 0 ? 0 : Math.max(1, count - pos);
            }
            return count - pos;
        }
    }
}
