// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import com.github.luben.zstd.ZstdIOException;
import com.github.luben.zstd.ZstdInputStream;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/// Takes off a gzip or zstd wrapping, told by its first bytes.
final class Unpacked {
    private static final int BUFFER = 1 << 17;
    /// 128 MiB: what zstd itself takes without being asked; more is a bomb for memory.
    private static final int ZSTD_WINDOW_LOG = 27;

    /// A small archive may be as compressible as it likes; a large one that grows like this is made to fill disks.
    static final long HARMLESS = 256L << 20;
    static final long TIMES = 200;

    private Unpacked() {}

    static InputStream of(InputStream raw) throws IOException {
        var in = new Whole(raw);
        in.mark(4);
        var start = in.readNBytes(4);
        in.reset();
        if (start.length >= 2 && (start[0] & 0xff) == 0x1f && (start[1] & 0xff) == 0x8b) {
            return new Growing(new BufferedInputStream(gzip(in), BUFFER), in);
        }
        if (start.length == 4 && start[0] == 0x28 && (start[1] & 0xff) == 0xb5 && start[2] == 0x2f && (start[3] & 0xff) == 0xfd) {
            return new Growing(new BufferedInputStream(new ZstdInputStream(in).setLongMax(ZSTD_WINDOW_LOG), BUFFER), in);
        }
        return in;
    }

    private static InputStream gzip(InputStream in) throws IOException {
        try {
            return new GZIPInputStream(in, BUFFER);
        } catch (ZipException damaged) {
            throw Growing.flaw("its compression is damaged", damaged);
        }
    }

    /// Says that there is more until there is not: by a stream that only has nothing yet, the JDK's gzip takes the first of several
    /// members for the last.
    private static final class Whole extends BufferedInputStream {
        private long taken;

        Whole(InputStream in) {
            super(in, BUFFER);
        }

        @Override
        public synchronized int read(byte[] into, int at, int length) throws IOException {
            int n = super.read(into, at, length);
            taken += Math.max(0, n);
            return n;
        }

        @Override
        public synchronized int read() throws IOException {
            int one = super.read();
            taken += one < 0 ? 0 : 1;
            return one;
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

    /// Refuses what grows as only bombs do, and tells what is wrong with a compression as a flaw of the archive.
    private static final class Growing extends FilterInputStream {
        private final Whole packed;
        private long given;

        Growing(InputStream in, Whole packed) {
            super(in);
            this.packed = packed;
        }

        @Override
        public int read(byte[] into, int at, int length) throws IOException {
            return (int) grown(asFlaw(() -> (long) in.read(into, at, length)));
        }

        @Override
        public int read() throws IOException {
            int one = (int) asFlaw(() -> (long) in.read());
            grown(one < 0 ? 0 : 1);
            return one;
        }

        @Override
        public long skip(long wanted) throws IOException {
            return grown(asFlaw(() -> in.skip(wanted)));
        }

        private interface Step {
            long take() throws IOException;
        }

        private static long asFlaw(Step step) throws IOException {
            try {
                return step.take();
            } catch (ZipException | ZstdIOException damaged) {
                throw flaw(damaged.getMessage() == null ? "its compression is damaged" : "its compression is damaged: " + damaged.getMessage(), damaged);
            } catch (EOFException cut) {
                if (cut.getClass() != EOFException.class) {
                    throw cut; // whoever sends it has gone
                }
                throw flaw("it is cut", cut);
            }
        }

        private static TarFlaw flaw(String what, IOException cause) {
            var flaw = new TarFlaw(what);
            flaw.initCause(cause);
            return flaw;
        }

        private long grown(long n) throws TarFlaw {
            given += Math.max(0, n);
            if (given > HARMLESS && given / TIMES > packed.taken) {
                throw new TarFlaw("it grows more than " + TIMES + " times as it is unpacked");
            }
            return n;
        }

        @Override
        public boolean markSupported() {
            return false;
        }
    }
}
