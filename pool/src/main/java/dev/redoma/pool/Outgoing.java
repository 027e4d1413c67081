// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.kernel.Dir;
import dev.redoma.kernel.KernelException;
import dev.redoma.kernel.Names;
import dev.redoma.kernel.Open;
import dev.redoma.kernel.Stat;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/// An archive on its way out: tar or zip, of all or of what matches patterns. What it is made of is hostile, what comes out is well formed:
/// relative names without `..`, exact lengths. Modes, links, empty directories, names and times are those of the files.
public record Outgoing(Format format, Globs include) {

    /// `wire`: as requests name it.
    public enum Format {
        TAR, ZIP;

        public String wire() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    public static Outgoing of(Format format, List<String> include) {
        return new Outgoing(format, Globs.of(include));
    }

    /// Nothing is to be left out or rewritten.
    public boolean plain() {
        return format == Format.TAR && include.all();
    }

    /// Of a path as `Names` shows it.
    public boolean takes(String path) {
        return include.match(List.of(Names.parse(path).split("/")));
    }

    private ArchiveSink sink(OutputStream out, Predicate<List<String>> chosen) {
        return new Selecting(format == Format.TAR ? new TarSink(out) : new ZipSink(out), chosen);
    }

    /// What is below a directory of a tree, or one file of it.
    public void tree(Tree tree, String path, OutputStream out) throws IOException {
        var parts = TreePaths.parts("path", path);
        try {
            var stat = tree.stat(path, false).stat();
            if (stat.type() == Stat.Type.DIRECTORY) {
                try (var dir = new Dir(tree.root().openInside(TreePaths.join(parts), Open.RDONLY | Open.DIRECTORY, 0))) {
                    walk(out, 0, include::match, walk -> walk.below(dir));
                }
            } else {
                try (var parent = new Dir(tree.root().openInside(TreePaths.join(parts.subList(0, parts.size() - 1)), Open.RDONLY | Open.DIRECTORY, 0))) {
                    walk(out, 0, include::match, walk -> walk.entry(parent, parts.getLast(), parts.getLast(), 1));
                }
            }
        } catch (KernelException e) {
            throw TreePaths.refused(e, path);
        }
    }

    private interface Walking {
        void with(TreeWalk walk) throws IOException;
    }

    private void walk(OutputStream out, long uidBase, Predicate<List<String>> chosen, Walking work) throws IOException {
        var sink = sink(out, chosen);
        try (var walk = new TreeWalk(sink, plain(), uidBase)) {
            work.with(walk);
        }
        sink.finish();
    }

    /// Of an overlay's upper directory what is among these paths (as change sets tell them, without the slash in front) below a directory of it; `root` is a path without links.
    public void changes(Path upper, String root, Set<String> paths, OutputStream out) throws IOException {
        var parts = java.util.Arrays.stream(root.split("/")).filter(p -> !p.isEmpty()).toList();
        try (var top = Dir.open(upper)) {
            var at = top;
            for (var part : parts) {
                var next = at.dirAt(part);
                at.close();
                at = next;
            }
            try (var dir = at) {
                walk(out, Lowers.uidBase(upper), member -> paths.contains(Names.printable(String.join("/", member))) && include.match(member), walk -> walk.below(dir));
            }
        } catch (KernelException e) {
            throw TreePaths.refused(e, root);
        }
    }

    /// A tar that a sandbox made.
    public void tar(InputStream tar, OutputStream out) throws IOException {
        var reader = new TarReader(tar);
        var sink = sink(out, include::match);
        var limits = new ImportLimits(2_000_000, Long.MAX_VALUE, 4095, 16_384, 1000);
        for (var entry = reader.next(); entry != null; entry = reader.next()) {
            if (entry.name().startsWith("/") || TreePath.of(entry.name(), limits).isRoot()) {
                throw new TarFlaw("a member without a place");
            }
            // Devices and what nobody knows mean nothing elsewhere.
            switch (entry.kind()) {
                case FILE, HARDLINK, SYMLINK, DIRECTORY, FIFO -> sink.put(entry, reader::read);
                case CHAR, BLOCK, SPARSE, OTHER -> {}
            }
        }
        sink.finish();
        // What follows the end is padding: the sender is heard to its end.
        tar.transferTo(OutputStream.nullOutputStream());
    }
}
