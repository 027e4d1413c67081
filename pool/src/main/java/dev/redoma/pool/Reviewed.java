// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.kernel.Dir;
import dev.redoma.kernel.Errno;
import dev.redoma.kernel.KernelException;
import dev.redoma.model.Bytes;
import dev.redoma.model.SandboxId;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// What change sets stand on beside the disks themselves: snapshots of disks as they were at a start, and the disks of ended sandboxes. Both cost what they alone hold. Thread-safe.
final class Reviewed implements AutoCloseable {
    private final Subvolumes starts;
    private final Subvolumes kept;
    private final Quotas quotas;

    Reviewed(Subvolumes starts, Subvolumes kept, Quotas quotas) {
        this.starts = starts;
        this.kept = kept;
        this.quotas = quotas;
    }

    void start(Dir disk, SandboxId id) {
        starts.destroy(id.value());
        starts.copy(disk, id.value());
        starts.seal(id.value());
    }

    Optional<Path> start(SandboxId id) {
        return upper(starts, id);
    }

    boolean keep(Dir disks, SandboxId id) {
        try {
            kept.take(disks, id.value());
            return true;
        } catch (KernelException e) {
            if (e.is(Errno.ENOENT)) {
                return kept.has(id.value());
            }
            throw e;
        }
    }

    Optional<Path> kept(SandboxId id) {
        return upper(kept, id);
    }

    Bytes bytes(SandboxId id) {
        long sum = 0;
        for (var home : new Subvolumes[] {starts, kept}) {
            if (home.has(id.value())) {
                try (var dir = home.open(id.value())) {
                    sum += quotas.used(dir);
                }
            }
        }
        return new Bytes(sum);
    }

    void deleteStart(SandboxId id) {
        starts.destroy(id.value());
    }

    void delete(SandboxId id) {
        starts.destroy(id.value());
        kept.destroy(id.value());
    }

    Set<SandboxId> all() {
        return Stream.concat(starts.names().stream(), kept.names().stream()).map(SandboxId::new).collect(Collectors.toSet());
    }

    private static Optional<Path> upper(Subvolumes home, SandboxId id) {
        return home.has(id.value()) ? Optional.of(home.path(id.value()).resolve("upper")) : Optional.empty();
    }

    @Override
    public void close() {
        starts.close();
        kept.close();
    }
}
