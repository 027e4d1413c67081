// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.kernel.BlockingCalls;
import dev.redoma.kernel.Btrfs;
import dev.redoma.kernel.Dir;
import dev.redoma.kernel.Open;
import dev.redoma.model.Bytes;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.SandboxId;
import dev.redoma.model.TenantId;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Template layers: read-only subvolumes named by digest, each with the tree in `root` and the number of its bytes in `size`; and
/// the snapshots of them that tenants and untrusted sandboxes mount (`tenants/<tenant>/<digest>`, `own/<sandbox>/<digest>`).
final class Layers implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Layers.class);

    private final Dir pool;
    private final Subvolumes home;
    private final Snapshots tenants;
    private final Snapshots own;

    Layers(Dir pool, Path poolPath) {
        this.pool = pool;
        this.home = Subvolumes.in(pool, poolPath, "layers");
        this.tenants = new Snapshots(pool, poolPath, "tenants");
        this.own = new Snapshots(pool, poolPath, "own");
    }

    Pool.Imported importTar(InputStream tar, ImportLimits limits, Consumer<Pool.Progress> progress, Consumer<LayerId> named) {
        var half = "import-" + UUID.randomUUID();
        try {
            Pool.Imported made;
            try (var subvolume = home.half(half)) {
                made = fill(subvolume, tar, limits, progress);
                progress.accept(new Pool.Progress("syncing", 0, 0));
                seal(subvolume);
            }
            named(half, made.layer(), named);
            return made;
        } finally {
            home.destroyHalf(half);
        }
    }

    /// Of the upper of a disk at rest; its data are shared with the disk, not copied.
    LayerId ofDisk(Dir disk, Consumer<LayerId> named) {
        var half = "step-" + UUID.randomUUID();
        try {
            LayerId id;
            home.copyHalf(disk, half);
            try (var subvolume = home.openHalf(half)) {
                new UpperLayer(subvolume).convert();
                try (var root = subvolume.dirAt("root")) {
                    id = sized(subvolume, root, new LayerDigest(UpperLayer.DEPTH, Map.of()));
                }
                seal(subvolume);
            }
            return named(half, id, named);
        } finally {
            home.destroyHalf(half);
        }
    }

    private static LayerId sized(Dir subvolume, Dir root, LayerDigest made) {
        try (var digest = made; var size = subvolume.openAt("size", Open.WRONLY | Open.CREAT | Open.EXCL, 0600)) {
            var id = digest.of(root);
            size.write(Long.toString(digest.bytes()).getBytes(StandardCharsets.US_ASCII));
            return id;
        }
    }

    private static void seal(Dir subvolume) {
        BlockingCalls.run(() -> Btrfs.sync(subvolume));
        Btrfs.setReadOnly(subvolume);
    }

    private LayerId named(String half, LayerId id, Consumer<LayerId> named) {
        named.accept(id);
        if (home.finishNew(half, id.hex())) {
            BlockingCalls.run(() -> Btrfs.sync(pool));
        }
        return id;
    }

    private static Pool.Imported fill(Dir subvolume, InputStream tar, ImportLimits limits, Consumer<Pool.Progress> progress) {
        subvolume.fd().chmod(0700);
        subvolume.mkdir("root", 0755);
        try (var root = subvolume.dirAt("root")) {
            root.fd().chmod(0755);
            var outcome = new TarImport(root, limits, progress).run(tar);
            LOG.info("unpacked {} members, {} bytes; left out: {}", outcome.entries(), outcome.bytes(), outcome.dropped());
            progress.accept(new Pool.Progress("digesting", 0, outcome.bytes()));
            var out = outcome.dropped();
            return new Pool.Imported(sized(subvolume, root, new LayerDigest(limits.depth(), outcome.directoryTimes())), out.devices(), out.capabilities(), out.attributes());
        }
    }

    Path layerFor(LayerId layer, String tenant, @Nullable SandboxId sandbox) {
        var group = sandbox == null ? new TenantId(tenant).value() : sandbox.value();
        var snapshots = sandbox == null ? tenants : own;
        if (!snapshots.has(group, layer)) {
            try (var source = open(layer)) {
                BlockingCalls.run(() -> snapshots.make(source, group, layer));
            }
        }
        return snapshots.path(group, layer).resolve("root");
    }

    private Dir open(LayerId layer) {
        if (!home.has(layer.hex())) {
            throw Problem.of(Code.TEMPLATE_NOT_FOUND, "layer " + layer + " is not in the pool", "Import or bootstrap the template again.").raise();
        }
        return home.open(layer.hex());
    }

    List<LayerId> list() {
        return home.names().stream().map(n -> new LayerId("sha256:" + n)).toList();
    }

    Bytes sizeOf(LayerId layer) {
        try (var dir = open(layer); var size = dir.openAt("size", Open.RDONLY, 0)) {
            return new Bytes(Long.parseLong(new String(size.readAll(32), StandardCharsets.US_ASCII)));
        }
    }

    LayerStack stack(ImportLimits limits, Consumer<LayerId> hold) {
        return new Stacking(pool, home, hold, limits);
    }

    /// The layer itself last: while it is there, an interrupted deletion is seen to be unfinished.
    void delete(LayerId layer) {
        tenants.remove(l -> l.equals(layer));
        own.remove(l -> l.equals(layer));
        home.destroy(layer.hex());
    }

    /// Of a sandbox that is no more.
    void deleteOwn(SandboxId sandbox) {
        own.removeGroup(sandbox.value());
    }

    void trim(Set<LayerId> keep) {
        tenants.remove(l -> !keep.contains(l));
    }

    List<SandboxId> owners() {
        return own.groups().stream().map(SandboxId::new).toList();
    }

    @Override
    public void close() {
        home.close();
        tenants.close();
        own.close();
    }
}
