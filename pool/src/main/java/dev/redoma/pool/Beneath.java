// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.kernel.Dir;
import dev.redoma.kernel.Open;
import dev.redoma.kernel.Stat;
import dev.redoma.kernel.Xattrs;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// What a layer needs of those below it: parents that it does not bring along, whiteouts, and files that it links to. All that comes
/// out of this depends on those layers, and `asked` says so. One thread.
final class Beneath {
    static final String WHITEOUT = ".wh.";
    private static final String OPAQUE = "trusted.overlay.opaque";
    private static final byte[] YES = "y".getBytes(StandardCharsets.US_ASCII);
    private static final int NAMES = 200_000;
    private static final int CHUNK = 1 << 18;

    private record Place(List<String> dir, String name) {}

    private final Merged merged;
    private final ImportLimits limits;
    private final Map<List<String>, Instant> directoryTimes = new LinkedHashMap<>();
    private final List<Place> whiteouts = new ArrayList<>();
    private boolean asked;
    private long copied;

    Beneath(Merged merged, ImportLimits limits) {
        this.merged = merged;
        this.limits = limits;
    }

    boolean asked() {
        return asked;
    }

    /// Times that directories have below, by their path.
    Map<List<String>, Instant> directoryTimes() {
        return directoryTimes;
    }

    /// The layer's own directory of that path, with those above it, made as they are below. Close it.
    Dir make(List<String> parts) throws TarFlaw {
        asked = asked || merged.hasBelow();
        var resolved = merged.resolve(parts);
        var path = new ArrayList<String>();
        var at = java.util.Objects.requireNonNull(merged.ownDir(path));
        for (var part : resolved) {
            try (var above = at) {
                step(above, path, part);
                at = above.dirAt(part);
            }
            path.add(part);
        }
        return at;
    }

    private void step(Dir above, List<String> path, String name) throws TarFlaw {
        var mine = above.find(name);
        if (mine.isPresent() && mine.get().type() == Stat.Type.DIRECTORY) {
            return;
        }
        if (mine.isPresent() && mine.get().type() != Stat.Type.CHAR) {
            throw new TarFlaw("it lies in what is no directory");
        }
        if (mine.isPresent()) {
            above.unlink(name);
            above.mkdir(name, 0755);
            above.chmod(name, 0755);
            opaque(above, name);
            return;
        }
        try (var lower = merged.below(path)) {
            var there = lower.find(name);
            if (there.isPresent() && there.get().stat().type() != Stat.Type.DIRECTORY) {
                throw new TarFlaw("it lies in what is no directory");
            }
            above.mkdir(name, 0755);
            above.chmod(name, 0755);
            if (there.isPresent()) {
                attributes(there.get(), above, name);
                var whole = new ArrayList<>(path);
                whole.add(name);
                directoryTimes.put(whole, there.get().stat().modified());
            }
        }
    }

    /// A member `.wh.…` of a directory.
    void whiteout(List<String> parents, String name) throws TarFlaw {
        asked = asked || merged.hasBelow();
        var dir = merged.resolve(parents);
        if (name.equals(".wh..wh..opq")) {
            hideAll(dir);
        } else if (!name.startsWith(".wh..wh.")) { // else bookkeeping of a file system that is no more
            var hidden = name.substring(WHITEOUT.length());
            if (hidden.isEmpty() || hidden.equals(".") || hidden.equals("..")) {
                throw new TarFlaw("it is a whiteout of nothing");
            }
            hide(dir, hidden);
        }
    }

    private void hideAll(List<String> dir) throws TarFlaw {
        List<String> names;
        try (var lower = merged.below(dir)) {
            names = lower.names().stream().limit(NAMES).toList();
        }
        if (names.isEmpty()) {
            return;
        }
        if (dir.isEmpty()) { // the root cannot be opaque
            for (var name : names) {
                hide(dir, name);
            }
            return;
        }
        make(dir).close();
        try (var above = java.util.Objects.requireNonNull(merged.ownDir(dir.subList(0, dir.size() - 1)))) {
            opaque(above, dir.getLast());
        }
    }

    private void hide(List<String> dir, String name) throws TarFlaw {
        try (var lower = merged.below(dir)) {
            if (lower.find(name).isEmpty()) {
                return;
            }
        }
        try (var mine = make(dir)) {
            var present = mine.find(name);
            if (present.isEmpty()) {
                mine.mknod(name, Stat.Type.CHAR, 0, new Stat.Device(0, 0));
                whiteouts.add(new Place(dir, name));
            } else if (present.get().type() == Stat.Type.DIRECTORY) {
                opaque(mine, name);
            }
        }
    }

    static void opaque(Dir dir, String name) {
        Xattrs.set(dir, name, OPAQUE, YES);
    }

    /// Takes away whiteouts that hide nothing (any more): where overlayfs has nothing to merge it would list them.
    void settle() {
        for (var place : whiteouts) {
            try (var mine = merged.ownDir(place.dir()); var lower = merged.below(place.dir())) {
                if (mine != null && lower.find(place.name()).isEmpty() && mine.find(place.name()).filter(s -> s.type() == Stat.Type.CHAR).isPresent()) {
                    mine.unlink(place.name());
                }
            }
        }
    }

    /// Brings a file of a layer below into this one, so that it can be linked to; false if there is none.
    boolean bringUp(List<String> parents, String name) throws TarFlaw {
        asked = asked || merged.hasBelow();
        var dir = merged.resolve(parents);
        try (var lower = merged.below(dir)) {
            var there = lower.find(name);
            if (there.isEmpty() || there.get().stat().type() == Stat.Type.DIRECTORY) {
                return false;
            }
            try (var mine = make(dir)) {
                if (mine.has(name)) {
                    return false;
                }
                copy(there.get(), mine, name);
                return true;
            }
        }
    }

    private void copy(Lowers.Found from, Dir to, String name) throws TarFlaw {
        switch (from.stat().type()) {
            case FILE -> content(from, to, name);
            case SYMLINK -> to.symlink(from.dir().readlink(name), name);
            case FIFO -> to.mkfifo(name, 0600);
            default -> throw new TarFlaw("it is a hard link to what cannot be copied");
        }
        attributes(from, to, name);
        to.touch(name, from.stat().modified());
    }

    private void content(Lowers.Found from, Dir to, String name) throws TarFlaw {
        copied += from.stat().size();
        if (copied > limits.bytes()) {
            throw new TarFlaw("what it links to is larger than the " + limits.bytes() + " bytes that there is room for");
        }
        try (var arena = Arena.ofConfined();
                var in = from.dir().openAt(name, Open.RDONLY, 0);
                var out = to.openAt(name, Open.WRONLY | Open.CREAT | Open.EXCL, 0600)) {
            var buffer = arena.allocate(CHUNK, 4096);
            long n;
            while ((n = in.read(buffer)) > 0) {
                out.write(buffer.asSlice(0, n));
            }
        }
    }

    private static void attributes(Lowers.Found from, Dir to, String name) {
        to.chown(name, from.stat().uid() - from.uidBase(), from.stat().gid() - from.uidBase());
        if (from.stat().type() == Stat.Type.SYMLINK) {
            return;
        }
        to.chmod(name, from.stat().mode());
        for (var attribute : Xattrs.list(from.dir(), name)) {
            if (attribute.startsWith("user.") || attribute.equals(FileCapabilities.NAME)) {
                Xattrs.get(from.dir(), name, attribute).ifPresent(value -> Xattrs.set(to, name, attribute, value));
            }
        }
    }
}
