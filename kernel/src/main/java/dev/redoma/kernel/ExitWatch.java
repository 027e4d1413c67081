// SPDX-License-Identifier: Apache-2.0
package dev.redoma.kernel;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// Tells when processes end: one platform thread for any number of them. Actions run on virtual threads of their own.
/// Thread-safe.
public final class ExitWatch implements AutoCloseable {
    private static final int EVENT_BYTES = 12;
    private static final int BATCH = 64;
    private static final int EPOLLIN = 1;
    private static final int ADD = 1;
    private static final int DEL = 2;
    private static final int WAKE_EVERY_MS = 500;

    private final Fd epoll;
    private final Map<Integer, Watched> watched = new ConcurrentHashMap<>();
    private final Thread thread;
    private volatile boolean closed;

    private record Watched(Pidfd process, Runnable action) {}

    public ExitWatch() {
        this.epoll = new Fd(Sys.check(Sys.retried(Nr.EPOLL_CREATE1, 0x80000, 0, 0), "epoll_create1", ""), "epoll");
        this.thread = Thread.ofPlatform().daemon().name("redoma-exits").start(this::loop);
    }

    /// Runs the action once when that process has ended. Takes the handle over and closes it.
    public void onExit(Pidfd process, Runnable action) {
        int number = process.number();
        watched.put(number, new Watched(process, action));
        try {
            control(ADD, number);
        } catch (KernelException e) {
            watched.remove(number);
            throw e;
        }
    }

    private void control(int operation, int fd) {
        try (var arena = Arena.ofConfined()) {
            var event = arena.allocate(EVENT_BYTES, 8);
            event.set(ValueLayout.JAVA_INT, 0, EPOLLIN);
            event.set(ValueLayout.JAVA_INT_UNALIGNED, 4, fd);
            Sys.check(Sys.retried(Nr.EPOLL_CTL, epoll.number(), operation, fd, event.address(), 0, 0), "epoll_ctl", "");
        }
    }

    private void loop() {
        try (var arena = Arena.ofConfined()) {
            var events = arena.allocate((long) EVENT_BYTES * BATCH, 8);
            while (!closed) {
                long n = Sys.retried(Nr.EPOLL_WAIT, epoll.number(), events.address(), BATCH, WAKE_EVERY_MS, 0, 0);
                Sys.check(n, "epoll_wait", "");
                for (int i = 0; i < n; i++) {
                    ended(events, i);
                }
            }
        } finally {
            epoll.close();
            watched.values().forEach(w -> w.process.close());
        }
    }

    private void ended(MemorySegment events, int i) {
        int fd = events.get(ValueLayout.JAVA_INT_UNALIGNED, (long) i * EVENT_BYTES + 4);
        var gone = watched.remove(fd);
        if (gone != null) {
            control(DEL, fd);
            gone.process.close();
            Thread.ofVirtual().name("exit-of-" + gone.process.pid()).start(gone.action);
        }
    }

    @Override
    public void close() {
        closed = true;
        if (Thread.currentThread() != thread) {
            try {
                thread.join(2 * WAKE_EVERY_MS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
