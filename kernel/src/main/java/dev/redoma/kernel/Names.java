// SPDX-License-Identifier: Apache-2.0
package dev.redoma.kernel;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/// File names are bytes. As Java text a byte that is not UTF-8 becomes the lone surrogate U+DC80…U+DCFF (as in Python), so that
/// every name survives the way in and out.
public final class Names {
    /// Characters of `\xNN`.
    private static final int ESCAPE = 4;

    private Names() {}

    public static String decode(byte[] name) {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(name)).toString();
        } catch (CharacterCodingException notUtf8) {
            return decodeEscaping(name);
        }
    }

    private static String decodeEscaping(byte[] name) {
        var in = ByteBuffer.wrap(name);
        var out = CharBuffer.allocate(name.length + 1);
        var decoder = StandardCharsets.UTF_8.newDecoder();
        while (true) {
            var result = decoder.decode(in, out, true);
            if (!result.isError()) {
                return out.flip().toString();
            }
            for (int i = 0; i < result.length(); i++) {
                out.put((char) (0xDC00 | in.get() & 0xFF));
            }
            decoder.reset();
        }
    }

    public static byte[] encode(String name) {
        if (valid(name)) {
            return name.getBytes(StandardCharsets.UTF_8);
        }
        var out = new ByteArrayOutputStream();
        for (int i = 0; i < name.length(); ) {
            int point = name.codePointAt(i);
            if (escaped(point)) {
                out.write(point & 0xFF);
            } else {
                out.writeBytes(Character.toString(point).getBytes(StandardCharsets.UTF_8));
            }
            i += Character.charCount(point);
        }
        return out.toByteArray();
    }

    /// True if the name holds no byte that is not UTF-8.
    public static boolean valid(String name) {
        return name.codePoints().noneMatch(Names::escaped);
    }

    /// For people and JSON: bytes that are no UTF-8 as `\xNN`, and a backslash of its own that would read as one as `\x5c`.
    public static String printable(String name) {
        if (valid(name) && name.indexOf("\\x") < 0) {
            return name;
        }
        var out = new StringBuilder();
        for (int i = 0; i < name.length(); ) {
            int point = name.codePointAt(i);
            if (escaped(point) || point == '\\' && byteAt(name, i) >= 0) {
                out.append("\\x%02x".formatted(point & 0xFF));
            } else {
                out.appendCodePoint(point);
            }
            i += Character.charCount(point);
        }
        return out.toString();
    }

    /// The name that `printable` shows so.
    public static String parse(String printable) {
        if (printable.indexOf("\\x") < 0) {
            return printable;
        }
        var out = new StringBuilder();
        for (int i = 0; i < printable.length(); i++) {
            int octet = byteAt(printable, i);
            if (octet < 0) {
                out.append(printable.charAt(i));
            } else {
                out.append(octet == '\\' ? '\\' : (char) (0xDC00 | octet));
                i += ESCAPE - 1;
            }
        }
        return out.toString();
    }

    /// What stands at `at`, if it is `\x80` to `\xff` or `\x5c`; else -1.
    private static int byteAt(String text, int at) {
        if (!text.startsWith("\\x", at) || text.length() < at + ESCAPE) {
            return -1;
        }
        int high = "0123456789abcdef".indexOf(text.charAt(at + 2));
        int low = "0123456789abcdef".indexOf(text.charAt(at + 3));
        int octet = high < 0 || low < 0 ? -1 : high << 4 | low;
        return octet >= 0x80 || octet == '\\' ? octet : -1;
    }

    private static boolean escaped(int point) {
        return point >= 0xDC80 && point <= 0xDCFF;
    }
}
