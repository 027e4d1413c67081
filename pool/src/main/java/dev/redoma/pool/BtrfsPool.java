// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.kernel.BlockingCalls;
import dev.redoma.kernel.Btrfs;
import dev.redoma.kernel.Dir;
import dev.redoma.kernel.Fd;
import dev.redoma.kernel.FsStat;
import dev.redoma.kernel.Open;
import dev.redoma.model.Bytes;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.SandboxId;
import dev.redoma.model.SnapshotId;
import dev.redoma.model.wire.Change;
import dev.redoma.model.wire.Finding;
import dev.redoma.pool.contents.Bounds;
import dev.redoma.pool.contents.ContentClass;
import dev.redoma.pool.contents.Manifest;
import dev.redoma.pool.contents.Order;
import dev.redoma.pool.contents.Scrub;
import dev.redoma.pool.contents.Tally;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The pool on Btrfs. One server at a time holds it (a lock file in the data directory); it survives the server, mounted, with
/// everything in it, until `release`. Calls that wait for the file system run on platform threads of their own.
public final class BtrfsPool implements Pool {
    private final Path data;
    private final PoolMount mount;
    private final Fd lock;
    private final Dir root;
    private final Layers layers;
    private final Disks disks;
    private final Subvolumes diskHome;
    private final Subvolumes saved;
    private final BtrfsVolumes volumes;
    private final Quotas quotas;
    private final Reviewed reviewed;

    private BtrfsPool(Path data, PoolMount mount, Fd lock) {
        this.data = data;
        this.mount = mount;
        this.lock = lock;
        this.root = Dir.open(mount.root());
        this.quotas = Quotas.enable(root, mount.fresh());
        this.layers = new Layers(root, mount.root());
        this.diskHome = Subvolumes.in(root, mount.root(), "disks");
        this.disks = new Disks(diskHome, quotas);
        this.saved = Subvolumes.in(root, mount.root(), "saved");
        this.volumes = new BtrfsVolumes(Subvolumes.in(root, mount.root(), "volumes"), quotas);
        this.reviewed = new Reviewed(Subvolumes.in(root, mount.root(), "starts"), Subvolumes.in(root, mount.root(), "ended"), quotas);
        layers.owners().stream().filter(s -> disks.find(s).isEmpty()).forEach(layers::deleteOwn);
    }

    /// Opens the pool of a data directory: makes it if there is none, mounts it if it is not mounted, removes what is half-made.
    public static BtrfsPool open(Path dataDirectory, Backing backing) {
        return BlockingCalls.call(() -> {
            var data = dataDirectory.toRealPath();
            var lock = Fd.open(data.resolve("pool.lock"), Open.RDWR | Open.CREAT | Open.NOFOLLOW, 0600);
            try {
                if (!lock.tryLock()) {
                    throw Problem.of(Code.HOST_FAILED, "another server holds the pool", "Stop it, or use another data directory.").raise();
                }
                return new BtrfsPool(data, PoolMount.open(data, backing), lock);
            } catch (RuntimeException e) {
                lock.close();
                throw e;
            }
        });
    }

    @Override
    public Path root() {
        return mount.root();
    }

    @Override
    public Imported importTar(InputStream tar, Consumer<Progress> progress, Consumer<LayerId> named) {
        return BlockingCalls.callLong(() -> layers.importTar(tar, ImportLimits.within(space().freeBytes()), progress, named));
    }

    @Override
    public LayerStack stack(Consumer<LayerId> hold) {
        return layers.stack(ImportLimits.within(space().freeBytes()), hold);
    }

    @Override
    public LayerId layerOf(SandboxId sandbox, Consumer<LayerId> named) {
        return BlockingCalls.callLong(() -> {
            try (var disk = disks.open(sandbox)) {
                return layers.ofDisk(disk, named);
            }
        });
    }

    @Override
    public LayerId layerOf(SnapshotId sealed, Consumer<LayerId> named) {
        return BlockingCalls.callLong(() -> {
            try (var disk = saved.open(sealed.value())) {
                return layers.ofDisk(disk, named);
            }
        });
    }

    @Override
    public Path layerFor(LayerId layer, String tenant, @Nullable SandboxId perSandbox) {
        return layers.layerFor(layer, tenant, perSandbox);
    }

    @Override
    public List<LayerId> layers() {
        return layers.list();
    }

    @Override
    public Bytes sizeOf(LayerId layer) {
        return layers.sizeOf(layer);
    }

    @Override
    public void deleteLayer(LayerId layer) {
        BlockingCalls.run(() -> layers.delete(layer));
    }

    @Override
    public Disk createDisk(SandboxId sandbox, Bytes quota, long uidBase) {
        // In place: ten short calls cost less than waking another thread, and creation is what users wait for.
        return disks.create(sandbox, quota, uidBase);
    }

    @Override
    public Optional<Disk> disk(SandboxId sandbox) {
        return disks.find(sandbox);
    }

    @Override
    public Disk resetDisk(SandboxId sandbox, Bytes quota, long uidBase) {
        return BlockingCalls.call(() -> {
            var disk = disks.reset(sandbox, quota, uidBase);
            reviewed.deleteStart(sandbox);
            return disk;
        });
    }

    @Override
    public void quota(SandboxId sandbox, Bytes quota) {
        BlockingCalls.run(() -> disks.limit(sandbox, quota));
    }

    @Override
    public void deleteDisk(SandboxId sandbox) {
        BlockingCalls.run(() -> {
            disks.delete(sandbox);
            reviewed.deleteStart(sandbox);
            layers.deleteOwn(sandbox);
        });
    }

