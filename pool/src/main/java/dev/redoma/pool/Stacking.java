// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.kernel.BlockingCalls;
import dev.redoma.kernel.Btrfs;
import dev.redoma.kernel.Dir;
import dev.redoma.kernel.Open;
import dev.redoma.kernel.Stat;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;

/// Layers as half-made subvolumes until all are there: then one commit of the file system makes them durable, and they get their names.
final class Stacking implements LayerStack {
    private final Dir pool;
    private final Subvolumes home;
    private final Consumer<LayerId> hold;
    private final ImportLimits limits;
    /// From the bottom up. `half` is the name of one that is half-made; empty: it was there.
    private final List<Part> parts = new ArrayList<>();
    private long room;

    private record Part(LayerId id, String half) {
        boolean made() {
            return !half.isEmpty();
        }
    }

    Stacking(Dir pool, Subvolumes home, Consumer<LayerId> hold, ImportLimits limits) {
        this.pool = pool;
        this.home = home;
        this.hold = hold;
        this.limits = limits;
        this.room = limits.bytes();
    }

    @Override
    public boolean take(ImageLayer layer) {
        return present(layer.alone()) || present(layer.chained());
    }

    @Override
    public boolean has(ImageLayer layer) {
        return home.has(layer.alone().hex()) || home.has(layer.chained().hex());
    }

    private boolean present(LayerId id) {
        hold.accept(id);
        if (!home.has(id.hex())) {
            return false;
        }
        parts.add(new Part(id, ""));
        return true;
    }

    @Override
    public Content unpack(ImageLayer layer, InputStream tar, Consumer<Pool.Progress> progress) {
        return BlockingCalls.callLong(() -> unpackNow(layer, tar, progress));
    }

    private Content unpackNow(ImageLayer layer, InputStream tar, Consumer<Pool.Progress> progress) {
        var bounds = new ImportLimits(limits.entries(), room, limits.name(), limits.attributes(), limits.depth());
        var below = below();
        return make((subvolume, root) -> {
            var beneath = new Beneath(new Merged(root, below, limits.depth()), bounds);
            var outcome = new TarImport(root, bounds, progress).layer(tar, layer.diffId(), beneath);
            room -= outcome.bytes();
            size(subvolume, outcome.bytes());
            var dropped = outcome.dropped();
            return new Made<>(beneath.asked() ? layer.chained() : layer.alone(),
                    new Content(outcome.entries(), outcome.bytes(), dropped.devices(), dropped.capabilities(), dropped.attributes()));
        });
    }

    private record Made<T>(LayerId id, T result) {}

    private interface Filling<T> {
        Made<T> fill(Dir subvolume, Dir root);
    }

    private <T> T make(Filling<T> filling) {
        var half = "import-" + UUID.randomUUID();
        try (var subvolume = home.half(half)) {
            subvolume.fd().chmod(0700);
            subvolume.mkdir("root", 0755);
            try (var root = subvolume.dirAt("root")) {
                root.fd().chmod(0755);
                var made = filling.fill(subvolume, root);
                parts.add(new Part(made.id(), half));
                return made.result();
            }
        } catch (RuntimeException | Error failed) {
            home.destroyHalf(half);
            throw failed;
        }
    }

    private static void size(Dir subvolume, long bytes) {
        try (var size = subvolume.openAt("size", Open.WRONLY | Open.CREAT | Open.EXCL, 0600)) {
            size.write(Long.toString(bytes).getBytes(StandardCharsets.US_ASCII));
        }
    }

    /// The trees of what there is, top first.
    private List<Path> below() {
        return parts.reversed().stream().map(p -> home.path(p.made() ? Subvolumes.halfOf(p.half()) : p.id().hex()).resolve("root")).toList();
    }

    @Override
    public void complete(List<String> directories) {
        BlockingCalls.run(() -> completeNow(directories));
    }

    private void completeNow(List<String> directories) {
        var below = below();
        if (MissingPlaces.none(below, directories, limits)) {
            return;
        }
        make((subvolume, root) -> {
            var places = new MissingPlaces(root, below, limits);
            places.make(directories);
            size(subvolume, 0);
            try (var digest = new LayerDigest(limits.depth(), Map.of())) {
                return new Made<>(digest.of(root), true);
            }
        });
    }

    @Override
    public Optional<byte[]> read(String path, int limit) {
        var names = List.of(path.split("/"));
        var at = Lowers.of(below());
        try {
            for (var name : names.subList(0, names.size() - 1)) {
                var next = at.into(name);
                at.close();
                at = next;
            }
            return at.find(names.getLast()).filter(f -> f.stat().type() == Stat.Type.FILE).map(f -> {
                try (var file = f.dir().openAt(names.getLast(), Open.RDONLY | Open.NONBLOCK, 0)) {
                    return file.readAll(limit);
                }
            });
        } finally {
            at.close();
        }
    }

    @Override
    public List<LayerId> finish() {
        BlockingCalls.callLong(() -> {
            if (parts.stream().anyMatch(Part::made)) {
                Btrfs.sync(pool);
                for (int i = 0; i < parts.size(); i++) {
                    if (parts.get(i).made()) {
                        parts.set(i, named(parts.get(i)));
                    }
                }
                Btrfs.sync(pool);
            }
            return true;
        });
        return parts.reversed().stream().map(Part::id).distinct().toList();
    }

    private Part named(Part part) {
        try (var subvolume = home.open(Subvolumes.halfOf(part.half()))) {
            Btrfs.setReadOnly(subvolume);
        }
        hold.accept(part.id());
        if (!home.finishNew(part.half(), part.id().hex())) {
            home.destroyHalf(part.half());
        }
        return new Part(part.id(), "");
    }

    @Override
    public void close() {
        for (var part : parts) {
            if (part.made()) {
                BlockingCalls.run(() -> home.destroyHalf(part.half()));
            }
        }
        parts.clear();
    }
}
