// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// Writes the tar of a layer, member by member.
final class LayerTar {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    LayerTar dir(String name, int mode, int uid) {
        return member('5', name, mode, uid, "", new byte[0]);
    }

    LayerTar dir(String name) {
        return dir(name, 0755, 0);
    }

    LayerTar file(String name, String content) {
        return file(name, 0644, content.getBytes(StandardCharsets.UTF_8));
    }

    LayerTar file(String name, int mode, byte[] content) {
        return member('0', name, mode, 0, "", content);
    }

    LayerTar symlink(String name, String target) {
        return member('2', name, 0777, 0, target, new byte[0]);
    }

    LayerTar hardlink(String name, String target) {
        return member('1', name, 0644, 0, target, new byte[0]);
    }

    LayerTar device(String name) {
        return member('3', name, 0666, 0, "", new byte[0]);
    }

    /// A record of a pax header for the next member.
    LayerTar pax(String key, byte[] value) {
        int rest = key.length() + value.length + 3;
        int length = rest + 1;
        while (Integer.toString(length).length() + rest != length) {
            length++;
        }
        var body = new ByteArrayOutputStream();
        body.writeBytes((length + " " + key + "=").getBytes(StandardCharsets.UTF_8));
        body.writeBytes(value);
        body.write('\n');
        return member('x', "pax", 0644, 0, "", body.toByteArray());
    }

    LayerTar member(char type, String name, int mode, int uid, String link, byte[] content) {
        var bytes = name.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > 100 && type != 'x') {
            pax("path", bytes);
        }
        var h = new byte[512];
        System.arraycopy(bytes, 0, h, 0, Math.min(100, bytes.length));
        put(h, 100, "%07o".formatted(mode));
        put(h, 108, "%07o".formatted(uid));
        put(h, 116, "%07o".formatted(uid));
        put(h, 124, "%011o".formatted(content.length));
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
        out.writeBytes(content);
        out.writeBytes(new byte[(512 - content.length % 512) % 512]);
        return this;
    }

    private static void put(byte[] h, int at, String text) {
        var bytes = text.getBytes(StandardCharsets.UTF_8);
        System.arraycopy(bytes, 0, h, at, Math.min(bytes.length, 100));
    }

    byte[] bytes() {
        var whole = Arrays.copyOf(out.toByteArray(), out.size() + 1024);
        return whole;
    }
}
