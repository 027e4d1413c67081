// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.control;

import dev.redoma.model.Problem;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.GZIPInputStream;

/// Several tars as one: members go over as they are, headers of every kind with their content; nothing is unpacked and no name is looked at (who reads the
/// whole does). Not thread-safe.
final class JoinedTar {
    private static final int BLOCK = 512;
    private static final int SIZE_AT = 124;
    private static final int SIZE_LENGTH = 12;
    private static final int SUM_AT = 148;

    private final OutputStream out;

    JoinedTar(OutputStream out) {
        this.out = out;
    }

    /// A file of our own. The name has at most 100 bytes of ASCII.
    void file(String name, byte[] content) throws IOException {
        var header = new byte[BLOCK];
        put(header, 0, name);
        put(header, 100, "0000644\0000000000\0000000000\000");
        put(header, SIZE_AT, String.format("%011o ", content.length));
        put(header, 136, "00000000000 ");
        Arrays.fill(header, SUM_AT, SUM_AT + 8, (byte) ' ');
        header[156] = '0';
        put(header, 257, "ustar\00000");
        int sum = 0;
        for (byte b : header) {
            sum += b & 0xff;
        }
        put(header, SUM_AT, String.format("%06o\0 ", sum));
        out.write(header);
        out.write(content);
        out.write(new byte[padding(content.length)]);
    }

    private static void put(byte[] header, int at, String text) {
        var bytes = text.getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(bytes, 0, header, at, bytes.length);
    }

    /// All members of a tar, plain or gzip.
    void members(InputStream tar) throws IOException {
        var in = plain(new BufferedInputStream(tar, 1 << 16));
        for (var header = in.readNBytes(BLOCK); header.length == BLOCK && !zero(header); header = in.readNBytes(BLOCK)) {
            long size = size(header);
            out.write(header);
            copy(in, size + padding(size));
        }
    }

    private static InputStream plain(BufferedInputStream in) throws IOException {
        in.mark(2);
        boolean packed = in.read() == 0x1f && in.read() == 0x8b;
        in.reset();
        return packed ? new BufferedInputStream(new GZIPInputStream(in), 1 << 16) : in;
    }

    private void copy(InputStream in, long count) throws IOException {
        var buffer = new byte[1 << 16];
        long left = count;
        while (left > 0) {
            int n = in.read(buffer, 0, (int) Math.min(buffer.length, left));
            if (n < 0) {
                throw broken("ends in the middle of a member");
            }
            out.write(buffer, 0, n);
            left -= n;
        }
    }

    /// Octal, or (beyond 8 GiB) big-endian with the first bit set.
    private static long size(byte[] header) {
        if ((header[SIZE_AT] & 0x80) != 0) {
            long size = 0;
            for (int i = SIZE_AT + SIZE_LENGTH - 8; i < SIZE_AT + SIZE_LENGTH; i++) {
                size = size << 8 | header[i] & 0xff;
            }
            return positive(size);
        }
        var text = new String(header, SIZE_AT, SIZE_LENGTH, StandardCharsets.US_ASCII).replace('\0', ' ').strip();
        try {
            return text.isEmpty() ? 0 : positive(Long.parseLong(text, 8));
        } catch (NumberFormatException notOctal) {
            throw broken("has a member of no size");
        }
    }

    private static long positive(long size) {
        if (size < 0 || size > 1L << 50) {
            throw broken("has a member of no sensible size");
        }
        return size;
    }

    private static RuntimeException broken(String why) {
        return Problem.field("files", "what was uploaded " + why, "a tar, plain or gzip");
    }

    private static int padding(long size) {
        return (int) ((BLOCK - size % BLOCK) % BLOCK);
    }

    private static boolean zero(byte[] block) {
        for (byte b : block) {
            if (b != 0) {
                return false;
            }
        }
        return true;
    }

    void end() throws IOException {
        out.write(new byte[2 * BLOCK]);
        out.flush();
    }
}
