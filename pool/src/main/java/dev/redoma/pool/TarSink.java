// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.kernel.Names;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;

/// Writes ustar, with pax records where a name, size, time or attribute needs them; names are bytes.
final class TarSink implements ArchiveSink {
    private static final long MOST = 077777777777L;
    private static final long MOST_ID = 07777777L;
    private static final int BLOCK = 512;

    private final OutputStream out;
    private final byte[] buffer = new byte[1 << 16];

    TarSink(OutputStream out) {
        this.out = out;
    }

    @Override
    public void put(TarEntry e, Content content) throws IOException {
        byte[] name = Names.encode(e.kind() == TarEntry.Kind.DIRECTORY && !e.name().endsWith("/") ? e.name() + "/" : e.name());
        byte[] link = Names.encode(e.link());
        byte[] pax = records(e, name, link);
        if (pax.length > 0) {
            out.write(header('x', "././@PaxHeader".getBytes(StandardCharsets.US_ASCII), new byte[0], new Facts(0644, 0, 0, pax.length, Instant.EPOCH)));
            out.write(pax);
            pad(pax.length);
        }
        out.write(header(flag(e.kind()), name, link, new Facts(e.mode(), e.uid(), e.gid(), e.size(), e.modified())));
        long left = e.size();
        for (int n; left > 0; left -= n) {
            n = content.read(buffer);
            if (n <= 0 || n > left) {
                throw new IOException("a file changed its length while it was read");
            }
            out.write(buffer, 0, n);
        }
        pad(e.size());
    }

    private static char flag(TarEntry.Kind kind) {
        return switch (kind) {
            case HARDLINK -> '1';
            case SYMLINK -> '2';
            case DIRECTORY -> '5';
            case FIFO -> '6';
            default -> '0';
        };
    }

    private static byte[] records(TarEntry e, byte[] name, byte[] link) {
        var out = new ByteArrayOutputStream();
        if (beyond(name)) {
            record(out, "path", name);
        }
        if (beyond(link)) {
            record(out, "linkpath", link);
        }
        if (e.size() > MOST) {
            record(out, "size", ascii(Long.toString(e.size())));
        }
        if (e.uid() > MOST_ID) {
            record(out, "uid", ascii(Long.toString(e.uid())));
        }
        if (e.gid() > MOST_ID) {
            record(out, "gid", ascii(Long.toString(e.gid())));
        }
        long seconds = e.modified().getEpochSecond();
        if (e.modified().getNano() != 0 || seconds < 0 || seconds > MOST) {
            record(out, "mtime", ascii(BigDecimal.valueOf(seconds).add(BigDecimal.valueOf(e.modified().getNano(), 9)).stripTrailingZeros().toPlainString()));
        }
        e.xattrs().forEach((key, value) -> record(out, "SCHILY.xattr." + key, value));
        return out.toByteArray();
    }

    private static boolean beyond(byte[] raw) {
        for (byte b : raw) {
            if (b < 0) {
                return true;
            }
        }
        return raw.length > 100;
    }

    /// `LENGTH KEY=VALUE\n`, where the length counts itself.
    private static void record(ByteArrayOutputStream to, String key, byte[] value) {
        byte[] name = key.getBytes(StandardCharsets.UTF_8);
        int rest = name.length + value.length + 3;
        int length = rest + 1;
        while (length != rest + Integer.toString(length).length()) {
            length = rest + Integer.toString(length).length();
        }
        to.writeBytes(ascii(length + " "));
        to.writeBytes(name);
        to.write('=');
        to.writeBytes(value);
        to.write('\n');
    }

    private record Facts(int mode, long uid, long gid, long size, Instant modified) {}

    private static byte[] header(char flag, byte[] name, byte[] link, Facts f) {
        var b = new byte[BLOCK];
        System.arraycopy(name, 0, b, 0, Math.min(100, name.length));
        octal(b, 100, 8, f.mode() & 07777);
        octal(b, 108, 8, f.uid() > MOST_ID ? 0 : f.uid());
        octal(b, 116, 8, f.gid() > MOST_ID ? 0 : f.gid());
        octal(b, 124, 12, f.size() > MOST ? 0 : f.size());
        octal(b, 136, 12, Math.clamp(f.modified().getEpochSecond(), 0, MOST));
        b[156] = (byte) flag;
        System.arraycopy(link, 0, b, 157, Math.min(100, link.length));
        System.arraycopy(ascii("ustar\00000"), 0, b, 257, 8);
        java.util.Arrays.fill(b, 148, 156, (byte) ' ');
        int sum = 0;
        for (byte octet : b) {
            sum += octet & 0xff;
        }
        octal(b, 148, 7, sum);
        return b;
    }

    private static void octal(byte[] block, int at, int room, long value) {
        long rest = value;
        for (int i = room - 2; i >= 0; i--) {
            block[at + i] = (byte) ('0' + (rest & 7));
            rest >>>= 3;
        }
        block[at + room - 1] = 0;
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private void pad(long size) throws IOException {
        out.write(new byte[(int) (-size & BLOCK - 1)]);
    }

    @Override
    public void finish() throws IOException {
        out.write(new byte[2 * BLOCK]);
        out.flush();
    }
}
