// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.concurrent.atomic.AtomicInteger;

/// Passes TCP on and hangs up after a number of bytes from the server, as often as told.
final class CuttingRelay implements AutoCloseable {
    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final URI behind;
    private final long cutAfter;
    private final AtomicInteger cutsLeft;

    CuttingRelay(URI behind, long cutAfter, int cuts) throws IOException {
        this.behind = behind;
        this.cutAfter = cutAfter;
        this.cutsLeft = new AtomicInteger(cuts);
        Thread.ofVirtual().start(this::accept);
    }

    URI address() {
        return URI.create("http://127.0.0.1:" + listener.getLocalPort());
    }

    int cutsLeft() {
        return Math.max(0, cutsLeft.get());
    }

    private void accept() {
        try {
            while (true) {
                var client = listener.accept();
                Thread.ofVirtual().start(() -> relay(client));
            }
        } catch (IOException closed) {
            // The end of the test.
        }
    }

    private void relay(Socket client) {
        try (client; var server = new Socket(behind.getHost(), behind.getPort())) {
            Thread.ofVirtual().start(() -> copy(client, server));
            down(server.getInputStream(), client.getOutputStream());
            client.setSoLinger(true, 0);
        } catch (IOException cut) {
            // Either side hung up.
        }
    }

    private static void copy(Socket from, Socket to) {
        try {
            from.getInputStream().transferTo(to.getOutputStream());
            to.shutdownOutput();
        } catch (IOException cut) {
            // Either side hung up.
        }
    }

    private void down(InputStream in, OutputStream out) throws IOException {
        var buffer = new byte[7919];
        long done = 0;
        for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
            if (done + n > cutAfter && cutsLeft.getAndDecrement() > 0) {
                out.write(buffer, 0, (int) Math.max(0, cutAfter - done));
                out.flush();
                return;
            }
            out.write(buffer, 0, n);
            done += n;
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
