// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client.json;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Reads one JSON text (RFC 8259) into Map, List, String, Long, Double, Boolean and null. Not thread-safe.
final class JsonParser {
    private static final int MAX_DEPTH = 64;

    private final String text;
    private int at;
    private int depth;

    JsonParser(String text) {
        this.text = text;
    }

    @Nullable Object document() {
        var value = value();
        space();
        if (at < text.length()) {
            throw wrong("nothing more");
        }
        return value;
    }

    private @Nullable Object value() {
        space();
        return switch (peek()) {
            case '{' -> object();
            case '[' -> array();
            case '"' -> string();
            case 't' -> word("true", true);
            case 'f' -> word("false", false);
            case 'n' -> word("null", null);
            default -> number();
        };
    }

    private Map<String, @Nullable Object> object() {
        enter();
        var map = new LinkedHashMap<String, @Nullable Object>();
        if (!emptyAfterOpening('}')) {
            do {
                space();
                var name = string();
                space();
                take(':');
                if (map.containsKey(name)) {
                    throw wrong("each name once, not '" + name + "' again");
                }
                map.put(name, value());
            } while (more('}'));
        }
        depth--;
        return map;
    }

    private List<@Nullable Object> array() {
        enter();
        var list = new ArrayList<@Nullable Object>();
        if (!emptyAfterOpening(']')) {
            do {
                list.add(value());
            } while (more(']'));
        }
        depth--;
        return list;
    }

    private void enter() {
        at++;
        if (++depth > MAX_DEPTH) {
            throw wrong("at most " + MAX_DEPTH + " levels");
        }
    }

    private boolean emptyAfterOpening(char close) {
        space();
        if (peek() != close) {
            return false;
        }
        at++;
        return true;
    }

    private boolean more(char close) {
        space();
        if (peek() == ',') {
            at++;
            return true;
        }
        take(close);
        return false;
    }

    private String string() {
        take('"');
        int end = plainEnd();
        if (end < text.length() && text.charAt(end) == '"') {
            var plain = text.substring(at, end);
            at = end + 1;
            return plain;
        }
        return escaped();
    }

    private int plainEnd() {
        int i = at;
        while (i < text.length() && text.charAt(i) != '"' && text.charAt(i) != '\\' && text.charAt(i) >= ' ') {
            i++;
        }
        return i;
    }

    private String escaped() {
        var out = new StringBuilder();
        while (true) {
            int end = plainEnd();
            out.append(text, at, end);
            at = end;
            if (peek() == '"') {
                at++;
                return out.toString();
            }
            take('\\');
            out.append(escape());
        }
    }

    private char escape() {
        char c = peek();
        at++;
        return switch (c) {
            case '"', '\\', '/' -> c;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> hex();
            default -> throw wrong("an escape");
        };
    }

    private char hex() {
        int value = 0;
        for (int i = 0; i < 4; i++) {
            int digit = Character.digit(peek(), 16);
            if (digit < 0) {
                throw wrong("four hex digits");
            }
            value = value << 4 | digit;
            at++;
        }
        return (char) value;
    }

    private Object number() {
        int from = at;
        boolean whole = true;
        while (at < text.length() && "+-0123456789.eE".indexOf(text.charAt(at)) >= 0) {
            whole &= "+.eE".indexOf(text.charAt(at)) < 0;
            at++;
        }
        var digits = text.substring(from, at);
        if (!digits.matches("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?")) {
            throw wrong("a value");
        }
        return whole && digits.length() < 19 ? (Object) Long.valueOf(digits) : wide(digits, whole);
    }

    private static Object wide(String digits, boolean whole) {
        if (whole) {
            try {
                return Long.valueOf(digits);
            } catch (NumberFormatException beyondLong) {
                return Double.valueOf(digits);
            }
        }
        return Double.valueOf(digits);
    }

    private @Nullable Object word(String word, @Nullable Object value) {
        if (!text.startsWith(word, at)) {
            throw wrong("a value");
        }
        at += word.length();
        return value;
    }

    private void space() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private char peek() {
        if (at >= text.length()) {
            throw wrong("more text");
        }
        return text.charAt(at);
    }

    private void take(char c) {
        if (peek() != c) {
            throw wrong("'" + c + "'");
        }
        at++;
    }

    private JsonException wrong(String expected) {
        return new JsonException("not JSON: expected " + expected + " at character " + at);
    }
}
