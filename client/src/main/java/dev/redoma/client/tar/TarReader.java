// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client.tar;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Reads ustar, PAX and GNU long names from a source that may be hostile: lengths are bounded, sums checked. Not thread-safe.
final class TarReader {
    private static final int MOST_META = 1 << 20;

    private final InputStream in;
    private final byte[] block = new byte[512];
    private long left;
    private long padding;

    TarReader(InputStream in) {
        this.in = in;
    }

    /// The next member, or null at the end; what was not read of the one before is passed over.
    @Nullable TarEntry next() throws IOException {
        var pax = new HashMap<String, String>();
        while (true) {
            skip(left + padding);
            left = 0;
            padding = 0;
            if (!block() || empty()) {
                drain();
                return null;
            }
            var raw = header();
            switch (raw.kind()) {
                case 'x' -> records(meta(raw), pax);
                case 'g' -> meta(raw);
                case 'L' -> pax.put("path", cut(meta(raw)));
                case 'K' -> pax.put("linkpath", cut(meta(raw)));
                default -> {
                    return member(raw, pax);
                }
            }
        }
    }

    /// The data of the present member.
    int read(byte[] to, int off, int len) throws IOException {
        if (left == 0) {
            return -1;
        }
        int n = in.read(to, off, (int) Math.min(len, left));
        if (n < 0) {
            throw new EOFException("the archive ends in the middle of a file");
        }
        left -= n;
        return n;
    }

    private TarEntry member(TarEntry raw, Map<String, String> pax) throws IOException {
        long size = pax.containsKey("size") ? decimal(pax.get("size")).longValue() : raw.size();
        if (size < 0) {
            throw new IOException("a member of negative size");
        }
        boolean data = raw.kind() == '0' || raw.kind() == '7';
        left = data || raw.kind() > '7' ? size : 0;
        padding = -left & 511;
        var modified = pax.containsKey("mtime") ? instant(decimal(pax.get("mtime"))) : raw.modified();
        var name = pax.getOrDefault("path", raw.name());
        char kind = raw.kind() == '0' && name.endsWith("/") ? '5' : raw.kind() == '7' ? '0' : raw.kind();
        return new TarEntry(name, kind, raw.mode(), data ? size : 0, modified, pax.getOrDefault("linkpath", raw.link()));
    }

    private TarEntry header() throws IOException {
        int sum = 8 * ' ';
        for (int i = 0; i < 512; i++) {
            sum += i >= 148 && i < 156 ? 0 : block[i] & 0xff;
        }
        if (sum != number(148, 8)) {
            throw new IOException("not a tar archive, or a damaged one");
        }
        var prefix = text(257, 5).equals("ustar") && block[262] == 0 ? text(345, 155) : "";
        var name = prefix.isEmpty() ? text(0, 100) : prefix + "/" + text(0, 100);
        char kind = block[156] == 0 ? '0' : (char) (block[156] & 0xff);
        return new TarEntry(name, kind, (int) number(100, 8) & 07777, number(124, 12), instant(BigDecimal.valueOf(number(136, 12))), text(157, 100));
    }

    private byte[] meta(TarEntry header) throws IOException {
        if (header.size() < 0 || header.size() > MOST_META) {
            throw new IOException("an extended header of more than " + MOST_META + " bytes");
        }
        var bytes = in.readNBytes((int) header.size());
        if (bytes.length < header.size()) {
            throw new EOFException("the archive ends in the middle of a header");
        }
        skip(-header.size() & 511);
        return bytes;
    }

    private static String cut(byte[] bytes) {
        var text = new String(bytes, StandardCharsets.ISO_8859_1);
        int end = text.indexOf(0);
        return end < 0 ? text : text.substring(0, end);
    }

    private static void records(byte[] bytes, Map<String, String> to) throws IOException {
        var text = new String(bytes, StandardCharsets.ISO_8859_1);
        for (int at = 0; at < text.length(); ) {
            int space = text.indexOf(' ', at);
            long end = space < 0 ? -1 : at + decimal(text.substring(at, space)).longValue();
            int equals = text.indexOf('=', at);
            if (end <= space || end > text.length() || equals < space || equals >= end) {
                throw new IOException("a malformed extended header");
            }
            to.put(text.substring(space + 1, equals), text.substring(equals + 1, (int) end - 1));
            at = (int) end;
        }
    }

    private static BigDecimal decimal(@Nullable String text) throws IOException {
        if (text == null || !text.matches("-?[0-9]{1,18}(\\.[0-9]{0,30})?")) {
            throw new IOException("a malformed number in the archive");
        }
        return new BigDecimal(text);
    }

    private static Instant instant(BigDecimal seconds) {
        try {
            var whole = seconds.setScale(0, java.math.RoundingMode.FLOOR);
            return Instant.ofEpochSecond(whole.longValue(), seconds.subtract(whole).movePointRight(9).longValue());
        } catch (DateTimeException | ArithmeticException outOfTime) {
            return Instant.EPOCH;
        }
    }

    /// Octal, or base 256 when the first bit is set.
    private long number(int at, int room) throws IOException {
        if ((block[at] & 0x80) != 0) {
            long value = block[at] & 0x3f;
            for (int i = 1; i < room; i++) {
                if (value >>> 55 != 0) {
                    throw new IOException("a number in the archive is too large");
                }
                value = value << 8 | block[at + i] & 0xff;
            }
            return (block[at] & 0x40) != 0 ? -1 : value;
        }
        var digits = text(at, room).strip();
        try {
            return digits.isEmpty() ? 0 : Long.parseLong(digits, 8);
        } catch (NumberFormatException e) {
            throw new IOException("a malformed number in the archive", e);
        }
    }

    private String text(int at, int room) {
        int end = at;
        while (end < at + room && block[end] != 0) {
            end++;
        }
        return new String(block, at, end - at, StandardCharsets.ISO_8859_1);
    }

    private boolean block() throws IOException {
        int n = in.readNBytes(block, 0, 512);
        if (n > 0 && n < 512) {
            throw new EOFException("the archive ends in the middle of a header");
        }
        return n == 512;
    }

    private boolean empty() {
        for (byte b : block) {
            if (b != 0) {
                return false;
            }
        }
        return true;
    }

    /// Padding behind the end, so that the connection can be used again.
    private void drain() throws IOException {
        for (int i = 0; i < 64 && in.readNBytes(block, 0, 512) == 512; i++) {
            // Only zeros belong here; whatever it is, it is not looked at.
        }
    }

    private void skip(long bytes) throws IOException {
        try {
            in.skipNBytes(bytes);
        } catch (EOFException nameless) {
            throw new EOFException("the archive ends too early");
        }
    }
}
