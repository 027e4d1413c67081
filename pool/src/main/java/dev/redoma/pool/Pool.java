// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.model.Bytes;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.SandboxId;
import dev.redoma.model.SnapshotId;
import dev.redoma.model.wire.Change;
import dev.redoma.pool.contents.ContentClass;
import dev.redoma.pool.contents.Manifest;
import dev.redoma.pool.contents.Order;
import dev.redoma.pool.contents.Tally;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The file-system pool of one installation: a Btrfs file system that holds template layers, one subvolume per sandbox, and
/// saved uppers (snapshots). Thread-safe. Creation and deletion are idempotent, so that an interrupted one is repeated.
public interface Pool extends AutoCloseable {

    /// Root of the mounted pool (0700).
    Path root();

    // --- template layers: immutable directories, uid 0 based, named by the digest of their content

    /// Unpacks a root file system tar (plain, gzip or zstd; hostile input) into a new layer; nothing stays on failure.
    default LayerId importTar(java.io.InputStream tar, Consumer<Progress> progress) {
        return importTar(tar, progress, layer -> {}).layer();
    }

    /// The same; `named` is told the layer just before it takes its place (or is found there), so that it can be held.
    Imported importTar(java.io.InputStream tar, Consumer<Progress> progress, Consumer<LayerId> named);

    /// Begins to put the layers of an image together. Close it. Each layer is named to `hold` before it is looked for or put in place, so
    /// that nobody removes it as long as the caller needs it.
    default LayerStack stack(Consumer<LayerId> hold) {
        throw Problem.of(Code.NOT_OFFERED, "This pool takes no images.", "Import a root file system tar.").raise();
    }

    /// The directory to mount as lower for a tenant: that tenant's own Btrfs snapshot of the layer (its own page cache), made on
    /// first use. `perSandbox` non-null: a snapshot for that sandbox alone (`untrusted: true`).
    Path layerFor(LayerId layer, String tenant, @Nullable SandboxId perSandbox);

    /// Layers stored, with their sizes in bytes.
    List<LayerId> layers();

    Bytes sizeOf(LayerId layer);

    /// With all copies of it; done again if it was interrupted. Nobody has it mounted.
    void deleteLayer(LayerId layer);

    /// Has the space of what was deleted freed now (in the background) instead of at the next commit.
    default void settle() {}

    /// Makes a layer of what a sandbox changed: its upper as it is now, which the caller froze or ended, counted from uid 0, without
    /// what the start itself left and what no layer may hold (sockets, devices, attributes of others). The disk stays.
    /// `named` as in `importTar`.
    default LayerId layerOf(SandboxId sandbox, Consumer<LayerId> named) {
        throw Problem.of(Code.NOT_OFFERED, "This pool makes no layers of disks: " + sandbox + ".", "Import a tar instead.").raise();
    }

    /// The same of the saved upper of a snapshot, which stays as it is.
    default LayerId layerOf(SnapshotId sealed, Consumer<LayerId> named) {
        throw Problem.of(Code.NOT_OFFERED, "This pool makes no layers of saved disks: " + sealed + ".", "Import a tar instead.").raise();
    }

    // --- sandbox disks

    /// Makes the subvolume of a sandbox with `upper` (owned by `uidBase`, mode 0755) and `work` in it and its quota in force.
    Disk createDisk(SandboxId sandbox, Bytes quota, long uidBase);

    /// The disk of a sandbox, if it is there.
    java.util.Optional<Disk> disk(SandboxId sandbox);

    /// Empties a disk: a fresh subvolume under the same name and quota.
    Disk resetDisk(SandboxId sandbox, Bytes quota, long uidBase);

    /// Sets another quota on a disk; in force when this returns.
    default void quota(SandboxId sandbox, Bytes quota) {
        throw Problem.of(Code.NOT_ENFORCEABLE, "The quota of a disk cannot be changed here: " + sandbox + ".", "Make a new sandbox.").raise();
    }

    void deleteDisk(SandboxId sandbox);

    /// Bytes in use as accounted for the quota.
    Bytes used(SandboxId sandbox);

    List<SandboxId> disks();

    // --- what a review stands on

