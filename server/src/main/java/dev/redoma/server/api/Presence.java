// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.api;

import dev.redoma.http.Exchange;
import dev.redoma.kernel.Hangup;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// Looks, while a request is worked on, whether its client is still there. When it has gone, the thread that began this is interrupted, so
/// that the work is given up at once. Ends with `close`, by the same thread; from then on no interrupt comes.
final class Presence implements AutoCloseable {
    private static final Duration LOOK = Duration.ofMillis(50);
    private static final Duration CONFIRMED = Duration.ofSeconds(2);

    private final @Nullable SocketChannel socket;
    private final Thread looking;

    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Thread worker = Thread.currentThread();
    private boolean left;

    private Presence(Exchange http) {
        socket = http.socket().orElse(null);
        http.onFailure(this::leave);
        looking = Thread.ofVirtual().name("presence").unstarted(this::look);
    }

    static Presence of(Exchange http) {
        var presence = new Presence(http);
        presence.looking.start();
        return presence;
    }

    private void look() {
        try {
            do {
                Thread.sleep(LOOK);
            } while (hangup() == Hangup.NONE);
            leave();
        } catch (InterruptedException done) {
            // the work has ended
        }
    }

    private Hangup hangup() {
        return socket == null ? Hangup.NONE : Hangup.of(socket);
    }

    private void leave() {
        lock.lock();
        try {
            left = true;
            if (worker != null) {
                worker.interrupt();
            }
        } finally {
            lock.unlock();
        }
    }

    /// True if nobody would read an answer.
    boolean gone() {
        return hangup() != Hangup.NONE || noticed();
    }

    /// True if what was sent last did not arrive; a client that has read it and closed is none of these. Waits a little until the other
    /// kernel has confirmed it or refused it: a client that closed a moment before the answer refuses it a moment after.
    boolean refused() {
        if (socket == null) {
            return false;
        }
        long until = System.nanoTime() + CONFIRMED.toNanos();
        try {
            while (Hangup.unconfirmed(socket) > 0 && hangup() != Hangup.RESET && System.nanoTime() < until) {
                Thread.sleep(1);
            }
        } catch (InterruptedException ending) {
            Thread.currentThread().interrupt();
        }
        return hangup() == Hangup.RESET;
    }

    private boolean noticed() {
        lock.lock();
        try {
            return left;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        looking.interrupt();
        lock.lock();
        try {
            worker = null;
            if (left) {
                Thread.interrupted(); // it was ours
            }
        } finally {
            lock.unlock();
        }
    }
}
