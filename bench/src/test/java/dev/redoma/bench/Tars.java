// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// Hand-made tar members, the hostile ones that no tool would write.
final class Tars {
    private Tars() {}

    static byte[] file(String name) {
        return member(name, '0', "", "evil".getBytes(StandardCharsets.UTF_8));
    }

    static byte[] file(String name, byte[] data) {
        return member(name, '0', "", data);
    }

    static byte[] symlink(String name, String target) {
        return member(name, '2', target, new byte[0]);
    }

    static byte[] hardlink(String name, String target) {
        return member(name, '1', target, new byte[0]);
    }

    static byte[] device(String name) {
        return member(name, '3', "", new byte[0]);
    }

    static byte[] join(byte[]... members) {
        var out = new ByteArrayOutputStream();
        for (var member : members) {
            out.writeBytes(Arrays.copyOf(member, member.length - 1024));
        }
        out.writeBytes(new byte[1024]);
        return out.toByteArray();
    }

    private static byte[] member(String name, char type, String target, byte[] data) {
        var head = new byte[512];
        put(head, 0, name);
        put(head, 100, "0000644\0");
        put(head, 108, "0000000\0");
        put(head, 116, "0000000\0");
        put(head, 124, String.format("%011o\0", data.length));
        put(head, 136, "00000000000\0");
        put(head, 148, "        ");
        head[156] = (byte) type;
        put(head, 157, target);
        put(head, 257, "ustar\00000");
        put(head, 329, "0000001\0");
        put(head, 337, "0000003\0");
        int sum = 0;
        for (byte b : head) {
            sum += b & 0xff;
        }
        put(head, 148, String.format("%06o\0 ", sum));
        var out = new ByteArrayOutputStream();
        out.writeBytes(head);
        out.writeBytes(Arrays.copyOf(data, (data.length + 511) / 512 * 512));
        out.writeBytes(new byte[1024]);
        return out.toByteArray();
    }

    private static void put(byte[] into, int at, String text) {
        var bytes = text.getBytes(StandardCharsets.UTF_8);
        System.arraycopy(bytes, 0, into, at, bytes.length);
    }
}
