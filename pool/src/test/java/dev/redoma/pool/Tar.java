// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;

/// Writes tar members as hostile as a test wants them.
final class Tar {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    Tar file(String name, String content) {
        return member('0', name, 0644, 0, "", content.getBytes(StandardCharsets.UTF_8));
    }

    Tar dir(String name) {
        return member('5', name, 0755, 0, "", new byte[0]);
    }

    Tar symlink(String name, String target) {
        return member('2', name, 0777, 0, target, new byte[0]);
    }

    Tar hardlink(String name, String target) {
        return member('1', name, 0644, 0, target, new byte[0]);
    }

    Tar member(char type, String name, int mode, long uid, String link, byte[] content) {
        header(type, name.getBytes(StandardCharsets.UTF_8), mode, uid, link, content.length);
        return padded(content);
    }

    Tar pax(Map<String, byte[]> records) {
        var body = new ByteArrayOutputStream();
        records.forEach((key, value) -> {
            int rest = key.length() + value.length + 3;
            int length = rest + 1;
            while (Integer.toString(length).length() + rest != length) {
                length++;
            }
            body.writeBytes((length + " " + key + "=").getBytes(StandardCharsets.UTF_8));
            body.writeBytes(value);
            body.write('\n');
        });
        return member('x', "pax", 0644, 0, "", body.toByteArray());
    }

    Tar header(char type, byte[] name, int mode, long uid, String link, long size) {
        var h = new byte[512];
        System.arraycopy(name, 0, h, 0, Math.min(100, name.length));
        put(h, 100, "%07o".formatted(mode));
        put(h, 108, "%07o".formatted(uid));
        put(h, 116, "%07o".formatted(0));
        put(h, 124, "%011o".formatted(size));
        put(h, 136, "%011o".formatted(1_000_000_000L));
        h[156] = (byte) type;
        put(h, 157, link);
        put(h, 257, "ustar\00000");
        Arrays.fill(h, 148, 156, (byte) ' ');
        int sum = 0;
        for (byte b : h) {
            sum += b & 0xff;
        }
        put(h, 148, "%06o\0 ".formatted(sum));
        out.writeBytes(h);
        return this;
    }

    private static void put(byte[] h, int at, String text) {
        var bytes = text.getBytes(StandardCharsets.UTF_8);
        System.arraycopy(bytes, 0, h, at, bytes.length);
    }

    private Tar padded(byte[] content) {
        out.writeBytes(content);
        out.writeBytes(new byte[(512 - content.length % 512) % 512]);
        return this;
    }

    byte[] bytes() {
        return out.toByteArray();
    }

    InputStream end() {
        out.writeBytes(new byte[1024]);
        return new ByteArrayInputStream(out.toByteArray());
    }
}
