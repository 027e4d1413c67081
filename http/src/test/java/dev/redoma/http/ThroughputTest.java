// SPDX-License-Identifier: Apache-2.0
package dev.redoma.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What this room costs on the way of bytes, beside the same bytes over a plain loopback socket.
@Tag("long")
class ThroughputTest {
    private static final long BYTES = 256L << 20;
    private static final int CHUNK = 64 * 1024;

    private interface Run {
        void run() throws Exception;
    }

    private static double best(Run run) throws Exception {
        double best = 0;
        for (int i = 0; i < 5; i++) {
            long before = System.nanoTime();
            run.run();
            best = Math.max(best, BYTES / ((System.nanoTime() - before) / 1e9));
        }
        return best / (1 << 20);
    }

    private static long drain(InputStream in) throws Exception {
        var sink = new byte[256 * 1024];
        long n = 0;
        for (int r = in.read(sink); r >= 0; r = in.read(sink)) {
            n += r;
        }
        return n;
    }

    private static double loopback() throws Exception {
        try (var listener = new ServerSocket(0)) {
            return best(() -> {
                var reader = Thread.ofPlatform().start(() -> {
                    try (var s = listener.accept()) {
                        assertThat(drain(s.getInputStream())).isEqualTo(BYTES);
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                });
                try (var s = new Socket("127.0.0.1", listener.getLocalPort())) {
                    var bytes = new byte[CHUNK];
                    for (long left = BYTES; left > 0; left -= CHUNK) {
                        s.getOutputStream().write(bytes);
                    }
                }
                reader.join();
            });
        }
    }

    @Test
    void bytesGoUpAndDownAtAFairShareOfLoopback() throws Exception {
        var down = new Route("GET", "/down", x -> {
            var out = x.stream(200, "application/octet-stream", BYTES);
            var bytes = new byte[CHUNK];
            for (long left = BYTES; left > 0; left -= CHUNK) {
                out.write(bytes);
            }
        });
        var chunked = new Route("GET", "/chunked", x -> {
            var out = x.stream(200, "application/octet-stream", -1);
            var bytes = new byte[CHUNK];
            for (long left = BYTES; left > 0; left -= CHUNK) {
                out.write(bytes);
                out.flush();
            }
        });
        var up = new Route("PUT", "/up", x -> {
            assertThat(drain(x.body(BYTES))).isEqualTo(BYTES);
            x.nothing();
        });
        double floor = loopback();
        try (var s = new Served(down, chunked, up)) {
            double d = best(() -> get(s, "/down"));
            double c = best(() -> get(s, "/chunked"));
            double u = best(() -> put(s));
            System.out.printf("loopback %.0f MiB/s; down %.2f, chunked %.2f, up %.2f of it%n", floor, d / floor, c / floor, u / floor);
            assertThat(d / floor).isGreaterThan(0.4);
            assertThat(c / floor).isGreaterThan(0.3);
            assertThat(u / floor).isGreaterThan(0.4);
        }
    }

    private static void get(Served s, String path) throws Exception {
        try (var socket = new Socket("127.0.0.1", s.server.address().getPort())) {
            socket.getOutputStream().write(("GET " + path + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
            assertThat(drain(socket.getInputStream())).isGreaterThan(BYTES);
        }
    }

    private static void put(Served s) throws Exception {
        try (var socket = new Socket("127.0.0.1", s.server.address().getPort())) {
            var out = socket.getOutputStream();
            out.write(("PUT /up HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: " + BYTES + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
            var bytes = new byte[CHUNK];
            for (long left = BYTES; left > 0; left -= CHUNK) {
                out.write(bytes);
            }
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII)).startsWith("HTTP/1.1 204");
        }
    }
}
