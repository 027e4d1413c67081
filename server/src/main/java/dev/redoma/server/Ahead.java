// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/// Something that is opened beside other work, to be ready when it is needed. Closing waits for it and closes it.
final class Ahead<T extends AutoCloseable> implements AutoCloseable {
    private final FutureTask<T> task;

    private Ahead(FutureTask<T> task) {
        this.task = task;
    }

    static <T extends AutoCloseable> Ahead<T> open(String name, Callable<T> how) {
        var task = new FutureTask<>(how);
        Thread.ofPlatform().daemon().name("open-" + name).start(task);
        return new Ahead<>(task);
    }

    T get() {
        try {
            return task.get();
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof RedomaException ours) {
                throw ours;
            }
            throw new IllegalStateException(failed.getCause());
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
            throw Problem.of(Code.STOPPING, "Interrupted while starting.", "Start again.").raise(ended);
        }
    }

    @Override
    public void close() throws Exception {
        T opened;
        try {
            opened = task.get();
        } catch (ExecutionException neverOpened) {
            return; // told by `get`
        }
        opened.close();
    }
}
