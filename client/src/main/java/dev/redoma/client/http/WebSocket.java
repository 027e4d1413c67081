// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client.http;

import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// A WebSocket client (RFC 6455, no extensions). One thread receives; any may send.
public final class WebSocket implements AutoCloseable {
    private static final int LARGEST = 4 << 20;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final Connection connection;
    private final ReentrantLock sending = new ReentrantLock();

    private WebSocket(Connection connection) {
        this.connection = connection;
    }

    /// What arrived.
    public sealed interface Message {}

    /// Bytes, whole messages or fragments as they came.
    public record Binary(byte[] bytes) implements Message {}

    /// A text message.
    public record Text(String text) implements Message {}

    /// The other side said good-bye.
    public record Closed(int code, String reason) implements Message {}

    /// The handshake was answered by something else than 101.
    public static final class Refused extends IOException {
        private static final long serialVersionUID = 1L;
        private final int status;
        private final byte[] body;

        Refused(int status, byte[] body) {
            super("the WebSocket was refused with status " + status);
            this.status = status;
            this.body = body;
        }

        public int status() {
            return status;
        }

        public byte[] body() {
            return body;
        }
    }

    static WebSocket open(Transport transport, Map<String, String> standing, String target, Duration patience) throws IOException {
        var connection = transport.open();
        try {
            connection.patience(patience);
            shake(connection, standing, target);
            return new WebSocket(connection);
        } catch (IOException e) {
            connection.close();
            throw e;
        }
    }

    private static void shake(Connection connection, Map<String, String> standing, String target) throws IOException {
        var nonce = new byte[16];
        RANDOM.nextBytes(nonce);
        var key = Base64.getEncoder().encodeToString(nonce);
        var request = Request.of("GET", target, Duration.ZERO)
                .header("Connection", "Upgrade").header("Upgrade", "websocket")
                .header("Sec-WebSocket-Version", "13").header("Sec-WebSocket-Key", key);
        new RequestWriter(connection, standing).write(request);
        var head = Head.read(connection.in());
        if (head.status() != 101) {
            throw new Refused(head.status(), AnswerBody.of(connection.in(), head, false).readNBytes(1 << 20));
        }
        if (!accept(key).equals(head.get("Sec-WebSocket-Accept"))) {
            throw new IOException("the other side does not speak WebSocket");
        }
    }

    private static String accept(String key) {
        try {
            var sha1 = MessageDigest.getInstance("SHA-1");
            return Base64.getEncoder().encodeToString(
                    sha1.digest((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").getBytes(StandardCharsets.US_ASCII)));
        } catch (NoSuchAlgorithmException never) {
            throw new IllegalStateException(never);
        }
    }

    public void send(byte[] bytes, int off, int len) throws IOException {
        frame(2, bytes, off, len);
    }

    public void send(String text) throws IOException {
        var utf8 = text.getBytes(StandardCharsets.UTF_8);
        frame(1, utf8, 0, utf8.length);
    }

    /// A sign of life, so that nothing between the two ends takes the silence for an end.
    public void ping() throws IOException {
        frame(9, new byte[0], 0, 0);
    }

    private void frame(int opcode, byte[] bytes, int off, int len) throws IOException {
        var mask = new byte[4];
        RANDOM.nextBytes(mask);
        int extended = len < 126 ? 0 : len < 65536 ? 2 : 8;
        var frame = new byte[2 + extended + 4 + len];
        frame[0] = (byte) (0x80 | opcode);
        frame[1] = (byte) (0x80 | (extended == 0 ? len : extended == 2 ? 126 : 127));
        for (int i = 0; i < extended; i++) {
            frame[2 + i] = (byte) ((long) len >>> 8 * (extended - 1 - i));
        }
        System.arraycopy(mask, 0, frame, 2 + extended, 4);
        for (int i = 0; i < len; i++) {
            frame[6 + extended + i] = (byte) (bytes[off + i] ^ mask[i & 3]);
        }
        sending.lock();
        try {
            connection.out().write(frame);
        } finally {
            sending.unlock();
        }
    }

    /// The next message; pings are answered on the way. No byte for `patience` is a failure.
    public Message receive(Duration patience) throws IOException {
        connection.patience(patience);
        while (true) {
            int first = octet();
            var payload = payload();
            var message = interpret(first & 15, payload);
            if (message != null) {
                return message;
            }
        }
    }

    private @Nullable Message interpret(int opcode, byte[] payload) throws IOException {
        switch (opcode) {
            case 0, 2 -> {
                return new Binary(payload);
            }
            case 1 -> {
                return new Text(new String(payload, StandardCharsets.UTF_8));
            }
            case 8 -> {
                int code = payload.length < 2 ? 1005 : (payload[0] & 0xff) << 8 | payload[1] & 0xff;
                return new Closed(code, payload.length < 2 ? "" : new String(payload, 2, payload.length - 2, StandardCharsets.UTF_8));
            }
            case 9 -> frame(10, payload, 0, payload.length);
            case 10 -> {
                // An unasked pong is only a sign of life.
            }
            default -> throw new IOException("a WebSocket frame of unknown kind " + opcode);
        }
        return null;
    }

    private byte[] payload() throws IOException {
        int second = octet();
        long length = second & 127;
        if (length >= 126) {
            int octets = length == 126 ? 2 : 8;
            length = 0;
            for (int i = 0; i < octets; i++) {
                length = length << 8 | octet();
            }
        }
        if (second >= 128 || length < 0 || length > LARGEST) {
            throw new IOException("a WebSocket frame that is masked or longer than " + LARGEST + " bytes");
        }
        var bytes = connection.in().readNBytes((int) length);
        if (bytes.length < length) {
            throw new EOFException("the connection ended");
        }
        return bytes;
    }

    private int octet() throws IOException {
        int b = connection.in().read();
        if (b < 0) {
            throw new EOFException("the connection ended");
        }
        return b;
    }

    /// Says good-bye and hangs up.
    @Override
    public void close() {
        try {
            frame(8, new byte[] {3, (byte) 0xe8}, 0, 2);
        } catch (IOException alreadyGone) {
            // It is closed below either way.
        }
        connection.close();
    }
}
