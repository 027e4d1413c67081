// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/// Carries bytes both ways between a program inside and what it reached, in constant memory. The end of one way ends that way only.
final class Relay {
    private final SocketChannel inside;
    private final SocketChannel outside;
    private final Spacious spacious;
    private final IntPredicate spend;
    private final AtomicLong up = new AtomicLong();
    private final AtomicLong down = new AtomicLong();
    private final AtomicReference<@Nullable String> ended = new AtomicReference<>();
    private volatile boolean upStays;
    private volatile long activeAt = System.nanoTime();

    /// `spend`: whether so many more bytes may pass.
    Relay(SocketChannel inside, SocketChannel outside, Spacious spacious, IntPredicate spend) {
        this.inside = inside;
        this.outside = outside;
        this.spacious = spacious;
        this.spend = spend;
    }

    long up() {
        return up.get();
    }

    long down() {
        return down.get();
    }

    long activeAt() {
        return activeAt;
    }

    /// Why it ended, where it was not by itself.
    @Nullable String ended() {
        return ended.get();
    }

    /// Ends both ways at once.
    void end(String why) {
        ended.compareAndSet(null, why);
        close(inside);
        close(outside);
    }

    private static void close(Closeable channel) {
        try {
            channel.close();
        } catch (IOException gone) {
            // it is closed
        }
    }

    /// The end of what the program sends is not told to the other end, which some servers take for the end of all.
    void keepUpOpen() {
        upStays = true;
    }

    void sendUp(ByteBuffer bytes) throws IOException {
        send(bytes, outside, up);
    }

    private void send(ByteBuffer bytes, SocketChannel to, AtomicLong count) throws IOException {
        int n = bytes.remaining();
        if (!spend.test(n)) {
            end("bytes");
            throw new IOException("its byte budget is used up");
        }
        while (bytes.hasRemaining()) {
            to.write(bytes);
            activeAt = System.nanoTime();
        }
        count.addAndGet(n);
    }

    /// Returns when both ways have ended. `first`: what the program sends goes through it; it may refuse by throwing.
    void run(UpStream first) {
        var downDone = new CountDownLatch(1);
        Thread.ofVirtual().name("egress-down").start(() -> {
            try {
                downward();
            } finally {
                downDone.countDown();
            }
        });
        upward(first);
        while (true) {
            try {
                downDone.await(); // ends: whoever watches over idle connections closes this one
                return;
            } catch (InterruptedException e) {
                end("stopped");
            }
        }
    }

    /// Sends up what the program says.
    interface UpStream {
        void carry(InputStream from) throws IOException;
    }

    private void upward(UpStream stream) {
        try {
            stream.carry(inside.socket().getInputStream());
            if (!upStays && outside.isOpen()) {
                outside.shutdownOutput();
            }
        } catch (IOException gone) {
            end("broken");
        } catch (RuntimeException failed) {
            end("failed");
            throw failed;
        }
    }

    /// As it comes.
    void copyUp() throws IOException {
        new Flow(spacious).carry(inside, this::sendUp);
    }

    private void downward() {
        try {
            new Flow(spacious).carry(outside, piece -> send(piece, inside, down));
            inside.shutdownOutput();
        } catch (IOException gone) {
            end("broken");
        }
    }
}
