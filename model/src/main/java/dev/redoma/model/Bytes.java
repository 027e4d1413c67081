// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model;

import java.util.Locale;
import java.util.regex.Pattern;

/// A size in bytes. Text form: a whole number with `B KiB MiB GiB TiB` (powers of 1024) or `KB MB GB TB` (powers of 1000).
public record Bytes(long value) implements Comparable<Bytes> {
    private static final Pattern FORM = Pattern.compile("(\\d{1,15})\\s*([KMGT]?)(i?)(B?)", Pattern.CASE_INSENSITIVE);

    public Bytes {
        if (value < 0) {
            throw Problem.field("size", "is negative", "0 or more bytes");
        }
    }

    public static Bytes mebi(long n) {
        return new Bytes(Math.multiplyExact(n, 1L << 20));
    }

    public static Bytes gibi(long n) {
        return new Bytes(Math.multiplyExact(n, 1L << 30));
    }

    public static Bytes parse(String field, String text) {
        var m = FORM.matcher(text.strip());
        if (!m.matches()) {
            throw Problem.field(field, "'" + text + "' is not a size", "a size such as 512MiB or 2GiB");
        }
        int power = "KMGT".indexOf(m.group(2).toUpperCase(Locale.ROOT)) + 1;
        long unit = m.group(2).isEmpty() ? 1 : (long) Math.pow(m.group(3).isEmpty() && !m.group(4).isEmpty() ? 1000 : 1024, power);
        try {
            return new Bytes(Math.multiplyExact(Long.parseLong(m.group(1)), unit));
        } catch (ArithmeticException tooBig) {
            throw Problem.field(field, "'" + text + "' is too large", "at most 8 EiB");
        }
    }

    @Override
    public int compareTo(Bytes other) {
        return Long.compare(value, other.value);
    }

    @Override
    public String toString() {
        return Amounts.size(value);
    }
}
