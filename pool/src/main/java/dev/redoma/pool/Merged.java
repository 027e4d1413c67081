// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.kernel.Dir;
import dev.redoma.kernel.Errno;
import dev.redoma.kernel.KernelException;
import dev.redoma.kernel.Open;
import dev.redoma.kernel.Stat;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// A layer that is being made, seen together with those below it, as overlayfs will show them. Links lead nowhere outside. One thread.
final class Merged {
    private static final int LINKS = 40;
    private static final int COMPONENTS = 4096;

    private final Dir own;
    private final List<Path> below;
    private final int depth;

    /// `below` top first.
    Merged(Dir own, List<Path> below, int depth) {
        this.own = own;
        this.below = below;
        this.depth = depth;
    }

    /// What a path leads to as a name in a directory: no link is left in it, and none of it need be there.
    List<String> resolve(List<String> parts) throws TarFlaw {
        var todo = new ArrayDeque<>(parts);
        var done = new ArrayList<String>();
        for (int links = 0; !todo.isEmpty(); ) {
            var part = todo.pop();
            if (part.equals("..")) {
                if (!done.isEmpty()) {
                    done.removeLast();
                }
                continue;
            }
            var target = link(done, part);
            if (target.isEmpty()) {
                done.add(part);
            } else if (++links > LINKS) {
                throw new TarFlaw("its name leads through more than " + LINKS + " links");
            } else {
                follow(target.get(), todo, done);
            }
            if (done.size() > depth || todo.size() > COMPONENTS) {
                throw new TarFlaw("it lies deeper than " + depth + " directories");
            }
        }
        return done;
    }

    private static void follow(String target, ArrayDeque<String> todo, ArrayList<String> done) {
        if (target.startsWith("/")) {
            done.clear();
        }
        var steps = Arrays.stream(target.split("/")).filter(s -> !s.isEmpty() && !s.equals(".")).toList();
        steps.reversed().forEach(todo::push);
    }

    /// The target, if there is a link.
    private Optional<String> link(List<String> dir, String name) {
        try (var mine = ownDir(dir)) {
            var stat = mine == null ? Optional.<Stat>empty() : mine.find(name);
            if (mine != null && stat.isPresent()) {
                return stat.get().type() == Stat.Type.SYMLINK ? Optional.of(mine.readlink(name)) : Optional.empty();
            }
        }
        try (var lower = below(dir)) {
            return lower.find(name).filter(f -> f.stat().type() == Stat.Type.SYMLINK).map(f -> f.dir().readlink(name));
        }
    }

    /// The layer's own directory of a resolved path; null if it has none.
    @org.jspecify.annotations.Nullable Dir ownDir(List<String> resolved) {
        try {
            return new Dir(own.openInside(resolved.isEmpty() ? "." : String.join("/", resolved), Open.RDONLY | Open.DIRECTORY, 0));
        } catch (KernelException e) {
            if (e.is(Errno.ENOENT, Errno.ENOTDIR)) {
                return null;
            }
            throw e;
        }
    }

    /// What the layers below show of a resolved path, as far as this layer lets it through. Close it.
    Lowers below(List<String> resolved) {
        var at = Lowers.of(below);
        var path = new ArrayList<String>();
        for (var part : resolved) {
            boolean hidden;
            try (var mine = ownDir(path)) {
                hidden = mine != null && hides(mine, part);
            }
            var next = hidden ? Lowers.none() : at.into(part);
            at.close();
            at = next;
            path.add(part);
        }
        return at;
    }

    private static boolean hides(Dir dir, String name) {
        var stat = dir.find(name);
        return stat.isPresent() && (stat.get().type() != Stat.Type.DIRECTORY || Lowers.isOpaque(dir, name));
    }

    boolean hasBelow() {
        return !below.isEmpty();
    }
}
