// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client.json;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Writes values as JSON; a null component of a record is left out, a null in a map or list is written. Not thread-safe.
final class JsonWriter {
    private final StringBuilder out = new StringBuilder();
    private final boolean pretty;
    private int depth;

    JsonWriter(boolean pretty) {
        this.pretty = pretty;
    }

    String write(@Nullable Object value) {
        any(value);
        return out.toString();
    }

    private void any(@Nullable Object value) {
        switch (value) {
            case null -> out.append("null");
            case String s -> quote(s);
            case Boolean b -> out.append(b.booleanValue());
            case Double d -> number(d);
            case Float f -> number(f.doubleValue());
            case Number n -> out.append(n);
            case Map<?, ?> map -> map(map);
            case Iterable<?> items -> items(items);
            case Record record -> map(Shape.of(record.getClass()).fields(record));
            case Enum<?> e -> quote(e.name().toLowerCase(java.util.Locale.ROOT).replace('_', '-'));
            default -> quote(value.toString());
        }
    }

    private void number(double d) {
        if (!Double.isFinite(d)) {
            throw new JsonException("not a JSON number: " + d);
        }
        out.append(d == Math.rint(d) && Math.abs(d) < 1e15 ? Long.toString((long) d) : Double.toString(d));
    }

    private void map(Map<?, ?> map) {
        open('{');
        boolean first = true;
        for (var entry : map.entrySet()) {
            next(first);
            first = false;
            quote(String.valueOf(entry.getKey()));
            out.append(pretty ? ": " : ":");
            any(entry.getValue());
        }
        close('}', first);
    }

    private void items(Iterable<?> items) {
        open('[');
        boolean first = true;
        for (var item : items) {
            next(first);
            first = false;
            any(item);
        }
        close(']', first);
    }

    private void open(char bracket) {
        out.append(bracket);
        depth++;
    }

    private void next(boolean first) {
        if (!first) {
            out.append(',');
        }
        line();
    }

    private void close(char bracket, boolean empty) {
        depth--;
        if (!empty) {
            line();
        }
        out.append(bracket);
    }

    private void line() {
        if (pretty) {
            out.append('\n').repeat("  ", depth);
        }
    }

    private void quote(String s) {
        out.append('"');
        for (int i = 0; i < s.length(); i++) {
            character(s.charAt(i));
        }
        out.append('"');
    }

    private void character(char c) {
        switch (c) {
            case '"' -> out.append("\\\"");
            case '\\' -> out.append("\\\\");
            case '\n' -> out.append("\\n");
            case '\r' -> out.append("\\r");
            case '\t' -> out.append("\\t");
            default -> {
                if (c < ' ' || c == 0x7f || Character.isSurrogate(c) && !pretty) {
                    out.append("\\u");
                    for (int shift = 12; shift >= 0; shift -= 4) {
                        out.append(Character.forDigit(c >> shift & 15, 16));
                    }
                } else {
                    out.append(c);
                }
            }
        }
    }
}
