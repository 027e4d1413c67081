// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Writes the canonical form of JSON (RFC 8785) of maps, lists, strings, numbers, booleans and null.
///
/// Whole numbers beyond ±(2^53 − 1), which the canonical form cannot hold, are written as strings of their digits; half
/// surrogates, which UTF-8 cannot hold, as U+FFFD.
final class Canonical {
    private static final long EXACT = (1L << 53) - 1;
    private static final int DEEPEST = 64;

    private final StringBuilder out = new StringBuilder(512);

    private Canonical() {}

    static String text(Map<String, ?> object) {
        var canonical = new Canonical();
        canonical.object(object, 0);
        return canonical.out.toString();
    }

    private void value(@Nullable Object value, int depth) {
        if (depth > DEEPEST) {
            throw new IllegalArgumentException("more than " + DEEPEST + " levels");
        }
        switch (value) {
            case null -> out.append("null");
            case String s -> string(s);
            case Boolean b -> out.append(b.booleanValue());
            case Integer i -> out.append(i.intValue());
            case Long l -> whole(l);
            case Double d -> out.append(EcmaNumber.text(d));
            case List<?> l -> array(l, depth);
            case Map<?, ?> m -> object(m, depth);
            default -> throw new IllegalArgumentException("a record cannot hold a " + value.getClass().getName());
        }
    }

    private void whole(long value) {
        if (value > EXACT || value < -EXACT) {
            out.append('"').append(value).append('"');
        } else {
            out.append(value);
        }
    }

    private void array(List<?> items, int depth) {
        out.append('[');
        for (Iterator<?> i = items.iterator(); i.hasNext(); ) {
            value(i.next(), depth + 1);
            if (i.hasNext()) {
                out.append(',');
            }
        }
        out.append(']');
    }

    /// Names by UTF-16 code units, which is the order of `String`.
    private void object(Map<?, ?> members, int depth) {
        var names = new String[members.size()];
        var values = new HashMap<String, @Nullable Object>();
        int n = 0;
        for (var member : members.entrySet()) {
            names[n] = wellFormed((String) member.getKey());
            values.put(names[n++], member.getValue());
        }
        if (values.size() != n) {
            throw new IllegalArgumentException("two names differ only in half surrogates");
        }
        Arrays.sort(names);
        out.append('{');
        for (int i = 0; i < n; i++) {
            if (i > 0) {
                out.append(',');
            }
            string(names[i]);
            out.append(':');
            value(values.get(names[i]), depth + 1);
        }
        out.append('}');
    }

    private void string(String text) {
        String whole = wellFormed(text);
        out.append('"');
        int copied = 0;
        for (int i = 0; i < whole.length(); i++) {
            char c = whole.charAt(i);
            if (c < 0x20 || c == '"' || c == '\\') {
                out.append(whole, copied, i);
                escape(c);
                copied = i + 1;
            }
        }
        out.append(whole, copied, whole.length()).append('"');
    }

    private static String wellFormed(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                return text.codePoints().collect(StringBuilder::new, Canonical::append, StringBuilder::append).toString();
            }
        }
        return text;
    }

    private static void append(StringBuilder to, int codePoint) {
        to.appendCodePoint(codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE ? 0xFFFD : codePoint);
    }

    private void escape(char c) {
        switch (c) {
            case '"' -> out.append("\\\"");
            case '\\' -> out.append("\\\\");
            case '\b' -> out.append("\\b");
            case '\t' -> out.append("\\t");
            case '\n' -> out.append("\\n");
            case '\f' -> out.append("\\f");
            case '\r' -> out.append("\\r");
            default -> out.append("\\u00").append(Character.forDigit(c >> 4, 16)).append(Character.forDigit(c & 15, 16));
        }
    }
}