    @Override
    public void markStart(SandboxId sandbox) {
        BlockingCalls.run(() -> {
            try (var disk = disks.open(sandbox)) {
                reviewed.start(disk, sandbox);
            }
        });
    }

    @Override
    public Optional<Path> start(SandboxId sandbox) {
        return reviewed.start(sandbox);
    }

    @Override
    public boolean keepDisk(SandboxId sandbox) {
        return BlockingCalls.call(() -> reviewed.keep(diskHome.dir(), sandbox));
    }

    @Override
    public Optional<Path> kept(SandboxId sandbox) {
        return reviewed.kept(sandbox);
    }

    @Override
    public Bytes keptBytes(SandboxId sandbox) {
        return reviewed.bytes(sandbox);
    }

    @Override
    public void deleteKept(SandboxId sandbox) {
        BlockingCalls.run(() -> {
            reviewed.delete(sandbox);
            layers.deleteOwn(sandbox);
        });
    }

    @Override
    public Set<SandboxId> reviewed() {
        return reviewed.all();
    }

    @Override
    public Bytes used(SandboxId sandbox) {
        return disks.used(sandbox);
    }

    @Override
    public List<SandboxId> disks() {
        return disks.list();
    }

    @Override
    public void copy(SandboxId sandbox, SnapshotId snapshot) {
        BlockingCalls.run(() -> {
            try (var source = disks.open(sandbox)) {
                saved.copy(source, snapshot.value());
            }
        });
    }

    @Override
    public void copy(SnapshotId sealed, SnapshotId snapshot) {
        BlockingCalls.run(() -> {
            try (var source = saved.open(sealed.value())) {
                saved.copy(source, snapshot.value());
            }
        });
    }

    @Override
    public Map<ContentClass, Tally> scrub(List<SnapshotId> copies, Map<ContentClass, Order> orders) {
        List<Path> uppers = copies.stream().map(id -> saved.halfPath(id.value()).resolve("upper")).toList();
        // A few calls where nothing is looked at; else it may take long.
        return orders.values().stream().allMatch(o -> o == Order.KEEP)
                ? BlockingCalls.call(() -> Scrub.run(uppers, orders, Bounds.STANDARD))
                : BlockingCalls.callLong(() -> Scrub.run(uppers, orders, Bounds.STANDARD));
    }

    @Override
    public void seal(SnapshotId snapshot) {
        BlockingCalls.run(() -> saved.seal(snapshot.value()));
    }

    @Override
    public Manifest contents(List<SnapshotId> disk, List<Path> lowers) {
        return BlockingCalls.callLong(() -> Scrub.look(disk.stream().map(this::upperOf).toList(), lowers, Bounds.STANDARD));
    }

    private Path upperOf(SnapshotId snapshot) {
        return saved.path().resolve(snapshot.value()).resolve("upper");
    }

    @Override
    public Optional<Path> snapshotUpper(SnapshotId snapshot) {
        return saved.has(snapshot.value()) ? Optional.of(upperOf(snapshot)) : Optional.empty();
    }

    @Override
    public void deleteSnapshot(SnapshotId snapshot) {
        BlockingCalls.run(() -> {
            saved.destroyHalf(snapshot.value());
            saved.destroy(snapshot.value());
        });
    }

    @Override
    public List<SnapshotId> snapshots() {
        return saved.names().stream().map(SnapshotId::new).toList();
    }

    @Override
    public PoolVolumes volumes() {
        return volumes;
    }

    @Override
    public List<Change> changes(Compared views, int limit) {
        return BlockingCalls.callLong(() -> ChangeReader.read(views, limit));
    }

    @Override
    public boolean isDirectory(Compared views) {
        return BlockingCalls.call(() -> {
            try (var now = views.now(); var at = now.at(views.root())) {
                return !at.layers().isEmpty();
            }
        });
    }

    @Override
    public List<dev.redoma.model.wire.FilePatch> patches(Compared views, List<Change> changes) {
        return BlockingCalls.callLong(() -> TextPatches.of(views, changes));
    }

    @Override
    public void requireRealDirectories(Path upper, List<Path> lowers) {
        RootCheck.require(upper, lowers);
    }

    @Override
    public Space space() {
        try (var backing = Dir.open(data)) {
            var pool = FsStat.of(root.fd());
            long behind = mount.mounted() ? FsStat.of(backing.fd()).available() : Long.MAX_VALUE;
            return new Space(Math.min(pool.available(), behind), pool.total());
        }
    }

    @Override
    public void trim(Set<LayerId> keep) {
        BlockingCalls.run(() -> layers.trim(keep));
    }

    /// What this pool stands on, for `doctor`.
    public List<Finding> findings() {
        return Findings.of(mount, quotas, space());
    }

    @Override
    public void settle() {
        BlockingCalls.run(() -> Btrfs.sync(root));
    }

    /// Lets go of the pool and leaves it mounted: sandboxes go on.
    @Override
    public void close() {
        layers.close();
        diskHome.close();
        saved.close();
        volumes.close();
        reviewed.close();
        root.close();
        lock.close();
    }

    /// Closes and unmounts; the loop device frees itself. EBUSY while a sandbox lives.
    public void release() {
        close();
        BlockingCalls.run(mount::release);
    }

    /// As `release`, of a pool that nobody holds and that need not be whole.
    public static void unmount(Path dataDirectory) {
        BlockingCalls.run(() -> PoolMount.unmount(dataDirectory));
    }
}
