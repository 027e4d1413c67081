// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The first message of a TLS client, read whole before anything of it goes on. `bytes`: all that was read, to be sent on as it is. `serverName`: the one
/// host name it asks for; null where it asks for none. `encrypted`: it also holds one that only the other end can read. `protocols`: what it would speak
/// inside of TLS; empty where it does not say.
record ClientHello(byte[] bytes, @Nullable String serverName, boolean encrypted, List<String> protocols) {
    private static final int HANDSHAKE = 22;
    private static final int HELLO = 1;
    private static final int LONGEST = 64 << 10;
    private static final int MOST_RECORDS = 256;
    private static final int SERVER_NAME = 0;
    private static final int ENCRYPTED_HELLO = 0xfe0d;
    private static final int PROTOCOLS = 16;

    /// What it told, in the record.
    Fact told(Fact fact) {
        Fact named = fact.with("sni", serverName != null);
        return encrypted ? named.with("ech", true) : named;
    }

    /// It is not what a TLS client sends, or more than anybody needs.
    static final class Malformed extends IOException {
        private static final long serialVersionUID = 1L;

        Malformed(String message) {
            super(message);
        }
    }

    /// Ends at the latest with the input's own time limit or after 64 KiB.
    static ClientHello read(InputStream in) throws IOException {
        var raw = new ByteArrayOutputStream();
        var message = new ByteArrayOutputStream();
        int records = 0;
        while (!whole(message)) {
            if (++records > MOST_RECORDS) {
                throw new Malformed("too many records");
            }
            byte[] head = exactly(in, 5);
            int length = (head[3] & 0xff) << 8 | head[4] & 0xff;
            if (head[0] != HANDSHAKE || head[1] != 3 || length == 0 || length > 16 << 10) {
                throw new Malformed("no TLS handshake");
            }
            byte[] body = exactly(in, length);
            raw.writeBytes(head);
            raw.writeBytes(body);
            message.writeBytes(body);
            if (raw.size() > LONGEST) {
                throw new Malformed("too long");
            }
        }
        return parse(raw.toByteArray(), message.toByteArray());
    }

    private static byte[] exactly(InputStream in, int n) throws IOException {
        byte[] got = in.readNBytes(n);
        if (got.length < n) {
            throw new Malformed("it ended early");
        }
        return got;
    }

    private static boolean whole(ByteArrayOutputStream message) throws Malformed {
        if (message.size() < 4) {
            return false;
        }
        byte[] all = message.toByteArray();
        int length = (all[1] & 0xff) << 16 | (all[2] & 0xff) << 8 | all[3] & 0xff;
        if (all[0] != HELLO || length > LONGEST) {
            throw new Malformed("no ClientHello");
        }
        if (all.length > 4 + length) {
            throw new Malformed("more than a ClientHello");
        }
        return all.length == 4 + length;
    }

    static ClientHello parse(byte[] raw, byte[] message) throws Malformed {
        try {
            return extensions(raw, ByteBuffer.wrap(message, 4, message.length - 4).slice());
        } catch (BufferUnderflowException | IllegalArgumentException e) {
            throw new Malformed("its lengths do not fit");
        }
    }

    private static ClientHello extensions(byte[] raw, ByteBuffer in) throws Malformed {
        skip(in, 2 + 32);
        skip(in, in.get() & 0xff);
        skip(in, in.getShort() & 0xffff);
        skip(in, in.get() & 0xff);
        if (!in.hasRemaining()) {
            return new ClientHello(raw, null, false, List.of());
        }
        ByteBuffer all = part(in, in.getShort() & 0xffff);
        if (in.hasRemaining()) {
            throw new Malformed("more than it says");
        }
        String name = null;
        boolean encrypted = false;
        List<String> protocols = null;
        while (all.hasRemaining()) {
            int type = all.getShort() & 0xffff;
            ByteBuffer body = part(all, all.getShort() & 0xffff);
            if (type == SERVER_NAME) {
                if (name != null) {
                    throw new Malformed("two server names");
                }
                name = serverName(body);
            }
            if (type == PROTOCOLS) {
                if (protocols != null) {
                    throw new Malformed("two lists of protocols");
                }
                protocols = protocols(body);
            }
            encrypted |= type == ENCRYPTED_HELLO;
        }
        return new ClientHello(raw, name, encrypted, protocols == null ? List.of() : protocols);
    }

    private static String serverName(ByteBuffer body) throws Malformed {
        ByteBuffer list = part(body, body.getShort() & 0xffff);
        if (list.get() != 0 || body.hasRemaining()) {
            throw new Malformed("its server name is none of a host");
        }
        byte[] name = new byte[list.getShort() & 0xffff];
        list.get(name);
        if (list.hasRemaining() || name.length == 0 || name.length > 255) {
            throw new Malformed("not one server name");
        }
        for (byte b : name) {
            if (b <= ' ' || b == 127) {
                throw new Malformed("its server name holds what no name does");
            }
        }
        return new String(name, StandardCharsets.US_ASCII);
    }

    private static List<String> protocols(ByteBuffer body) throws Malformed {
        ByteBuffer list = part(body, body.getShort() & 0xffff);
        var all = new ArrayList<String>();
        while (list.hasRemaining()) {
            byte[] one = new byte[list.get() & 0xff];
            list.get(one);
            all.add(new String(one, StandardCharsets.ISO_8859_1));
        }
        if (body.hasRemaining() || all.isEmpty()) {
            throw new Malformed("its list of protocols is none");
        }
        return all;
    }

    private static ByteBuffer part(ByteBuffer in, int length) throws Malformed {
        if (length > in.remaining()) {
            throw new Malformed("its lengths do not fit");
        }
        ByteBuffer part = in.slice(in.position(), length);
        skip(in, length);
        return part;
    }

    private static void skip(ByteBuffer in, int n) {
        in.position(in.position() + n);
    }
}
