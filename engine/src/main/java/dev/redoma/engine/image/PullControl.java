// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine.image;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.pool.Pool;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// The way to watch a pull and to break it off. Thread-safe.
public final class PullControl {
    private final Consumer<Pool.Progress> progress;
    private final CountDownLatch cancelled = new CountDownLatch(1);
    private volatile Runnable breakOff = () -> {};

    public PullControl(Consumer<Pool.Progress> progress) {
        this.progress = progress;
    }

    public void cancel() {
        cancelled.countDown();
        breakOff.run();
    }

    boolean isCancelled() {
        return cancelled.getCount() == 0;
    }

    public void check() {
        if (isCancelled()) {
            throw Problem.of(Code.WRONG_STATE, "The pull was cancelled.", "Begin it again.").raise();
        }
    }

    /// What ends the wait for the network that begins now.
    void breakOff(Runnable action) {
        breakOff = action;
        if (isCancelled()) {
            action.run();
        }
    }

    void pause(Duration time) {
        try {
            if (cancelled.await(time.toMillis(), TimeUnit.MILLISECONDS)) {
                check();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Problem.of(Code.STOPPING, "The server is stopping.", "Begin the pull again.").raise(e);
        }
    }

    public void tell(String what, long done, long total) {
        progress.accept(new Pool.Progress(what, done, total));
    }
}
