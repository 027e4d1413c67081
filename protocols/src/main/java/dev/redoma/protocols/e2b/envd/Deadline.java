// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.envd;

import dev.redoma.http.Exchange;
import dev.redoma.model.Amounts;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// When a client wants an answer at the latest.
final class Deadline {
    private Deadline() {}

    /// As the client said; null where it did not, or said 0.
    static @Nullable Duration of(Exchange http) {
        var connect = http.header("Connect-Timeout-Ms");
        if (connect == null) {
            return null;
        }
        if (!connect.matches("[0-9]{1,10}")) {
            throw Problem.field("Connect-Timeout-Ms", "is no number of at most ten digits", "milliseconds");
        }
        long millis = Long.parseLong(connect);
        return millis == 0 ? null : Duration.ofMillis(millis);
    }

    /// Runs what answers an interrupt by an exception; after that time it is interrupted, and the call has failed for its deadline.
    static <T> T within(Duration atMost, Callable<T> work) throws Exception {
        var watch = new Watch(Thread.currentThread());
        var timer = Thread.ofVirtual().name("deadline").start(() -> watch.after(atMost));
        try {
            return work.call();
        } catch (Exception e) {
            throw watch.passed() ? Problem.of(Code.REQUEST_TIMEOUT, "The call was not done after " + Amounts.time(atMost) + ".", "Allow more time.").raise(e) : e;
        } finally {
            watch.over();
            timer.interrupt();
        }
    }

    private static final class Watch {
        private final ReentrantLock lock = new ReentrantLock();
        private @Nullable Thread worker;
        private boolean passed;

        Watch(Thread worker) {
            this.worker = worker;
        }

        void after(Duration time) {
            try {
                Thread.sleep(time);
            } catch (InterruptedException done) {
                return;
            }
            lock.lock();
            try {
                if (worker != null) {
                    passed = true;
                    worker.interrupt();
                }
            } finally {
                lock.unlock();
            }
        }

        boolean passed() {
            lock.lock();
            try {
                return passed;
            } finally {
                lock.unlock();
            }
        }

        void over() {
            lock.lock();
            try {
                worker = null;
                if (passed) {
                    Thread.interrupted(); // it was ours
                }
            } finally {
                lock.unlock();
            }
        }
    }
}
