// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.kernel.Dir;
import dev.redoma.kernel.Stat;
import dev.redoma.kernel.Xattrs;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/// What overlayfs shows of one directory below the upper: the directories of that path in the lower layers that take part, top
/// first. Follows no link. Close it.
final class Lowers implements AutoCloseable {
    private static final int NAMES = 200_000;
    private static final Stat.Device WHITEOUT = new Stat.Device(0, 0);

    /// One layer's directory and the uid that its owners count from.
    private record Part(Path layer, Dir dir, long uidBase) {}

    /// An entry as seen through the layers: where it is, and its facts.
    record Found(Path layer, Dir dir, Stat stat, long uidBase) {}

    private final List<Part> parts;

    private Lowers(List<Part> parts) {
        this.parts = parts;
    }

    static Lowers none() {
        return new Lowers(List.of());
    }

    /// The roots of layers, top first.
    static Lowers of(List<Path> roots) {
        var parts = new ArrayList<Part>();
        var made = new Lowers(parts);
        try {
            for (var root : roots) {
                parts.add(new Part(root, Dir.open(root), uidBase(root)));
            }
        } catch (RuntimeException e) {
            made.close();
            throw e;
        }
        return made;
    }

    /// The base that the pool recorded as the group of the subvolume's root, the parent of an upper or a layer's tree.
    static long uidBase(Path tree) {
        try (var subvolume = Dir.open(Objects.requireNonNull(tree.getParent()))) {
            return subvolume.fd().stat().gid();
        }
    }

    Optional<Found> find(String name) {
        for (var part : parts) {
            var stat = part.dir().find(name);
            if (stat.isPresent()) {
                return isWhiteout(part.dir(), name, stat.get()) ? Optional.empty() : Optional.of(new Found(part.layer(), part.dir(), stat.get(), part.uidBase()));
            }
        }
        return Optional.empty();
    }

    /// The merged directory of that name; none if it is no directory.
    Lowers into(String name) {
        var inner = new ArrayList<Part>();
        var made = new Lowers(inner);
        try {
            for (var part : parts) {
                var stat = part.dir().find(name);
                if (stat.isEmpty()) {
                    continue;
                }
                if (stat.get().type() != Stat.Type.DIRECTORY) {
                    break;
                }
                inner.add(new Part(part.layer(), part.dir().dirAt(name), part.uidBase()));
                if (isOpaque(part.dir(), name)) {
                    break;
                }
            }
            return made;
        } catch (RuntimeException e) {
            made.close();
            throw e;
        }
    }

    /// All names that show.
    Set<String> names() {
        var out = new LinkedHashSet<String>();
        for (var part : parts) {
            out.addAll(part.dir().list(NAMES));
        }
        out.removeIf(name -> find(name).isEmpty());
        return out;
    }

    /// The roots that take part here, top first.
    List<Path> layers() {
        return parts.stream().map(Part::layer).toList();
    }

    /// What one of them has of its own, whiteouts too.
    Set<String> names(Path layer, int most) {
        var out = new LinkedHashSet<String>();
        parts.stream().filter(p -> p.layer().equals(layer)).forEach(p -> out.addAll(p.dir().list(most)));
        return out;
    }

    /// The merged directory at a path without links; none where there is no such directory. Close it.
    Lowers at(List<String> path) {
        var at = this;
        for (var name : path) {
            var next = at.into(name);
            if (at != this) {
                at.close();
            }
            at = next;
        }
        return at;
    }

    static boolean isWhiteout(Dir dir, String name, Stat stat) {
        return stat.type() == Stat.Type.CHAR && stat.device().equals(WHITEOUT)
                || stat.type() == Stat.Type.FILE && stat.size() == 0 && Xattrs.get(dir, name, "trusted.overlay.whiteout").isPresent();
    }

    static boolean isOpaque(Dir dir, String name) {
        var value = Xattrs.get(dir, name, "trusted.overlay.opaque");
        return value.isPresent() && new String(value.get(), StandardCharsets.ISO_8859_1).equals("y");
    }

    @Override
    public void close() {
        parts.forEach(p -> p.dir().close());
    }
}
