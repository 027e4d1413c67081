// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.kernel.Btrfs;
import dev.redoma.kernel.Dir;
import dev.redoma.kernel.Errno;
import dev.redoma.kernel.KernelException;
import dev.redoma.kernel.Open;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Disk quotas of the pool: Btrfs simple quotas where the kernel has them, else classic groups. Proven by a write beyond a limit
/// before anything relies on them.
///
/// With simple quotas data that a snapshot still holds stays charged to the sandbox that wrote it, until the snapshot is
/// deleted; in return the cost of a snapshot or deletion does not depend on what is shared (classic groups stalled the whole
/// pool for seconds while layer snapshots were dropped).
final class Quotas {
    private static final long PROOF_LIMIT = 1L << 20;
    /// Never let the kernel give up counting because a dropped tree is large: limits would silently stop to bite.
    private static final String ALWAYS_COUNT = "8";

    private final Path facts;
    private final boolean mayLoseCount;

    private Quotas(Path facts) {
        this.facts = facts;
        this.mayLoseCount = !isSimple();
    }

    /// True where the writer alone is charged.
    boolean isSimple() {
        var mode = facts.resolve("mode");
        return Files.exists(mode) && text(mode).equals("squota");
    }

    /// `proveAnew`: not where an earlier server did since the pool was mounted (the proof makes the file system commit).
    static Quotas enable(Dir root, boolean proveAnew) {
        var facts = Path.of("/sys/fs/btrfs", Btrfs.uuid(root), "qgroups");
        boolean present = Files.exists(facts);
        if (!present) {
            switchOn(root);
        }
        var quotas = new Quotas(facts);
        quotas.keepCounting();
        if (proveAnew || !present) {
            quotas.prove(root);
        }
        return quotas;
    }

    private static void switchOn(Dir root) {
        try {
            Btrfs.enableQuota(root, Btrfs.Quota.SIMPLE);
        } catch (KernelException e) {
            if (!e.is(Errno.EINVAL, Errno.EOPNOTSUPP, Errno.ENOTTY)) {
                throw e;
            }
            Btrfs.enableQuota(root, Btrfs.Quota.CLASSIC);
        }
    }

    private void keepCounting() {
        var threshold = facts.resolve("drop_subtree_threshold");
        if (Files.exists(threshold)) {
            try {
                Files.writeString(threshold, ALWAYS_COUNT);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private void prove(Dir root) {
        var name = "proof.new";
        if (root.has(name)) {
            Btrfs.destroy(root, name);
        }
        Btrfs.createSubvolume(root, name);
        try (var dir = root.dirAt(name); var file = dir.openAt("f", Open.WRONLY | Open.CREAT, 0600)) {
            Btrfs.limit(dir, PROOF_LIMIT);
            file.write(new byte[(int) (2 * PROOF_LIMIT)]);
            throw Problem.of(Code.NOT_ENFORCEABLE, "a disk limit does not bite on this host", "Use a kernel whose Btrfs enforces quotas.").raise();
        } catch (KernelException e) {
            if (!e.is(Errno.EDQUOT)) {
                throw e;
            }
        } finally {
            Btrfs.destroy(root, name);
        }
    }

    /// Puts the limit in force, or throws NOT_ENFORCEABLE.
    void limit(Dir subvolume, long bytes) {
        if (mayLoseCount && value(facts.resolve("inconsistent")) != 0) {
            Btrfs.startRescan(subvolume);
            throw Problem.of(Code.NOT_ENFORCEABLE, "the pool's quota counts are being made anew", "Try again in a moment.").raise();
        }
        Btrfs.limit(subvolume, bytes);
    }

    /// Bytes charged now, those of writes on their way included.
    long used(Dir subvolume) {
        var group = facts.resolve("0_" + Btrfs.subvolumeId(subvolume));
        return value(group.resolve("referenced")) + value(group.resolve("rsv_data"));
    }

    private static long value(Path file) {
        return Long.parseLong(text(file));
    }

    private static String text(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
