// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client.tar;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;

/// Writes ustar, with a PAX header where a name, size or time needs one. Not thread-safe.
final class TarWriter {
    private static final long OCTAL_MOST = 077777777777L;

    private final OutputStream out;
    private final byte[] buffer = new byte[64 * 1024];

    TarWriter(OutputStream out) {
        this.out = out;
    }

    /// Header only: the data of a file follow by `data`.
    void entry(TarEntry e) throws IOException {
        var pax = pax(e);
        if (pax.length > 0) {
            out.write(block("././@PaxHeader", new TarEntry("", 'x', 0644, pax.length, Instant.EPOCH, "")));
            out.write(pax);
            pad(pax.length);
        }
        out.write(block(e.name(), e));
    }

    /// Exactly `size` bytes; fails if the source has fewer, leaves the rest if it has more.
    void data(InputStream from, long size, String name) throws IOException {
        for (long left = size; left > 0; ) {
            int n = from.read(buffer, 0, (int) Math.min(buffer.length, left));
            if (n < 0) {
                throw new IOException(name + " became shorter while it was read");
            }
            out.write(buffer, 0, n);
            left -= n;
        }
        pad(size);
    }

    void finish() throws IOException {
        out.write(new byte[1024]);
        out.flush();
    }

    private void pad(long size) throws IOException {
        out.write(new byte[(int) (-size & 511)]);
    }

    private static byte[] pax(TarEntry e) {
        var records = new ByteArrayOutputStream();
        if (needsPax(e.name())) {
            record(records, "path", e.name());
        }
        if (needsPax(e.link())) {
            record(records, "linkpath", e.link());
        }
        if (e.size() > OCTAL_MOST) {
            record(records, "size", Long.toString(e.size()));
        }
        if (e.modified().getNano() != 0 || e.modified().getEpochSecond() < 0 || e.modified().getEpochSecond() > OCTAL_MOST) {
            record(records, "mtime", decimal(e.modified()));
        }
        return records.toByteArray();
    }

    private static String decimal(Instant at) {
        var value = java.math.BigDecimal.valueOf(at.getEpochSecond()).add(java.math.BigDecimal.valueOf(at.getNano(), 9));
        return value.stripTrailingZeros().toPlainString();
    }

    private static boolean needsPax(String raw) {
        return raw.length() > 100 || raw.chars().anyMatch(c -> c >= 0x80);
    }

    /// `LENGTH KEY=VALUE\n`, where the length counts itself.
    private static void record(ByteArrayOutputStream to, String key, String raw) {
        int rest = key.length() + raw.length() + 3;
        int length = rest + 1;
        while (length != rest + Integer.toString(length).length()) {
            length = rest + Integer.toString(length).length();
        }
        to.writeBytes((length + " " + key + "=" + raw + "\n").getBytes(StandardCharsets.ISO_8859_1));
    }

    private static byte[] block(String name, TarEntry e) {
        var b = new byte[512];
        text(b, 0, 100, name);
        octal(b, 100, 8, e.mode());
        octal(b, 108, 8, 0);
        octal(b, 116, 8, 0);
        octal(b, 124, 12, e.size() > OCTAL_MOST ? 0 : e.size());
        octal(b, 136, 12, Math.clamp(e.modified().getEpochSecond(), 0, OCTAL_MOST));
        b[156] = (byte) e.kind();
        text(b, 157, 100, e.link());
        text(b, 257, 8, "ustar\00000");
        Arrays.fill(b, 148, 156, (byte) ' ');
        int sum = 0;
        for (byte octet : b) {
            sum += octet & 0xff;
        }
        octal(b, 148, 7, sum);
        return b;
    }

    private static void text(byte[] block, int at, int room, String raw) {
        var bytes = raw.getBytes(StandardCharsets.ISO_8859_1);
        System.arraycopy(bytes, 0, block, at, Math.min(room, bytes.length));
    }

    private static void octal(byte[] block, int at, int room, long value) {
        for (int i = room - 2; i >= 0; i--) {
            block[at + i] = (byte) ('0' + (value & 7));
            value >>>= 3;
        }
        block[at + room - 1] = 0;
    }
}
