// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.kernel.Names;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Instant;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/// Writes a zip as a stream: lengths and sums follow each member. Modes and links stand in the Unix attributes, times in full (to a tenth
/// of a microsecond) in extra fields. What zip has no form for (FIFOs) is left out. Names are bytes, marked as UTF-8 where they are.
final class ZipSink implements ArchiveSink {
    private static final int LOCAL = 0x0403_4b50;
    private static final int DESCRIPTOR = 0x0807_4b50;
    private static final int CENTRAL = 0x0201_4b50;
    private static final int END64 = 0x0606_4b50;
    private static final int LOCATOR64 = 0x0706_4b50;
    private static final int END = 0x0605_4b50;
    private static final int VERSION = 45;
    private static final int UTF8 = 1 << 11;
    private static final int FOLLOWS = 1 << 3;
    private static final long TICKS = 116_444_736_000_000_000L;

    private final OutputStream out;
    private final ByteArrayOutputStream directory = new ByteArrayOutputStream();
    private final Deflater deflater = new Deflater(Deflater.DEFAULT_COMPRESSION, true);
    private final byte[] buffer = new byte[1 << 16];
    private final byte[] packed = new byte[1 << 16];
    private long at;
    private long members;

    ZipSink(OutputStream out) {
        this.out = out;
    }

    @Override
    public void put(TarEntry e, Content content) throws IOException {
        int type = switch (e.kind()) {
            case FILE -> 0100000;
            case DIRECTORY -> 0040000;
            case SYMLINK -> 0120000;
            default -> 0;
        };
        if (type == 0) {
            return;
        }
        byte[] name = Names.encode(e.kind() == TarEntry.Kind.DIRECTORY && !e.name().endsWith("/") ? e.name() + "/" : e.name());
        // Readers of streams refuse a directory whose lengths follow.
        boolean follows = e.kind() != TarEntry.Kind.DIRECTORY;
        int flags = (follows ? FOLLOWS : 0) | (Names.valid(e.name()) ? UTF8 : 0);
        long header = at;
        begin(e, name, flags);
        Written written = switch (e.kind()) {
            case SYMLINK -> bytes(new Once(Names.encode(e.link())), -1);
            case FILE -> bytes(content, e.size());
            default -> new Written(0, 0, 0);
        };
        if (follows) {
            write(little(24).putInt(DESCRIPTOR).putInt(written.crc()).putLong(written.packed()).putLong(written.size()));
        }
        central(e, name, flags, type, written, header);
        members++;
    }

    private record Written(int crc, long packed, long size) {}

    private void begin(TarEntry e, byte[] name, int flags) throws IOException {
        byte[] times = times(e.modified());
        if ((flags & FOLLOWS) == 0) {
            write(little(30 + name.length + times.length).putInt(LOCAL).putShort((short) VERSION).putShort((short) flags).putShort(method(e)).putInt(dos(e.modified()))
                    .putInt(0).putInt(0).putInt(0).putShort((short) name.length).putShort((short) times.length).put(name).put(times));
            return;
        }
        // The empty 64-bit field says that the lengths that follow have 64 bits.
        write(little(30 + name.length + 20 + times.length).putInt(LOCAL).putShort((short) VERSION).putShort((short) flags).putShort(method(e)).putInt(dos(e.modified()))
                .putInt(0).putInt(-1).putInt(-1).putShort((short) name.length).putShort((short) (20 + times.length)).put(name)
                .putShort((short) 1).putShort((short) 16).putLong(0).putLong(0).put(times));
    }

    private static short method(TarEntry e) {
        return (short) (e.kind() == TarEntry.Kind.DIRECTORY ? 0 : 8);
    }

