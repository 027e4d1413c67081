// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.ingress;

import dev.redoma.http.Exchange;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The body of a request on its way to the app, on a thread of its own: an app may answer before it has all. An app that wants no more is
/// sent no more; a client that breaks off breaks the app's connection, so that a part never looks like the whole.
final class Upload {
    private static final Logger LOG = LoggerFactory.getLogger(Upload.class);
    private static final byte[] END = "0\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final int PIECE = 64 << 10;

    private final Exchange http;
    private final SocketChannel app;
    private @Nullable Thread working;

    Upload(Exchange http, SocketChannel app) {
        this.http = http;
        this.app = app;
    }

    void start() {
        if (Inward.hasBody(http)) {
            working = Thread.ofVirtual().name("ingress-up").start(this::run);
        }
    }

    /// From then on nobody reads the request's body here.
    void end() throws InterruptedException {
        var thread = working;
        if (thread != null) {
            thread.interrupt();
            thread.join();
        }
    }

    private void run() {
        try (var body = http.body(Long.MAX_VALUE)) {
            copy(body, http.bodyLength() < 0);
        } catch (IOException | RuntimeException ended) {
            LOG.debug("request's body: {}", ended.toString());
            if (!(ended instanceof AppGone)) {
                close();
            }
        }
    }

    private void copy(InputStream body, boolean chunked) throws IOException {
        var piece = new byte[PIECE];
        for (int n; (n = body.read(piece)) >= 0; ) {
            if (n > 0) {
                if (chunked) {
                    write((Integer.toHexString(n) + "\r\n").getBytes(StandardCharsets.US_ASCII), -1);
                }
                write(piece, n);
                if (chunked) {
                    write(new byte[] {'\r', '\n'}, -1);
                }
            }
        }
        if (chunked) {
            write(END, -1);
        }
    }

    private void write(byte[] bytes, int length) throws IOException {
        try {
            for (var b = ByteBuffer.wrap(bytes, 0, length < 0 ? bytes.length : length); b.hasRemaining(); ) {
                app.write(b);
            }
        } catch (IOException gone) {
            throw new AppGone(gone);
        }
    }

    private void close() {
        try {
            app.close();
        } catch (IOException gone) {
            LOG.debug("closing: {}", gone.toString());
        }
    }

    private static final class AppGone extends IOException {
        private static final long serialVersionUID = 1L;

        AppGone(IOException cause) {
            super(cause);
        }
    }
}
