// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.ClientException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/// Does something when we are ended by Ctrl-C, TERM or HUP before `close`.
final class OnInterrupt implements AutoCloseable {
    private static final Duration MAKING = Duration.ofSeconds(15);

    private final Thread hook;

    /// Does it to what is being made; while that is on its way it is waited for, so that nothing is left that nobody knows of.
    static <T> OnInterrupt of(CompletableFuture<T> made, Consumer<T> action) {
        return new OnInterrupt(() -> {
            try {
                action.accept(made.get(MAKING.toMillis(), TimeUnit.MILLISECONDS));
            } catch (ExecutionException | TimeoutException notMade) {
                // There is nothing to end.
            } catch (InterruptedException hurried) {
                Thread.currentThread().interrupt();
            }
        });
    }

    OnInterrupt(Runnable action) {
        hook = new Thread(() -> {
            try {
                action.run();
            } catch (ClientException unreachable) {
                // Nobody is left to be told; the sandbox's own limits end it.
            }
        }, "interrupted");
        Runtime.getRuntime().addShutdownHook(hook);
    }

    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException ending) {
            // It is running already.
        }
    }
}
