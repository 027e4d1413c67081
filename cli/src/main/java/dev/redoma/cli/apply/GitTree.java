// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli.apply;

import dev.redoma.kernel.Names;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.eclipse.jgit.errors.CorruptObjectException;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectChecker;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectInserter;
import org.eclipse.jgit.lib.ObjectReader;
import org.eclipse.jgit.lib.TreeFormatter;
import org.eclipse.jgit.treewalk.CanonicalTreeParser;
import org.jspecify.annotations.Nullable;

/// A tree of a commit, and another that is made of it in memory. Of what no change reaches only the id is known. Paths are those of change sets. Not thread-safe.
final class GitTree {
    private static final int LARGEST = 64 << 20;

    /// What lies at a path.
    sealed interface Entry permits Leaf, Folder {}

    /// A file, a link, or (by its id alone) a submodule.
    record Leaf(FileMode mode, ObjectId id) implements Entry {
        String type() {
            return mode.equals(FileMode.SYMLINK) ? "symlink" : mode.equals(FileMode.GITLINK) ? "submodule" : "file";
        }

        boolean executable() {
            return mode.equals(FileMode.EXECUTABLE_FILE);
        }
    }

    /// Read when it is needed; `id` is null once it is to be written anew.
    static final class Folder implements Entry {
        private @Nullable ObjectId id;
        private @Nullable Map<String, Entry> entries;

        private Folder(@Nullable ObjectId id) {
            this.id = id;
            this.entries = id == null ? new TreeMap<>() : null;
        }
    }

    private final ObjectReader reader;
    private final Folder root;

    /// `tree` null: nothing yet.
    GitTree(ObjectReader reader, @Nullable ObjectId tree) {
        this.reader = reader;
        this.root = new Folder(tree);
    }

    /// Empty where it, or the directory that it lies in, is not there.
    Optional<Entry> find(String path) throws IOException {
        Entry at = root;
        for (var part : Tree.parts(path)) {
            if (!(at instanceof Folder folder)) {
                throw through(path);
            }
            at = entries(folder).get(part);
            if (at == null) {
                return Optional.empty();
            }
        }
        return Optional.of(at);
    }

    private static NotApplied through(String path) {
        return new NotApplied("the way to '" + path + "' leads through a link, a submodule or what is no directory", List.of(path));
    }

    void remove(String path) throws IOException {
        var parts = Tree.parts(path);
        entries(parent(path, parts)).remove(parts.getLast());
    }

    void put(String path, Leaf leaf) throws IOException {
        var parts = Tree.parts(path);
        var entries = entries(parent(path, parts));
        if (entries.get(parts.getLast()) instanceof Folder folder && !empty(folder)) {
            throw new NotApplied("the target does not take it: '" + path + "' is a directory that is not empty", List.of(path));
        }
        entries.put(parts.getLast(), leaf);
    }

    /// Made where it is not there; all on the way is to be written anew.
    private Folder parent(String path, List<String> parts) throws IOException {
        var at = root;
        for (var part : parts.subList(0, parts.size() - 1)) {
            var entries = entries(at);
            at.id = null;
            if (!(entries.computeIfAbsent(part, p -> new Folder(null)) instanceof Folder next)) {
                throw through(path);
            }
            at = next;
        }
        entries(at);
        at.id = null;
        return at;
    }

    boolean empty(Folder folder) throws IOException {
        for (var entry : entries(folder).values()) {
            if (!(entry instanceof Folder inner) || !empty(inner)) {
                return false;
            }
        }
        return true;
    }

    private Map<String, Entry> entries(Folder folder) throws IOException {
        if (folder.entries == null) {
            folder.entries = read(java.util.Objects.requireNonNull(folder.id));
        }
        return folder.entries;
    }

    private Map<String, Entry> read(ObjectId id) throws IOException {
        var raw = reader.open(id, Constants.OBJ_TREE).getCachedBytes(LARGEST);
        try {
            new ObjectChecker().setAllowLeadingZeroFileMode(true).checkTree(raw);
        } catch (CorruptObjectException e) {
            throw new NotApplied("tree " + id.name() + " of the repository is not as git makes them: " + e.getMessage());
        }
        var entries = new TreeMap<String, Entry>();
        var parser = new CanonicalTreeParser();
        parser.reset(raw);
        for (; !parser.eof(); parser.next(1)) {
            var name = new byte[parser.getNameLength()];
            parser.getName(name, 0);
            var mode = FileMode.fromBits(parser.getEntryRawMode());
            var child = parser.getEntryObjectId();
            entries.put(Names.decode(name), mode.equals(FileMode.TREE) ? new Folder(child) : new Leaf(mode, child));
        }
        return entries;
    }

    /// Its id, after everything that is new was written; directories in which nothing lies are not.
    ObjectId write(ObjectInserter inserter) throws IOException {
        return write(root, inserter);
    }

    private ObjectId write(Folder folder, ObjectInserter inserter) throws IOException {
        if (folder.id != null) {
            return folder.id;
        }
        record Line(byte[] name, byte[] order, FileMode mode, ObjectId id) {}
        var lines = new ArrayList<Line>();
        for (var e : entries(folder).entrySet()) {
            var name = Names.encode(e.getKey());
            switch (e.getValue()) {
                case Leaf leaf -> lines.add(new Line(name, name, leaf.mode(), leaf.id()));
                case Folder inner -> {
                    if (inner.id != null || !empty(inner)) {
                        var order = Arrays.copyOf(name, name.length + 1);
                        order[name.length] = '/';
                        lines.add(new Line(name, order, FileMode.TREE, write(inner, inserter)));
                    }
                }
            }
        }
        lines.sort((a, b) -> Arrays.compareUnsigned(a.order(), b.order()));
        var out = new TreeFormatter();
        lines.forEach(l -> out.append(l.name(), l.mode(), l.id()));
        var raw = out.toByteArray();
        new ObjectChecker().checkTree(raw);
        return inserter.insert(Constants.OBJ_TREE, raw);
    }
}