    private Written bytes(Content content, long expected) throws IOException {
        var crc = new CRC32();
        deflater.reset();
        long from = at;
        long size = 0;
        for (int n; (n = content.read(buffer)) > 0; size += n) {
            crc.update(buffer, 0, n);
            deflater.setInput(buffer, 0, n);
            while (!deflater.needsInput()) {
                flush(deflater.deflate(packed));
            }
        }
        if (expected >= 0 && size != expected) {
            throw new IOException("a file changed its length while it was read");
        }
        deflater.finish();
        while (!deflater.finished()) {
            flush(deflater.deflate(packed));
        }
        return new Written((int) crc.getValue(), at - from, size);
    }

    private void flush(int n) throws IOException {
        out.write(packed, 0, n);
        at += n;
    }

    private void central(TarEntry e, byte[] name, int flags, int type, Written w, long header) {
        byte[] times = times(e.modified());
        int attributes = (type | e.mode() & 07777) << 16 | (type == 0040000 ? 0x10 : 0);
        directory.writeBytes(little(46 + name.length + 28 + times.length).putInt(CENTRAL).putShort((short) (3 << 8 | VERSION)).putShort((short) VERSION)
                .putShort((short) flags).putShort(method(e)).putInt(dos(e.modified())).putInt(w.crc()).putInt(-1).putInt(-1).putShort((short) name.length)
                .putShort((short) (28 + times.length)).putShort((short) 0).putShort((short) 0).putShort((short) 0).putInt(attributes).putInt(-1).put(name)
                .putShort((short) 1).putShort((short) 24).putLong(w.size()).putLong(w.packed()).putLong(header).put(times).array());
    }

    /// Seconds as Unix tools read them (where they fit), and the finer field.
    private static byte[] times(Instant modified) {
        long seconds = modified.getEpochSecond();
        boolean fits = seconds == (int) seconds;
        var b = little((fits ? 9 : 0) + 36);
        if (fits) {
            b.putShort((short) 0x5455).putShort((short) 5).put((byte) 1).putInt((int) seconds);
        }
        long ticks = TICKS + seconds * 10_000_000L + modified.getNano() / 100;
        return b.putShort((short) 0x000a).putShort((short) 32).putInt(0).putShort((short) 1).putShort((short) 24).putLong(ticks).putLong(ticks).putLong(ticks).array();
    }

    /// Of 1980 to 2107 in UTC; the exact time stands beside it.
    private static int dos(Instant modified) {
        var t = modified.atOffset(java.time.ZoneOffset.UTC);
        if (t.getYear() < 1980 || t.getYear() > 2107) {
            return 1 << 21 | 1 << 16;
        }
        return (t.getYear() - 1980) << 25 | t.getMonthValue() << 21 | t.getDayOfMonth() << 16 | t.getHour() << 11 | t.getMinute() << 5 | t.getSecond() / 2;
    }

    @Override
    public void finish() throws IOException {
        long begun = at;
        out.write(directory.toByteArray());
        at += directory.size();
        write(little(56 + 20 + 22).putInt(END64).putLong(44).putShort((short) (3 << 8 | VERSION)).putShort((short) VERSION).putInt(0).putInt(0).putLong(members)
                .putLong(members).putLong(directory.size()).putLong(begun)
                .putInt(LOCATOR64).putInt(0).putLong(begun + directory.size()).putInt(1)
                .putInt(END).putShort((short) 0).putShort((short) 0).putShort((short) -1).putShort((short) -1).putInt(-1).putInt(-1).putShort((short) 0));
        deflater.end();
        out.flush();
    }

    private static ByteBuffer little(int size) {
        return ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
    }

    private void write(ByteBuffer bytes) throws IOException {
        out.write(bytes.array());
        at += bytes.capacity();
    }

    /// A few bytes, given once.
    private static final class Once implements Content {
        private byte[] rest;

        Once(byte[] bytes) {
            this.rest = bytes;
        }

        @Override
        public int read(byte[] into) {
            int n = rest.length;
            System.arraycopy(rest, 0, into, 0, n);
            rest = new byte[0];
            return n == 0 ? -1 : n;
        }
    }
}
