// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import dev.redoma.gateway.egress.Requests.Ongoing;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.concurrent.CountDownLatch;

/// A connection that became a WebSocket by a request that was allowed: bytes both ways from there on.
final class WebSockets {
    private static final int BUFFER = 16 << 10;
    private static final String MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"; // RFC 6455, 1.3

    private final Link link;
    private final Ongoing request;

    WebSockets(Link link, Ongoing request) {
        this.link = link;
        this.request = request;
    }

    /// A request for nothing but that.
    static boolean asked(RequestHead head) {
        var upgrade = head.all("upgrade");
        return head.method().equals("GET") && upgrade.size() == 1 && upgrade.getFirst().equalsIgnoreCase("websocket") && head.says("connection", "upgrade")
                && head.all("sec-websocket-key").size() == 1 && !head.has("content-length") && !head.has("transfer-encoding") && head.version() == org.eclipse.jetty.http.HttpVersion.HTTP_1_1;
    }

    /// The origin speaks it too: its answer follows from the request's key.
    static boolean agreed(RequestHead head, ResponseReader.Head answer) {
        RequestHead fields = answer.asFields();
        return fields.all("upgrade").stream().anyMatch("websocket"::equalsIgnoreCase) && fields.all("sec-websocket-accept").equals(java.util.List.of(accept(head.all("sec-websocket-key").getFirst())));
    }

    private static String accept(String key) {
        try {
            return Base64.getEncoder().encodeToString(MessageDigest.getInstance("SHA-1").digest((key + MAGIC).getBytes(StandardCharsets.ISO_8859_1)));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private interface Count {
        void going(int bytes, Grounds by) throws IOException;
    }

    /// `first`, `firstDown`: what was read of each way already.
    void carry(ByteBuffer first, InputStream in, OutputStream up, ByteBuffer firstDown, InputStream upIn, OutputStream out) throws IOException {
        var downDone = new CountDownLatch(1);
        Thread.ofVirtual().name("egress-down").start(() -> {
            try {
                copy(firstDown, upIn, out, link::goingDown);
                link.finish();
            } finally {
                downDone.countDown();
            }
        });
        copy(first, in, up, link::goingUp);
        link.finish();
        while (true) {
            try {
                downDone.await(); // ends: both ends are closed
                return;
            } catch (InterruptedException e) {
                link.end("stopped");
            }
        }
    }

    private void copy(ByteBuffer first, InputStream from, OutputStream to, Count count) {
        var buffer = new byte[BUFFER];
        try {
            for (int n = Math.min(first.remaining(), buffer.length); n > 0; n = Math.min(first.remaining(), buffer.length)) {
                first.get(buffer, 0, n);
                send(buffer, n, to, count);
            }
            for (int n = from.read(buffer); n >= 0; n = from.read(buffer)) {
                send(buffer, n, to, count);
            }
        } catch (IOException gone) {
            link.end("broken"); // unless the other way has ended before, and this with it
        }
    }

    private void send(byte[] bytes, int n, OutputStream to, Count count) throws IOException {
        count.going(n, request.by());
        to.write(bytes, 0, n);
    }
}
