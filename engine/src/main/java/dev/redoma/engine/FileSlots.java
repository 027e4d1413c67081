// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.SandboxId;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/// How many operations of a kind are under way in each sandbox, and may be: each holds a thread here and one inside. Thread-safe.
final class FileSlots {
    private final String kind;
    private final int most;
    private final ConcurrentHashMap<SandboxId, Integer> taken = new ConcurrentHashMap<>();

    FileSlots(String kind, int most) {
        this.kind = kind;
        this.most = most;
    }

    /// One of the places; given back by its `close`, which does no harm twice.
    Slot take(SandboxId sandbox) {
        taken.compute(sandbox, (id, n) -> {
            int here = n == null ? 0 : n;
            if (here >= most) {
                throw Problem.of(Code.QUOTA_EXCEEDED, "This sandbox has " + here + " " + kind + " under way, the most allowed.", "Wait for one to end.")
                        .with("limit", most).with("inUse", here).raise();
            }
            return here + 1;
        });
        var open = new AtomicBoolean(true);
        return () -> {
            if (open.compareAndSet(true, false)) {
                taken.computeIfPresent(sandbox, (id, n) -> n > 1 ? n - 1 : null);
            }
        };
    }

    /// A place that is taken.
    interface Slot extends AutoCloseable {
        @Override
        void close();
    }
}
