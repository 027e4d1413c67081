// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/// Records of a pax header: `LENGTH KEY=VALUE\n`, values as bytes.
final class PaxRecords {
    private static final String XATTR = "SCHILY.xattr.";
    private static final Pattern TIME = Pattern.compile("(-?\\d{1,12})(\\.(\\d+))?");

    private PaxRecords() {}

    static Map<String, byte[]> parse(byte[] data) throws TarFlaw {
        var out = new LinkedHashMap<String, byte[]>();
        for (int at = 0; at < data.length; ) {
            int space = find(data, at, ' ');
            int length = (int) whole(Arrays.copyOfRange(data, at, space));
            if (length <= space - at + 1 || length > data.length - at || data[at + length - 1] != '\n') {
                throw new TarFlaw("a pax record of a wrong length");
            }
            int equals = find(data, space, '=');
            if (equals >= at + length) {
                throw new TarFlaw("a pax record without a value");
            }
            var key = new String(data, space + 1, equals - space - 1, StandardCharsets.UTF_8);
            out.put(key, Arrays.copyOfRange(data, equals + 1, at + length - 1));
            at += length;
        }
        return out;
    }

    private static int find(byte[] data, int from, char wanted) throws TarFlaw {
        for (int i = from; i < data.length; i++) {
            if (data[i] == wanted) {
                return i;
            }
        }
        throw new TarFlaw("a pax record that does not end");
    }

    private static long whole(byte[] digits) throws TarFlaw {
        try {
            long value = Long.parseLong(new String(digits, StandardCharsets.US_ASCII));
            if (value < 0 || value > 1L << 60) {
                throw new TarFlaw("a pax number out of range");
            }
            return value;
        } catch (NumberFormatException e) {
            throw new TarFlaw("a pax number that is none");
        }
    }

    static long number(Map<String, byte[]> pax, String key, long otherwise) throws TarFlaw {
        var value = pax.get(key);
        return value == null ? otherwise : whole(value);
    }

    /// Seconds with an optional fraction, nothing fancier: an exponent would be a bomb.
    static Instant time(byte[] value) throws TarFlaw {
        var match = value.length > 40 ? null : TIME.matcher(new String(value, StandardCharsets.US_ASCII));
        if (match == null || !match.matches()) {
            throw new TarFlaw("a time that is none");
        }
        long seconds = Long.parseLong(match.group(1));
        var fraction = match.group(3);
        if (fraction == null) {
            return Instant.ofEpochSecond(seconds);
        }
        long nanos = Long.parseLong((fraction + "000000000").substring(0, 9));
        return Instant.ofEpochSecond(seconds, match.group(1).startsWith("-") ? -nanos : nanos);
    }

    static Map<String, byte[]> xattrs(Map<String, byte[]> pax) {
        var out = new LinkedHashMap<String, byte[]>();
        pax.forEach((key, value) -> {
            if (key.startsWith(XATTR)) {
                out.put(key.substring(XATTR.length()), value);
            }
        });
        return out;
    }
}
