// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/// Hand-made zip members, the hostile ones that no tool would write.
final class Zips {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream central = new ByteArrayOutputStream();
    private int count;

    Zips file(String name, byte[] content) {
        return member(name, 0100644, 1 << 11, content);
    }

    Zips symlink(String name, String target) {
        return member(name, 0120777, 1 << 11, target.getBytes(StandardCharsets.UTF_8));
    }

    Zips encrypted(String name) {
        return member(name, 0100644, 1, new byte[] {1});
    }

    private Zips member(String name, int mode, int flags, byte[] content) {
        var crc = new CRC32();
        crc.update(content);
        var packed = deflate(content);
        byte[] raw = name.getBytes(StandardCharsets.UTF_8);
        int header = out.size();
        out.writeBytes(little(30 + raw.length).putInt(0x0403_4b50).putShort((short) 20).putShort((short) flags).putShort((short) 8).putInt(0)
                .putInt((int) crc.getValue()).putInt(packed.length).putInt(content.length).putShort((short) raw.length).putShort((short) 0).put(raw).array());
        out.writeBytes(packed);
        central.writeBytes(little(46 + raw.length).putInt(0x0201_4b50).putShort((short) (3 << 8 | 20)).putShort((short) 20).putShort((short) flags).putShort((short) 8)
                .putInt(0).putInt((int) crc.getValue()).putInt(packed.length).putInt(content.length).putShort((short) raw.length).putShort((short) 0)
                .putShort((short) 0).putShort((short) 0).putShort((short) 0).putInt(mode << 16).putInt(header).put(raw).array());
        count++;
        return this;
    }

    byte[] bytes() {
        int at = out.size();
        out.writeBytes(central.toByteArray());
        out.writeBytes(little(22).putInt(0x0605_4b50).putInt(0).putShort((short) count).putShort((short) count).putInt(central.size()).putInt(at).putShort((short) 0).array());
        return out.toByteArray();
    }

    private static byte[] deflate(byte[] content) {
        var deflater = new Deflater(9, true);
        deflater.setInput(content);
        deflater.finish();
        var packed = new ByteArrayOutputStream();
        var piece = new byte[1 << 16];
        while (!deflater.finished()) {
            packed.write(piece, 0, deflater.deflate(piece));
        }
        deflater.end();
        return packed.toByteArray();
    }

    private static ByteBuffer little(int size) {
        return ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
    }
}
