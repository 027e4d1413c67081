// SPDX-License-Identifier: Apache-2.0
package dev.redoma.kernel;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// Bytes of netlink messages, one after another: headers of this machine's byte order, attributes padded to four. Not thread-safe.
final class NetlinkMessage {
    static final int REQUEST = 1;
    static final int ACK = 4;
    static final int REPLACE = 0x100;
    static final int CREATE = 0x400;
    static final int APPEND = 0x800;
    private static final int HEAD = 16;
    private static final int NESTED = 0x8000;

    private ByteBuffer out = ByteBuffer.allocate(4096).order(ByteOrder.nativeOrder());
    private int begun = -1;
    private int answered;

    /// A message begins; that before it ends. One with ACK is answered.
    NetlinkMessage message(int type, int flags) {
        finish();
        begun = out.position();
        if ((flags & ACK) != 0) {
            answered++;
        }
        room(HEAD).putInt(0).putShort((short) type).putShort((short) (flags | REQUEST)).putInt(answered).putInt(0);
        return this;
    }

    NetlinkMessage bytes(byte... raw) {
        room(raw.length + 3).put(raw);
        while (out.position() % 4 != 0) {
            out.put((byte) 0);
        }
        return this;
    }

    NetlinkMessage attribute(int type, byte[] value) {
        room(4).putShort((short) (4 + value.length)).putShort((short) type);
        return bytes(value);
    }

    NetlinkMessage text(int type, String value) {
        return attribute(type, (value + "\0").getBytes(StandardCharsets.US_ASCII));
    }

    /// In network byte order, as nftables takes numbers.
    NetlinkMessage number(int type, int value) {
        return attribute(type, ByteBuffer.allocate(4).putInt(value).array());
    }

    /// In this machine's byte order, as routing takes them.
    NetlinkMessage local(int type, int value) {
        return attribute(type, ByteBuffer.allocate(4).order(ByteOrder.nativeOrder()).putInt(value).array());
    }

    NetlinkMessage nested(int type, Runnable content) {
        int start = out.position();
        room(4).putShort((short) 0).putShort((short) (type | NESTED));
        content.run();
        out.putShort(start, (short) (out.position() - start));
        return this;
    }

    /// How many of the messages are answered.
    int answered() {
        return answered;
    }

    byte[] done() {
        finish();
        return Arrays.copyOf(out.array(), out.position());
    }

    private void finish() {
        if (begun >= 0) {
            out.putInt(begun, out.position() - begun);
        }
    }

    private ByteBuffer room(int more) {
        if (out.remaining() < more) {
            var larger = ByteBuffer.allocate(2 * (out.capacity() + more)).order(ByteOrder.nativeOrder());
            out = larger.put(out.flip());
        }
        return out;
    }
}
