// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/// First messages of TLS clients, as a test wants them.
final class Hello {
    private Hello() {}

    /// With these server names, each in an extension of its own.
    static byte[] message(String... names) {
        var extensions = new ByteArrayOutputStream();
        extensions.writeBytes(new byte[] {0, 43, 0, 3, 2, 3, 4});
        for (String name : names) {
            byte[] n = name.getBytes(StandardCharsets.ISO_8859_1);
            extensions.writeBytes(ByteBuffer.allocate(9 + n.length).putShort((short) 0).putShort((short) (n.length + 5)).putShort((short) (n.length + 3)).put((byte) 0)
                    .putShort((short) n.length).put(n).array());
        }
        byte[] e = extensions.toByteArray();
        var body = ByteBuffer.allocate(2 + 32 + 1 + 4 + 2 + 2 + e.length);
        body.put(new byte[] {3, 3}).put(new byte[32]).put((byte) 0).putShort((short) 2).putShort((short) 0x1301).put((byte) 1).put((byte) 0).putShort((short) e.length).put(e);
        byte[] b = body.array();
        return ByteBuffer.allocate(4 + b.length).put((byte) 1).put((byte) 0).putShort((short) b.length).put(b).array();
    }

    static byte[] record(byte[] message) {
        return records(message, message.length);
    }

    /// In records of so many bytes.
    static byte[] records(byte[] message, int size) {
        var out = new ByteArrayOutputStream();
        for (int at = 0; at < message.length; at += size) {
            int n = Math.min(size, message.length - at);
            out.writeBytes(new byte[] {22, 3, 1, (byte) (n >> 8), (byte) n});
            out.write(message, at, n);
        }
        return out.toByteArray();
    }

    static byte[] of(String... names) {
        return record(message(names));
    }
}
