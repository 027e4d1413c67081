// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.kernel.Dir;
import dev.redoma.kernel.Stat;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// Directories that a root file system must have: those the runtime mounts on, and some more. One thread.
final class MissingPlaces {
    private final Dir root;
    private final List<Path> below;
    private final ImportLimits limits;

    /// Makes them in `root`, over the trees below (top first).
    MissingPlaces(Dir root, List<Path> below, ImportLimits limits) {
        this.root = root;
        this.below = below;
        this.limits = limits;
    }

    /// True if nothing is missing. Refuses what is there and is no directory; links are taken for what they are at the places of the
    /// runtime, and followed elsewhere.
    static boolean none(List<Path> below, List<String> more, ImportLimits limits) {
        try (var top = Lowers.of(below)) {
            boolean missing = false;
            for (var place : RootCheck.PLACES) {
                var there = top.find(place);
                there.ifPresent(f -> directory("/" + place, f.stat().type()));
                missing |= there.isEmpty();
            }
            for (var path : more) {
                missing |= missing(top, parts(path, limits));
            }
            return !missing;
        }
    }

    /// True also where a link is on the way, which then decides when the directory is made.
    private static boolean missing(Lowers top, List<String> parts) {
        var opened = new ArrayList<Lowers>();
        try {
            var at = top;
            for (var part : parts) {
                var there = at.find(part);
                if (there.isEmpty() || there.get().stat().type() != Stat.Type.DIRECTORY) {
                    return true;
                }
                at = at.into(part);
                opened.add(at);
            }
            return false;
        } finally {
            opened.forEach(Lowers::close);
        }
    }

    private static List<String> parts(String path, ImportLimits limits) {
        try {
            return TreePath.of(path, limits).parts();
        } catch (TarFlaw flaw) {
            throw refused(path, flaw);
        }
    }

    private static void directory(String path, Stat.Type type) {
        if (type != Stat.Type.DIRECTORY) {
            throw refused(path, "it is a " + type.name().toLowerCase(Locale.ROOT) + ", not a directory");
        }
    }

    private static dev.redoma.model.RedomaException refused(String path, String why) {
        return Problem.of(Code.ARCHIVE_REFUSED, "the image is refused at '" + path + "': " + why, "Make the image anew with a directory there.").with("member", path).raise();
    }

    void make(List<String> more) {
        var merged = new Merged(root, below, limits.depth());
        var beneath = new Beneath(merged, limits);
        try (var top = Lowers.of(below)) {
            for (var place : RootCheck.PLACES) {
                if (top.find(place).isEmpty()) {
                    made(beneath, List.of(place)).close();
                    root.chmod(place, place.equals("tmp") ? 01777 : 0755);
                }
            }
            for (var path : more) {
                whole(merged, beneath, top, path);
            }
        }
        beneath.directoryTimes().forEach((path, time) -> {
            try (var dir = made(beneath, path)) {
                dir.fd().touch(time);
            }
        });
        root.touch(".", Instant.EPOCH);
    }

    private void whole(Merged merged, Beneath beneath, Lowers top, String path) {
        try {
            var parts = parts(path, limits);
            if (missing(top, merged.resolve(parts))) {
                made(beneath, parts).close();
            }
        } catch (TarFlaw flaw) {
            throw refused(path, flaw);
        }
    }

    private static Dir made(Beneath beneath, List<String> parts) {
        try {
            return beneath.make(parts);
        } catch (TarFlaw flaw) {
            throw refused("/" + String.join("/", parts), flaw);
        }
    }

    private static dev.redoma.model.RedomaException refused(String path, TarFlaw flaw) {
        return refused(path, String.valueOf(flaw.getMessage()));
    }
}
