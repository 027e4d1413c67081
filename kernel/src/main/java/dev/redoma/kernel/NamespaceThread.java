// SPDX-License-Identifier: Apache-2.0
package dev.redoma.kernel;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/// The one thread that goes into other network namespaces, for no longer than it takes to open a socket there. No thread may be born
/// meanwhile by it (it would stay in there), so everything that opening a socket loads or starts has been loaded and started before. One that
/// cannot get home retires: it runs nothing any more, and the next is made by a thread that never left.
final class NamespaceThread {
    private static final int CLONE_NEWNET = 0x4000_0000;
    private static final Object LOCK = new Object();
    private static NamespaceThread current = new NamespaceThread();

    private final LinkedBlockingQueue<FutureTask<?>> tasks = new LinkedBlockingQueue<>();
    private volatile boolean retired;
    private @Nullable Fd home;

    private NamespaceThread() {
        Thread.ofPlatform().daemon().name("redoma-namespaces").start(this::serve);
    }

    /// Runs it in there and waits for its end, also when interrupted meanwhile (the interrupt is kept).
    static <T> T inside(Fd namespace, Callable<T> work) {
        while (true) {
            NamespaceThread thread = alive();
            var task = new FutureTask<>(() -> thread.visit(namespace, work));
            thread.tasks.add(task);
            if (thread.retired) {
                task.cancel(false); // nobody may come for it any more
            }
            try {
                return await(task);
            } catch (CancellationException retiredMeanwhile) {
                // nothing was begun
            }
        }
    }

    private static NamespaceThread alive() {
        synchronized (LOCK) {
            if (current.retired) {
                current = new NamespaceThread();
            }
            return current;
        }
    }

    private void serve() {
        try (var home = Fd.open(Path.of("/proc/thread-self/ns/net"), Open.RDONLY, 0)) {
            warmUp(home);
            this.home = home;
            while (!retired) {
                take().run();
            }
        } finally {
            retired = true;
            for (FutureTask<?> left = tasks.poll(); left != null; left = tasks.poll()) {
                left.cancel(false);
            }
        }
    }

    private FutureTask<?> take() {
        while (true) {
            try {
                return tasks.take();
            } catch (InterruptedException nobodyAsks) {
                // this thread is known to nobody who could
            }
        }
    }

    private static void warmUp(Fd home) {
        try {
            ServerSocketChannel.open().close();
            SocketChannel.open().close();
            DatagramChannel.open().close();
            enter(home);
            Thread.ofVirtual().start(() -> {}).join();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void enter(Fd namespace) {
        Sys.check(Sys.retried(Nr.SETNS, namespace.number(), CLONE_NEWNET, 0), "setns", namespace.what());
    }

    private <T> T visit(Fd namespace, Callable<T> work) throws Exception {
        enter(namespace);
        try {
            return work.call();
        } finally {
            try {
                enter(java.util.Objects.requireNonNull(home));
            } catch (RuntimeException lost) {
                retired = true;
                throw lost;
            }
        }
    }

    private static <T> T await(FutureTask<T> task) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return task.get();
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
            if (e.getCause() instanceof IOException cause) {
                throw new UncheckedIOException(cause);
            }
            throw new IllegalStateException(e.getCause());
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
