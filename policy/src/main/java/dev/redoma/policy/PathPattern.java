// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.Locale;
import java.util.regex.Pattern;

/// Paths of requests: `*` stands for anything within one segment, `**` for any number of segments.
public record PathPattern(String text) {
    private static final String MARKS = "./\\%;?#";
    private static final Pattern PLAIN = Pattern.compile("/[A-Za-z0-9._~!$&'()*+,;=:@%/-]*");

    public PathPattern {
        if (!PLAIN.matcher(text).matches() || text.length() > 1024 || ambiguous(text.replace("**", "x").replace('*', 'x')) || text.matches(".*[^/]\\*\\*.*|.*\\*\\*[^/].*")) {
            throw new IllegalArgumentException("no pattern of paths");
        }
    }

    /// Whether readers may understand a path differently: dots or slashes that are escaped, `.` and `..`, empty segments, backslashes, controls, parameters, escapes that are no UTF-8.
    public static boolean ambiguous(String path) {
        if (!path.startsWith("/") || path.contains("//") || path.chars().anyMatch(c -> c <= ' ' || c >= 0x7f || c == '\\' || c == ';' || c == '#' || c == '?')) {
            return true;
        }
        String lower = path.toLowerCase(Locale.ROOT);
        if (lower.contains("%2e") || lower.contains("%2f") || lower.contains("%5c") || lower.contains("%00") || lower.contains("%25") || lower.contains("%3b")) {
            return true;
        }
        for (String segment : path.split("/", -1)) {
            if (segment.equals(".") || segment.equals("..")) {
                return true;
            }
        }
        return lower.matches(".*%(?![0-9a-f]{2}).*") || lower.indexOf('%') >= 0 && ambiguousWithin(path);
    }

    /// What escapes stand for: no text at all (overlong forms of dots and slashes among it), controls, or characters that some readers take for dots, slashes and the like.
    private static boolean ambiguousWithin(String path) {
        String text;
        try {
            text = StandardCharsets.UTF_8.newDecoder().decode(bytes(path)).toString();
        } catch (CharacterCodingException none) {
            return true;
        }
        String plain = Normalizer.normalize(text, Normalizer.Form.NFKC);
        return text.codePoints().anyMatch(c -> Character.isISOControl(c) || Character.getType(c) == Character.FORMAT) || MARKS.chars().anyMatch(mark -> count(plain, mark) != count(text, mark));
    }

    private static ByteBuffer bytes(String path) {
        var bytes = ByteBuffer.allocate(path.length());
        for (int i = 0; i < path.length(); i++) {
            boolean escape = path.charAt(i) == '%';
            bytes.put((byte) (escape ? Integer.parseInt(path.substring(i + 1, i + 3), 16) : path.charAt(i)));
            i += escape ? 2 : 0;
        }
        return bytes.flip();
    }

    private static long count(String text, int c) {
        return text.codePoints().filter(one -> one == c).count();
    }

    /// A path without its query, which is not ambiguous. Escapes of what needs none are read as what they stand for.
    public boolean matches(String path) {
        return segments(plain(text).split("/", -1), 1, plain(path).split("/", -1), 1);
    }

    private static String plain(String path) {
        var out = new StringBuilder(path.length());
        for (int i = 0; i < path.length(); i++) {
            char c = path.charAt(i);
            if (c != '%') {
                out.append(c);
                continue;
            }
            char stands = (char) Integer.parseInt(path.substring(i + 1, i + 3), 16);
            boolean unreserved = stands < 0x80 && (Character.isLetterOrDigit(stands) || stands == '-' || stands == '_' || stands == '~');
            out.append(unreserved ? String.valueOf(stands) : path.substring(i, i + 3).toUpperCase(Locale.ROOT));
            i += 2;
        }
        return out.toString();
    }

    private static boolean segments(String[] pattern, int p, String[] path, int at) {
        int star = -1;
        int taken = -1;
        while (at < path.length) {
            if (p < pattern.length && pattern[p].equals("**")) {
                star = p++;
                taken = at;
            } else if (p < pattern.length && within(pattern[p], path[at])) {
                p++;
                at++;
            } else if (star >= 0) {
                p = star + 1;
                at = ++taken;
            } else {
                return false;
            }
        }
        while (p < pattern.length && pattern[p].equals("**")) {
            p++;
        }
        return p == pattern.length;
    }

    private static boolean within(String pattern, String segment) {
        int p = 0;
        int s = 0;
        int star = -1;
        int taken = -1;
        while (s < segment.length()) {
            if (p < pattern.length() && pattern.charAt(p) == '*') {
                star = p++;
                taken = s;
            } else if (p < pattern.length() && pattern.charAt(p) == segment.charAt(s)) {
                p++;
                s++;
            } else if (star >= 0) {
                p = star + 1;
                s = ++taken;
            } else {
                return false;
            }
        }
        while (p < pattern.length() && pattern.charAt(p) == '*') {
            p++;
        }
        return p == pattern.length();
    }

    @Override
    public String toString() {
        return text;
    }
}
