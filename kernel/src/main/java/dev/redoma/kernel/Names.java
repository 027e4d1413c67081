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

    /// For people and JSON: bytes that are no UTF-8 as `\xNN`.
    public static String printable(String name) {
        if (valid(name)) {
            return name;
        }
        var out = new StringBuilder();
        name.codePoints().forEach(p -> {
            if (escaped(p)) {
                out.append("\\x%02x".formatted(p & 0xFF));
            } else {
                out.appendCodePoint(p);
            }
        });
        return out.toString();
    }

    private static boolean escaped(int point) {
        return point >= 0xDC80 && point <= 0xDCFF;
    }
}
