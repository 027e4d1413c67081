// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.kernel.Dir;
import dev.redoma.kernel.Errno;
import dev.redoma.kernel.KernelException;
import dev.redoma.kernel.Stat;
import dev.redoma.kernel.Xattrs;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Turns a writable snapshot of a sandbox's disk into a layer: its upper becomes `root`, owners count from 0 instead of from the
/// sandbox's range, and what a layer may not hold goes. Whiteouts and opaque marks stay, since they are what the step deleted. Nothing
/// runs on it; what it holds is hostile all the same: no link is followed, nothing is opened for reading, all is bounded. One thread.
final class UpperLayer {
    static final int DEPTH = 200;
    private static final int NAMES = 2_000_000;
    private static final long ENTRIES = 5_000_000;
    private static final long WIDTH = 65_536;
    private static final String OPAQUE = "trusted.overlay.opaque";

    private final Dir subvolume;
    private final long base;
    /// Files of several names that were seen under one of them.
    private final Set<Long> done = new HashSet<>();
    private long entries;

    UpperLayer(Dir subvolume) {
        this.subvolume = subvolume;
        this.base = subvolume.fd().stat().gid();
    }

    void convert() {
        removeTree(subvolume, "work", 1);
        subvolume.rename("upper", subvolume, "root");
        subvolume.fd().chown(0, 0);
        try (var root = subvolume.dirAt("root")) {
            removeChannel(root);
            directory(root, 1);
        }
        own(subvolume, "root", subvolume.stat("root"));
    }

    /// On it the guest's channel was mounted.
    private static void removeChannel(Dir root) {
        if (root.find("run").map(Stat::type).filter(Stat.Type.DIRECTORY::equals).isEmpty()) {
            return;
        }
        try (var run = root.dirAt("run")) {
            if (run.find("redoma").map(Stat::type).filter(Stat.Type.DIRECTORY::equals).isPresent()) {
                run.rmdir("redoma");
            }
        } catch (KernelException e) {
            if (!e.is(Errno.ENOTEMPTY)) {
                throw e;
            }
        }
    }

    private void directory(Dir dir, int depth) {
        if (depth > DEPTH) {
            throw Problem.of(Code.WRONG_STATE, "The step made a tree deeper than " + DEPTH + " directories.", "Make it flatter.").with("limit", DEPTH).raise();
        }
        for (var name : dir.list(NAMES)) {
            if (++entries > ENTRIES) {
                throw Problem.of(Code.WRONG_STATE, "The step changed more than " + ENTRIES + " files.", "Split it up.").with("limit", ENTRIES).raise();
            }
            entry(dir, name, depth);
        }
    }

    private void entry(Dir dir, String name, int depth) {
        var stat = dir.stat(name);
        switch (stat.type()) {
            case DIRECTORY -> {
                try (var inner = dir.dirAt(name)) {
                    directory(inner, depth + 1);
                }
                own(dir, name, stat);
                attributes(dir, name, List.of(OPAQUE));
            }
            case FILE -> file(dir, name, stat);
            case SYMLINK, FIFO -> own(dir, name, stat);
            case CHAR, BLOCK, SOCKET -> {
                if (Lowers.isWhiteout(dir, name, stat)) {
                    dir.chown(name, 0, 0);
                    dir.chmod(name, 0);
                } else {
                    dir.unlink(name);
                }
            }
        }
    }

    private void file(Dir dir, String name, Stat stat) {
        if (stat.links() > 1 && !done.add(stat.inode())) {
            return;
        }
        if (Lowers.isWhiteout(dir, name, stat)) {
            dir.unlink(name);
            dir.mknod(name, Stat.Type.CHAR, 0, new Stat.Device(0, 0));
            return;
        }
        // A change of owner takes capabilities and set-id bits away.
        Optional<byte[]> capability = Xattrs.get(dir, name, FileCapabilities.NAME).flatMap(FileCapabilities::cutDown);
        own(dir, name, stat);
        attributes(dir, name, List.of());
        capability.ifPresent(value -> Xattrs.set(dir, name, FileCapabilities.NAME, value));
    }

    private void own(Dir dir, String name, Stat stat) {
        dir.chown(name, shifted(stat.uid(), name), shifted(stat.gid(), name));
        if (stat.type() != Stat.Type.SYMLINK) {
            dir.chmod(name, stat.mode());
        }
    }

    /// The launcher's own directories belong to the host's root.
    private long shifted(long id, String name) {
        long inside = id == 0 ? 0 : id - base;
        if (inside < 0 || inside >= WIDTH) {
            throw new IllegalStateException("an owner outside of the sandbox's range: " + name);
        }
        return inside;
    }

    private static void attributes(Dir dir, String name, List<String> kept) {
        for (var attribute : Xattrs.list(dir, name)) {
            if (!attribute.startsWith("user.") && !kept.contains(attribute)) {
                Xattrs.remove(dir, name, attribute);
            }
        }
    }

    /// Overlayfs's own scratch directory.
    private static void removeTree(Dir parent, String name, int depth) {
        var stat = parent.find(name);
        if (stat.isEmpty()) {
            return;
        }
        if (stat.get().type() != Stat.Type.DIRECTORY) {
            parent.unlink(name);
            return;
        }
        if (depth > DEPTH) {
            throw new IllegalStateException("the work directory is deeper than " + DEPTH);
        }
        try (var inner = parent.dirAt(name)) {
            inner.list(NAMES).forEach(child -> removeTree(inner, child, depth + 1));
        }
        parent.rmdir(name);
    }
}
