// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.engine.proto.Hello;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/// Reads the first frame of a connection: small, exact (nothing behind it is touched) and in time.
final class Greeting implements Watchdog.Watched {
    private static final int MAX = 256;
    private static final long WITHIN = 5_000_000_000L;
    private static final int VERSION = 1;

    private final SocketChannel channel;
    private final long end = System.nanoTime() + WITHIN;

    private Greeting(SocketChannel channel) {
        this.channel = channel;
    }

    static Hello read(SocketChannel channel) throws IOException {
        var greeting = new Greeting(channel);
        Watchdog.SHARED.add(greeting);
        try {
            return greeting.hello();
        } finally {
            Watchdog.SHARED.remove(greeting);
        }
    }

    private Hello hello() throws IOException {
        int length = exactly(4).getInt();
        if (length <= 0 || length > MAX) { // kind 0 and a small length: anything else makes the word negative or large
            throw new IOException("no greeting");
        }
        var hello = Hello.parseFrom(exactly(length));
        if (hello.getVersion() != VERSION) {
            throw new IOException("version " + hello.getVersion());
        }
        return hello;
    }

    private ByteBuffer exactly(int length) throws IOException {
        var into = ByteBuffer.allocate(length);
        while (into.hasRemaining()) {
            if (channel.read(into) < 0) {
                throw new IOException("ended while greeting");
            }
        }
        return into.flip();
    }

    @Override
    public void check(long now) {
        if (now - end > 0) {
            drop(channel);
        }
    }

    static void drop(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            org.slf4j.LoggerFactory.getLogger(Greeting.class).debug("close", e);
        }
    }
}
