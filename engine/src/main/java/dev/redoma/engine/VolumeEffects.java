// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Bytes;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.VolumeId;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What follows a volume's row with a target: done and confirmed, or undone; by the verb itself, or later by whoever finds the row. Each can
/// be done again from its beginning. One change of a volume at a time.
final class VolumeEffects {
    private static final Logger LOG = LoggerFactory.getLogger(VolumeEffects.class);

    private final Core core;
    private final ReentrantLock changing = new ReentrantLock();

    VolumeEffects(Core core) {
        this.core = core;
    }

    <T> T alone(Supplier<T> work) {
        try {
            if (!changing.tryLock(core.config().times().lock().toNanos(), TimeUnit.NANOSECONDS)) {
                throw Problem.of(Code.REQUEST_TIMEOUT, "Another change of a volume has not finished.", "Try again.").with("limit", "lock").raise();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Problem.of(Code.STOPPING, "The call was given up while it waited.", "Try again.").raise();
        }
        try {
            return work.get();
        } finally {
            changing.unlock();
        }
    }

    /// In bytes, as its quota counts it; null if it is not there: not yet, or deleted in this very moment.
    @Nullable Long used(VolumeId id) {
        if (core.pool().volumes().find(id).isEmpty()) {
            return null;
        }
        try {
            return (Long) core.pool().volumes().used(id).value();
        } catch (RuntimeException gone) {
            if (core.pool().volumes().find(id).isEmpty()) {
                return null;
            }
            throw gone;
        }
    }

    /// From a row whose target is `create`.
    VolumeRow made(VolumeRow row, String actor) {
        Faults.at("volume.begun");
        effect(row, actor, () -> core.pool().volumes().create(row.id(), new Bytes(row.sizeBytes()), row.uid(), row.gid()));
        Faults.at("volume.made");
        return settled(row, actor, "created");
    }

    /// From a row whose target is `create`, by a copy.
    VolumeRow copied(VolumeRow row, String actor, Runnable copy) {
        Faults.at("cache.begun");
        effect(row, actor, copy);
        Faults.at("cache.copied");
        return settled(row, actor, "created");
    }

    /// Nothing of a volume that could not be made stays.
    private void effect(VolumeRow row, String actor, Runnable making) {
        try {
            making.run();
        } catch (RuntimeException | Error failed) {
            removed(row, actor, "create.failed");
            throw failed;
        }
    }

    /// From a row whose target is `resize`; where that fails the volume has the size that it had.
    VolumeRow resized(VolumeRow before, long bytes, String actor) {
        Faults.at("volume.resizing");
        try {
            core.pool().volumes().limit(before.id(), new Bytes(bytes));
        } catch (RuntimeException | Error failed) {
            core.store().write(tx -> {
                VolumeRows.size(tx, before.id(), before.sizeBytes());
                core.records().volume(tx, before, Records.ENGINE, "resize.failed");
                return true;
            });
            throw failed;
        }
        return settled(before, actor, "resized");
    }

    private VolumeRow settled(VolumeRow row, String actor, String action) {
        return core.store().write(tx -> {
            VolumeRows.settle(tx, row.id());
            var now = VolumeRows.find(tx, row.id()).orElseThrow(); // after a resize another size than `row` says
            core.records().volume(tx, now, actor, action);
            return now;
        });
    }

    /// From a row whose target is `delete`.
    void deleted(VolumeRow row, String actor) {
        Faults.at("volume.deleting");
        removed(row, actor, "deleted");
    }

    private void removed(VolumeRow row, String actor, String action) {
        core.pool().volumes().delete(row.id());
        Faults.at("volume.removed");
        core.store().write(tx -> {
            VolumeRows.delete(tx, row.id());
            core.records().volume(tx, row, actor, action);
            return true;
        });
    }

    /// Changes that were begun and not confirmed. A copy of a cache goes its sandbox's way.
    void sweep() {
        alone(() -> {
            List<VolumeRow> begun = core.store().read(VolumeRows::all).stream().filter(v -> v.target() != null && v.kind() != VolumeRow.Kind.COPY).toList();
            begun.forEach(this::finish);
            return begun.size();
        });
    }

    private void finish(VolumeRow row) {
        try {
            switch (String.valueOf(row.target())) {
                case VolumeRow.RESIZE -> resized(row, row.sizeBytes(), Records.ENGINE);
                case VolumeRow.DELETE -> deleted(row, Records.ENGINE);
                default -> removed(row, Records.ENGINE, "create.failed");
            }
        } catch (RuntimeException again) {
            LOG.warn("{} of the volume {} cannot be finished yet", row.target(), row.id(), again);
        }
    }
}