    /// Keeps how a disk is at this instant, for `Compared`; the caller froze the sandbox. Goes with the disk; takes the place of an earlier one.
    default void markStart(SandboxId sandbox) {
        throw Problem.of(Code.NOT_OFFERED, "This pool keeps no starts: " + sandbox + ".", "Compare with the template.").raise();
    }

    /// The upper directory as it was then.
    default java.util.Optional<Path> start(SandboxId sandbox) {
        return java.util.Optional.empty();
    }

    /// Takes the disk of an ended sandbox away from the others, with all that is in it; false if there is none, and none was kept before.
    default boolean keepDisk(SandboxId sandbox) {
        deleteDisk(sandbox);
        return false;
    }

    /// The upper directory of a kept one.
    default java.util.Optional<Path> kept(SandboxId sandbox) {
        return java.util.Optional.empty();
    }

    default Bytes keptBytes(SandboxId sandbox) {
        return new Bytes(0);
    }

    /// With its start.
    default void deleteKept(SandboxId sandbox) {}

    /// Those that have a kept disk or a start.
    default java.util.Set<SandboxId> reviewed() {
        return java.util.Set.of();
    }

    // --- saved uppers

    /// Copies a sandbox's subvolume (a Btrfs snapshot, O(1) in the amount changed) to be made ready; the caller froze the sandbox. It is
    /// not there for anybody else until it is sealed.
    void copy(SandboxId sandbox, SnapshotId snapshot);

    /// The same of a sealed one.
    void copy(SnapshotId sealed, SnapshotId snapshot);

    /// Takes out of copies what makes a machine that one machine, and brings them to what is ordered of each class; what is not named is
    /// kept. `copies`: all the saved uppers of one disk that are not known to be so, top first. Returns what was taken out. CONTENTS_REFUSED,
    /// SCRUB_FAILED.
    Map<ContentClass, Tally> scrub(List<SnapshotId> copies, Map<ContentClass, Order> orders);

    /// Makes a copy immutable and gives it its name.
    void seal(SnapshotId snapshot);

    /// What is in the saved uppers of one disk (top first), against the layers below them. Reads all that was changed.
    Manifest contents(List<SnapshotId> saved, List<Path> lowers);

    /// Copied and sealed as it is.
    default Path snapshot(SandboxId sandbox, SnapshotId snapshot) {
        copy(sandbox, snapshot);
        seal(snapshot);
        return snapshotUpper(snapshot).orElseThrow();
    }

    /// The saved upper directory of a snapshot.
    java.util.Optional<Path> snapshotUpper(SnapshotId snapshot);

    /// In whatever state it is.
    void deleteSnapshot(SnapshotId snapshot);

    List<SnapshotId> snapshots();

    PoolVolumes volumes();

    // --- review

    /// What differs, by our own reader. At most `limit` entries; where there are more, the last one's path is empty and its kind `truncated`.
    List<Change> changes(Compared views, int limit);

    default List<Change> changes(Path upper, List<Path> lowers, int limit) {
        return changes(Compared.withTemplate(upper, lowers), limit);
    }

    /// The directory that is compared is there now, and reached without a link.
    default boolean isDirectory(Compared views) {
        return true;
    }

    /// How the text files of a change set differ.
    default List<dev.redoma.model.wire.FilePatch> patches(Compared views, List<Change> changes) {
        return List.of();
    }

    /// Refuses (WRONG_STATE, naming it) a root file system in which `/dev`, `/proc`, `/sys`, `/run`, `/etc` or `/tmp` is not a real
    /// directory. To be called before every start.
    void requireRealDirectories(Path upper, List<Path> lowers);

    /// Free and total bytes that the pool really has (the smaller of pool and what backs it).
    Space space();

    /// Layer snapshots per tenant that no longer have a use.
    void trim(java.util.Set<LayerId> keep);

    @Override
    void close();

    /// A sandbox's disk. `upper` and `work` lie on one subvolume.
    record Disk(Path subvolume, Path upper, Path work) {}

    record Space(long freeBytes, long totalBytes) {}

    /// A new layer, and what of the tar is not in it: device nodes, capabilities (whole or in part), other attributes.
    record Imported(LayerId layer, int devices, int capabilities, int attributes) {}

    /// Progress of a long job: bytes or items done of total (0: not known).
    record Progress(String what, long done, long total) {}
}
