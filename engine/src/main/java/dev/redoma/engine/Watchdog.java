// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/// Ends waits on channels that have no timeouts of their own: looks at all watched ones five times a second and closes those
/// whose time is over. Arming costs one volatile write. Thread-safe.
final class Watchdog {
    static final Watchdog SHARED = new Watchdog();
    private static final long TICK = 200_000_000L;

    private final Set<Watched> all = ConcurrentHashMap.newKeySet();
    private final Thread thread = Thread.ofVirtual().name("redoma-watchdog").unstarted(this::run);

    private volatile boolean asleep;

    private Watchdog() {
        thread.start();
    }

    void add(Watched watched) {
        all.add(watched);
        if (asleep) {
            LockSupport.unpark(thread);
        }
    }

    void remove(Watched watched) {
        all.remove(watched);
    }

    private void run() {
        while (true) {
            asleep = true;
            if (all.isEmpty()) {
                LockSupport.park(this);
            } else {
                asleep = false;
                LockSupport.parkNanos(this, TICK);
                long now = System.nanoTime();
                all.forEach(w -> w.check(now));
            }
        }
    }

    /// Something that closes itself when its time is over; must not block.
    interface Watched {
        void check(long nanoTime);
    }
}
