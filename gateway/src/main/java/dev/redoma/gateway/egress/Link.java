// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import java.io.Closeable;
import java.io.IOException;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// The two ends of a connection that was let through: what passed between them, and the end of both. Thread-safe.
final class Link {
    private static final String BY_ITSELF = "";

    private final SocketChannel inside;
    private final SocketChannel outside;
    private final AtomicLong up = new AtomicLong();
    private final AtomicLong down = new AtomicLong();
    private final AtomicReference<@Nullable String> ended = new AtomicReference<>();
    private volatile long activeAt = System.nanoTime();

    Link(SocketChannel inside, SocketChannel outside) {
        this.inside = inside;
        this.outside = outside;
    }

    SocketChannel inside() {
        return inside;
    }

    SocketChannel outside() {
        return outside;
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

    /// Something passed.
    void active() {
        activeAt = System.nanoTime();
    }

    /// Why it ended, where it was not by itself.
    @Nullable String ended() {
        String why = ended.get();
        return BY_ITSELF.equals(why) ? null : why;
    }

    /// Breaks both ways off at once, so that neither end takes what it has for all that there was. What was said of its end first is what counts.
    void end(String why) {
        ended.compareAndSet(null, why);
        reset(inside);
        reset(outside);
    }

    /// Its origin ended it without saying so in TLS. So does this, towards the program: what has come still arrives, and programs that look see that nobody said it was all.
    void endUnsaid() {
        ended.compareAndSet(null, "broken");
        close(inside);
        close(outside);
    }

    /// Whether its end has been said.
    boolean over() {
        return ended.get() != null;
    }

    private static void reset(SocketChannel channel) {
        try {
            channel.setOption(StandardSocketOptions.SO_LINGER, 0);
        } catch (IOException gone) {
            // it is closed
        }
        close(channel);
    }

    /// It ended by itself.
    void finish() {
        ended.compareAndSet(null, BY_ITSELF);
        close(inside);
        close(outside);
    }

    /// Whether one of its ends has closed it, and nothing was wrong with what it said.
    static boolean closedByPeer(IOException gone) {
        for (Throwable cause = gone; cause != null; cause = cause.getCause()) {
            if (cause instanceof SocketException || cause instanceof ClosedChannelException) { // the second where TLS has closed its socket at a peer's word
                return true;
            }
        }
        return false;
    }

    private static void close(Closeable channel) {
        try {
            channel.close();
        } catch (IOException gone) {
            // it is closed
        }
    }

    /// So many bytes are about to go up, on the account of what allows them. Throws, with both ends closed, where that is too much.
    void goingUp(int bytes, Grounds by) throws IOException {
        going(bytes, by, up);
    }

    void goingDown(int bytes, Grounds by) throws IOException {
        going(bytes, by, down);
    }

    /// What belongs to the connection and to none of its requests.
    void controlUp(int bytes, Grounds by) throws IOException {
        passed(bytes, by.spendOnAny(bytes), up);
    }

    private void going(int bytes, Grounds by, AtomicLong count) throws IOException {
        passed(bytes, by.spend(bytes), count);
    }

    private void passed(int bytes, boolean within, AtomicLong count) throws IOException {
        if (!within) {
            end("bytes");
            throw new IOException("its byte budget is used up");
        }
        count.addAndGet(bytes);
        activeAt = System.nanoTime();
    }
}
