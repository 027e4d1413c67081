// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger.redact;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.function.IntPredicate;

/// The forms in which a value is looked for. Line breaks are left out of all of them: the search passes over those of the text.
final class Renderings {
    private static final String UNRESERVED = "-._~";
    /// What encoders leave as it is beside it: all is encoded; paths (Python's `quote`); parts and whole URLs in JavaScript; parts of paths and whole paths in Go, and by RFC 3986.
    private static final List<String> KEPT = List.of("", "/", "!*'()", "!*'();:@&=+$,/?#", "$&+=:@", "$&+,/:;=@", "!$&'()*+,;=:@", "!$&'()*+,;=:@/");
    /// Lines of a value of several lines are looked for alone from this length on: shorter ones are no secret.
    private static final int LINE = 16;

    record Form(String name, byte[] bytes) {}

    private Renderings() {}

    static List<Form> of(byte[] secret) {
        var forms = new ArrayList<Form>();
        add(forms, "raw", secret);
        base64(forms, secret);
        add(forms, "hex", ascii(HexFormat.of().formatHex(secret)));
        add(forms, "hex", ascii(HexFormat.of().withUpperCase().formatHex(secret)));
        for (boolean upper : new boolean[] {true, false}) {
            for (var kept : KEPT) {
                add(forms, "percent", percent(secret, upper, kept, false));
            }
            add(forms, "percent", percent(secret, upper, "*", true));
        }
        for (var escaped : List.of("", "<>&", "/")) {
            add(forms, "json", json(secret, false, escaped));
            add(forms, "json", json(secret, true, escaped));
        }
        add(forms, "xml", xml(secret, true));
        add(forms, "xml", xml(secret, false));
        add(forms, "shell", ascii8(text8(secret).replace("'", "'\\''")));
        add(forms, "shell", ascii8(text8(secret).replace("'", "'\"'\"'"))); // Python's shlex, dash
        add(forms, "quoted", ascii8(text8(secret).replace("\\", "\\\\").replace("'", "\\'"))); // Python's repr, Perl, PHP, JavaScript
        add(forms, "json", json(json(secret, false, ""), false, ""));
        add(forms, "json", json(json(secret, true, ""), true, ""));
        add(forms, "xml", references(secret));
        add(forms, "shell", escaped(secret, c -> c < 128 && !word(c)));
        add(forms, "shell", escaped(secret, c -> "\"\\$`".indexOf(c) >= 0));
        lines(forms, secret);
        return forms;
    }

    /// At each of the three places at which it may begin in a longer text; only the characters that it decides alone.
    private static void base64(List<Form> forms, byte[] secret) {
        for (int before = 0; before < 3; before++) {
            byte[] shifted = new byte[before + secret.length];
            System.arraycopy(secret, 0, shifted, before, secret.length);
            int from = (before * 8 + 5) / 6;
            int to = shifted.length * 8 / 6;
            add(forms, "base64", Arrays.copyOfRange(Base64.getEncoder().encode(shifted), from, to));
            add(forms, "base64url", Arrays.copyOfRange(Base64.getUrlEncoder().encode(shifted), from, to));
        }
    }

    private static byte[] percent(byte[] secret, boolean upper, String safe, boolean form) {
        var out = new ByteArrayOutputStream();
        var hex = upper ? HexFormat.of().withUpperCase() : HexFormat.of();
        for (byte b : secret) {
            int c = b & 0xff;
            if (form && c == ' ') {
                out.write('+');
            } else if (letterOrDigit(c) || UNRESERVED.indexOf(c) >= 0 && !(form && c == '~') || safe.indexOf(c) >= 0) {
                out.write(c);
            } else {
                out.writeBytes(ascii("%" + hex.toHexDigits(b)));
            }
        }
        return out.toByteArray();
    }

    /// `also`: characters that some writers escape though they need not: Go's those of HTML, PHP's the slash.
    private static byte[] json(byte[] secret, boolean asciiAlone, String also) {
        var out = new StringBuilder();
        for (char c : new String(secret, StandardCharsets.UTF_8).toCharArray()) {
            switch (c) {
                case '"', '\\' -> out.append('\\').append(c);
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> {
                    if (c == '/' && also.equals("/")) {
                        out.append("\\/");
                    } else if (c < ' ' || c > '~' && asciiAlone || also.indexOf(c) >= 0) {
                        out.append(String.format("\\u%04x", (int) c));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        return out.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] xml(byte[] secret, boolean quotes) {
        var text = text8(secret).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
        return ascii8(quotes ? text.replace("\"", "&quot;").replace("'", "&#x27;") : text);
    }

    /// As writers of ASCII do it: what is beyond by its number.
    private static byte[] references(byte[] secret) {
        var out = new StringBuilder();
        new String(xml(secret, false), StandardCharsets.UTF_8).codePoints().forEach(c -> {
            if (c < 128) {
                out.appendCodePoint(c);
            } else {
                out.append("&#").append(c).append(';');
            }
        });
        return ascii(out.toString());
    }

    private static byte[] escaped(byte[] secret, IntPredicate special) {
        var out = new ByteArrayOutputStream();
        for (byte b : secret) {
            if (special.test(b & 0xff)) {
                out.write('\\');
            }
            out.write(b);
        }
        return out.toByteArray();
    }

    private static void lines(List<Form> forms, byte[] secret) {
        var lines = text8(secret).split("[\r\n]+");
        for (var line : lines) {
            if (lines.length > 1 && line.strip().length() >= LINE && !line.startsWith("-----")) {
                add(forms, "line", ascii8(line.strip()));
            }
        }
    }

    private static void add(List<Form> forms, String name, byte[] bytes) {
        var out = new ByteArrayOutputStream(bytes.length);
        for (byte b : bytes) {
            if (b != '\n' && b != '\r') {
                out.write(b);
            }
        }
        byte[] kept = out.toByteArray();
        if (kept.length >= Secret.LEAST && forms.stream().noneMatch(f -> Arrays.equals(f.bytes, kept))) {
            forms.add(new Form(name, kept));
        }
    }

    private static boolean word(int c) {
        return letterOrDigit(c) || "-._/=:@%+,".indexOf(c) >= 0;
    }

    private static boolean letterOrDigit(int c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9';
    }

    /// One character a byte, whatever the bytes are.
    private static String text8(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    private static byte[] ascii8(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
