// SPDX-License-Identifier: Apache-2.0
package dev.redoma.store;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/// A unit of work on its way: queued, then claimed by a thread of the store or withdrawn by its caller, then answered.
/// A claimed job is always answered, so its caller waits for it even when interrupted: what became of it is never unknown.
final class Job<T extends @Nullable Object> {
    private static final long TURN_SECONDS = 30;

    private final Store.Unit<T> unit;
    private final boolean virtual = Thread.currentThread().isVirtual();
    private final AtomicBoolean claimed = new AtomicBoolean();
    private final CompletableFuture<@Nullable T> answer = new CompletableFuture<>();
    private @Nullable T result;

    Job(Store.Unit<T> unit) {
        this.unit = unit;
    }

    boolean claim() {
        return claimed.compareAndSet(false, true);
    }

    /// Whether a virtual thread waits for the answer.
    boolean ofVirtual() {
        return virtual;
    }

    void run(Handle handle) {
        result = unit.run(handle);
    }

    void succeed() {
        answer.complete(result);
    }

    void fail(Throwable cause) {
        answer.completeExceptionally(cause);
    }

    @SuppressWarnings("NullAway") // null exactly where T allows it
    T await() {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return answer.get(TURN_SECONDS, TimeUnit.SECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                    withdraw(Code.STOPPING, "The call was interrupted before the database took it up.");
                } catch (TimeoutException e) {
                    withdraw(Code.RECORD_FAILED, "The database did not take the call up within " + TURN_SECONDS + " s.");
                } catch (ExecutionException e) {
                    throw Job.<RuntimeException>sneak(e.getCause());
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void withdraw(Code code, String message) {
        if (claim()) {
            throw Problem.of(code, message, "Nothing was changed. Try again later.").raise();
        }
    }

    @SuppressWarnings("unchecked") // the unit's own exception, as it was thrown
    private static <X extends Throwable> X sneak(Throwable thrown) throws X {
        throw (X) thrown;
    }
}
