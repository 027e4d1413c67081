// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/// What this machine itself costs, measured beside ours in the same run.
final class Floors {
    private final Path binaries;

    /// `binaries`: the directory with `redoma-floor` and `noop`.
    Floors(Path binaries) {
        this.binaries = binaries;
    }

    /// fork + exec + wait of a static no-op, in milliseconds.
    Samples spawn(int count) {
        return floor("spawn", count);
    }

    /// The same in all new namespaces, in milliseconds.
    Samples namespacedSpawn(int count) {
        return floor("nsspawn", count);
    }

    Path noop() {
        return binaries.resolve("noop");
    }

    private Samples floor(String what, int count) {
        var out = Commands.output(binaries.resolve("redoma-floor").toString(), what, Integer.toString(count), noop().toString());
        return new Samples(out.lines().mapToDouble(line -> Long.parseLong(line) / 1e6).toArray());
    }

    /// Bytes per second of `bytes` over one loopback TCP connection between two threads of this JVM.
    static double loopback(long bytes) {
        try (var server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            long start = System.nanoTime();
            var sender = Thread.ofPlatform().start(() -> send(server.socket().getLocalPort(), bytes));
            try (var in = server.accept()) {
                var buffer = ByteBuffer.allocateDirect(256 << 10);
                long got = 0;
                while (got < bytes) {
                    int n = in.read(buffer.clear());
                    if (n < 0) {
                        throw new IOException("loopback ended after " + got + " bytes");
                    }
                    got += n;
                }
            }
            sender.join(TimeUnit.SECONDS.toMillis(10));
            return bytes / ((System.nanoTime() - start) / 1e9);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    private static void send(int port, long bytes) {
        try (var out = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))) {
            var buffer = ByteBuffer.allocateDirect(256 << 10);
            for (long sent = 0; sent < bytes; ) {
                buffer.clear().limit((int) Math.min(buffer.capacity(), bytes - sent));
                sent += out.write(buffer);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// `java -version` of the JVM we run on, in milliseconds.
    static Samples javaVersion(int count) {
        var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return Commands.times(count, java, "-version");
    }

    static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
