// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Where the engine's work runs. Verbs run each on a virtual thread of the engine's own, so that a client that goes away (and whose
/// thread is interrupted) never leaves one half done. One platform thread keeps time and hands what is due to virtual threads.
final class Background implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Background.class);
    private static final Duration LAST_WORK = Duration.ofSeconds(30);

    private final ExecutorService threads = Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("redoma-engine-", 0).factory());
    /// Parts of verbs: open until the last verb has ended.
    private final ExecutorService parts = Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("redoma-engine-part-", 0).factory());
    private final ScheduledThreadPoolExecutor clock =
            new ScheduledThreadPoolExecutor(1, Thread.ofPlatform().daemon().name("redoma-timers").factory());
    private volatile boolean stopping;

    Background() {
        clock.setRemoveOnCancelPolicy(true);
        clock.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /// Runs a verb to its end and answers with its outcome. If the caller's thread is interrupted meanwhile, the verb goes on without
    /// it and `orphaned` gets what came of it.
    <T> T call(Callable<T> verb, Consumer<T> orphaned) {
        if (stopping) {
            throw Problem.of(Code.STOPPING, "The server is stopping.", "Try again in a few seconds.").raise();
        }
        Future<T> outcome = threads.submit(verb);
        try {
            return outcome.get();
        } catch (InterruptedException e) {
            run("an orphaned call", () -> orphaned.accept(joined(outcome)));
            Thread.currentThread().interrupt();
            throw Problem.of(Code.REQUEST_TIMEOUT, "The caller went away before the answer.", "Ask for the present state, or try again.").raise();
        } catch (ExecutionException e) {
            throw rethrown(e.getCause() == null ? e : e.getCause());
        }
    }

    <T> T call(Callable<T> verb) {
        return call(verb, nobodyCares -> {});
    }

    /// A part of a verb, beside its other parts; the verb takes the outcome with `joined`.
    <T> Future<T> beside(Callable<T> part) {
        return parts.submit(part);
    }

    static <T> T joined(Future<T> part) {
        try {
            return part.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Problem.of(Code.STOPPING, "The server is stopping.", "Try again in a few seconds.").raise();
        } catch (ExecutionException e) {
            throw rethrown(e.getCause() == null ? e : e.getCause());
        }
    }

    private static RuntimeException rethrown(Throwable cause) {
        return switch (cause) {
            case RedomaException expected -> expected;
            case RuntimeException other -> other;
            case Error error -> throw error;
            default -> new IllegalStateException(cause);
        };
    }

    /// Something nobody waits for; a failure is logged.
    void run(String what, Runnable work) {
        if (!stopping) {
            threads.execute(() -> logged(what, work));
        }
    }

    ScheduledFuture<?> after(Duration delay, String what, Runnable work) {
        return clock.schedule(() -> run(what, work), Math.max(0, delay.toMillis()), TimeUnit.MILLISECONDS);
    }

    /// The next round begins that long after the one before ended.
    void every(Duration pause, String what, Runnable work) {
        if (!stopping) {
            after(pause, what, () -> {
                logged(what, work);
                every(pause, what, work);
            });
        }
    }

    private static void logged(String what, Runnable work) {
        try {
            work.run();
        } catch (RuntimeException | Error e) {
            LOG.warn("{} failed", what, e);
        }
    }

    boolean stopping() {
        return stopping;
    }

    /// Takes no new work; what was begun gets some time to end.
    @Override
    public void close() {
        stopping = true;
        clock.shutdownNow();
        threads.shutdown();
        try {
            if (!threads.awaitTermination(LAST_WORK.toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.warn("work was still going on after {} s; a restart finishes or undoes it", LAST_WORK.toSeconds());
                threads.shutdownNow();
            }
        } catch (InterruptedException e) {
            threads.shutdownNow();
            Thread.currentThread().interrupt();
        } finally {
            parts.shutdownNow();
        }
    }
}
