// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/// Writes zip members as hostile as a test wants them.
final class Zip {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final List<byte[]> central = new ArrayList<>();

    /// What a member says of itself; every field may be a lie.
    record Member(byte[] localName, byte[] name, int mode, int flags, int method, int crc, byte[] packed, long size, long header) {
        static Member of(String name, int mode, byte[] content, boolean deflated) {
            var crc = new CRC32();
            crc.update(content);
            byte[] raw = name.getBytes(StandardCharsets.UTF_8);
            return new Member(raw, raw, mode, 1 << 11, deflated ? 8 : 0, (int) crc.getValue(), deflated ? deflate(content) : content, content.length, -1);
        }

        Member localName(String other) {
            return new Member(other.getBytes(StandardCharsets.UTF_8), name, mode, flags, method, crc, packed, size, header);
        }

        Member flags(int other) {
            return new Member(localName, name, mode, other, method, crc, packed, size, header);
        }

        Member method(int other) {
            return new Member(localName, name, mode, flags, other, crc, packed, size, header);
        }

        Member crc(int other) {
            return new Member(localName, name, mode, flags, method, other, packed, size, header);
        }

        Member size(long other) {
            return new Member(localName, name, mode, flags, method, crc, packed, other, header);
        }

        Member header(long other) {
            return new Member(localName, name, mode, flags, method, crc, packed, size, other);
        }
    }

    Zip file(String name, String content) {
        return member(Member.of(name, 0100644, content.getBytes(StandardCharsets.UTF_8), true));
    }

    Zip symlink(String name, String target) {
        return member(Member.of(name, 0120777, target.getBytes(StandardCharsets.UTF_8), false));
    }

    Zip directory(String name) {
        return member(Member.of(name, 0040755, new byte[0], false));
    }

    Zip member(Member m) {
        long header = m.header() >= 0 ? m.header() : out.size();
        if (m.header() < 0) {
            out.writeBytes(little(30 + m.localName().length).putInt(0x0403_4b50).putShort((short) 20).putShort((short) m.flags()).putShort((short) m.method()).putInt(0)
                    .putInt(m.crc()).putInt(m.packed().length).putInt((int) m.size()).putShort((short) m.localName().length).putShort((short) 0).put(m.localName()).array());
            out.writeBytes(m.packed());
        }
        central.add(little(46 + m.name().length).putInt(0x0201_4b50).putShort((short) (3 << 8 | 20)).putShort((short) 20).putShort((short) m.flags())
                .putShort((short) m.method()).putInt(0x5a21_6000).putInt(m.crc()).putInt(m.packed().length).putInt((int) m.size()).putShort((short) m.name().length)
                .putShort((short) 0).putShort((short) 0).putShort((short) 0).putShort((short) 0).putInt(m.mode() << 16).putInt((int) header).put(m.name()).array());
        return this;
    }

    byte[] bytes() {
        return bytes(central.size());
    }

    byte[] bytes(int count) {
        int at = out.size();
        central.forEach(out::writeBytes);
        int size = out.size() - at;
        out.writeBytes(little(22).putInt(0x0605_4b50).putInt(0).putShort((short) count).putShort((short) count).putInt(size).putInt(at).putShort((short) 0).array());
        return out.toByteArray();
    }

    static byte[] deflate(byte[] content) {
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
