// SPDX-License-Identifier: Apache-2.0
package dev.redoma.kernel;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/// A few platform threads for calls that may block in the kernel (sync, mount, large reads), where they would pin the carriers of
/// virtual threads. Threads end after half a minute without work.
public final class BlockingCalls {
    private static final int THREADS = 8;
    private static final ExecutorService POOL = pool();
    private static final Semaphore LONG = new Semaphore(16);

    private BlockingCalls() {}

    private static ExecutorService pool() {
        var factory = Thread.ofPlatform().daemon().name("redoma-blocking-", 0).factory();
        var pool = new ThreadPoolExecutor(THREADS, THREADS, 30, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory);
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /// Runs it there and waits for its end, also when interrupted meanwhile (a system call cannot be taken back; the interrupt is kept).
    /// On a platform thread it runs in place.
    public static <T> T call(Callable<T> work) {
        if (!Thread.currentThread().isVirtual()) {
            return inPlace(work);
        }
        return await(POOL.submit(work));
    }

    /// For jobs of seconds or more (an import, a large comparison): each on a platform thread of its own, at most sixteen at once.
    public static <T> T callLong(Callable<T> work) {
        LONG.acquireUninterruptibly();
        try {
            var task = new FutureTask<>(work);
            Thread.ofPlatform().daemon().name("redoma-long").start(task);
            return await(task);
        } finally {
            LONG.release();
        }
    }

    public static void run(Runnable work) {
        call(() -> {
            work.run();
            return true;
        });
    }

    private static <T> T inPlace(Callable<T> work) {
        try {
            return work.call();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static <T> T await(Future<T> future) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return future.get();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            if (e.getCause() instanceof Error cause) {
                throw cause;
            }
            throw new IllegalStateException(e.getCause());
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
