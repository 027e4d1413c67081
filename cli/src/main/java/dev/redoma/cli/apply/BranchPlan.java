// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli.apply;

import dev.redoma.model.wire.Change;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.eclipse.jgit.lib.Constants;
import org.eclipse.jgit.lib.FileMode;
import org.eclipse.jgit.lib.ObjectId;
import org.eclipse.jgit.lib.ObjectReader;
import org.jspecify.annotations.Nullable;

/// What of a commit's tree goes and comes for it to be as the changes want it, by the rules of `Plan`: each entry that is touched is as it was at the start, or already as it is to be, or differs. Of modes git holds one bit.
final class BranchPlan {
    private static final int MOST_NAMED = 20;

    private final ObjectReader reader;
    private final GitTree tree;
    private final Set<String> removals = new LinkedHashSet<>();
    /// Directories that go: nothing may be left in them.
    private final Set<String> folders = new LinkedHashSet<>();
    private final Map<String, Change> comes = new LinkedHashMap<>();
    private final Map<String, GitTree.Leaf> modes = new LinkedHashMap<>();
    private final Set<String> added = new TreeSet<>();
    private final Set<String> lost = new TreeSet<>();
    private final List<String> differing = new ArrayList<>();

    BranchPlan(ObjectReader reader, GitTree tree, List<Change> changes, boolean over) throws IOException {
        this.reader = reader;
        this.tree = tree;
        for (var c : changes) {
            if (Reserved.git(c.path()) || Reserved.journal(c.path())) {
                throw new NotApplied("'" + c.path() + "' is never written by an apply: it is git's, or an apply's own", List.of(c.path()));
            }
            var from = c.from();
            if (from != null) {
                goes(from, new Change(from, "deleted", "file", null, null, c.sizeBefore(), null, c.modeBefore(), null, c.digestBefore(), null, null, List.of()));
            }
            one(c);
        }
        if (!over && !differing.isEmpty()) {
            throw new NotApplied("the branch is not as the workspace was at its start (nothing was changed): " + String.join(", ", differing.stream().limit(MOST_NAMED).toList())
                    + (differing.size() > MOST_NAMED ? " and " + (differing.size() - MOST_NAMED) + " more" : ""), differing);
        }
    }

    private void one(Change c) throws IOException {
        switch (c.kind()) {
            case "deleted" -> goes(c.path(), c);
            case "mode" -> mode(c);
            case "added", "changed", "renamed" -> comes(c);
            default -> throw new NotApplied("what a bound cut cannot be applied: '" + c.path() + "'");
        }
    }

    private Optional<GitTree.Entry> look(String path) throws IOException {
        for (int at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
            if (removals.contains(path.substring(0, at))) {
                return Optional.empty(); // what is there now is no directory, and goes
            }
        }
        return tree.find(path);
    }

    private void goes(String path, Change c) throws IOException {
        var there = look(path);
        if (there.isPresent()) {
            if (!same(there.get(), c, false)) {
                differing.add(path);
            }
            remove(path, there.get());
        }
    }

    private void remove(String path, GitTree.Entry there) {
        (there instanceof GitTree.Folder ? folders : removals).add(path);
    }

    private void comes(Change c) throws IOException {
        GitNames.parts(c.path(), c.type());
        var there = look(c.path());
        boolean directory = c.type().equals("directory");
        if (!directory && !c.type().equals("file") && !c.type().equals("symlink")) {
            throw new NotApplied("'" + c.path() + "' is a " + c.type() + ", which git does not hold", List.of(c.path()));
        }
        if (directory) {
            added.add(c.path());
        } else if (c.type().equals("file") && !Set.of(0644, 0755).contains(octal(c.modeAfter()))) {
            lost.add(c.path());
        }
        if (there.isPresent() && same(there.get(), c, true)) {
            return; // as it is to be
        }
        if (there.isPresent() != c.kind().equals("changed") || there.isPresent() && !same(there.get(), c, false)) {
            // A directory that is empty is in no commit: what it was is not known.
            if (there.isPresent() || !"directory".equals(before(c))) {
                differing.add(c.path());
            }
        }
        if (there.isPresent() && (!directory || !(there.get() instanceof GitTree.Folder))) {
            remove(c.path(), there.get());
        }
        if (!directory) {
            comes.put(c.path(), c);
        }
    }

    private void mode(Change c) throws IOException {
        var there = look(c.path());
        if (c.type().equals("directory")) {
            if (there.isPresent() && !(there.get() instanceof GitTree.Folder)) {
                differing.add(c.path());
            }
            lost.add(c.path());
            return;
        }
        if (there.isEmpty() || !(there.get() instanceof GitTree.Leaf leaf) || !leaf.type().equals(c.type()) || c.type().equals("symlink")) {
            differing.add(c.path());
            return;
        }
        if (!same(leaf, c, false) && !same(leaf, c, true)) {
            differing.add(c.path());
        }
        boolean execute = executable(c.modeAfter());
        if (execute == executable(c.modeBefore()) || !Set.of(0644, 0755).contains(octal(c.modeAfter()))) {
            lost.add(c.path());
        }
        if (leaf.executable() != execute && leaf.type().equals("file")) {
            modes.put(c.path(), new GitTree.Leaf(execute ? FileMode.EXECUTABLE_FILE : FileMode.REGULAR_FILE, leaf.id()));
        }
    }

    private static @Nullable String before(Change c) {
        return c.kind().equals("added") || c.kind().equals("renamed") ? null : c.typeBefore() == null ? c.type() : c.typeBefore();
    }

    private boolean same(GitTree.Entry entry, Change c, boolean after) throws IOException {
        var type = after || c.typeBefore() == null ? c.type() : c.typeBefore();
        if (!(entry instanceof GitTree.Leaf leaf)) {
            return type.equals("directory");
        }
        var mode = after ? c.modeAfter() : c.modeBefore();
        var digest = after ? c.digestAfter() : c.digestBefore();
        return leaf.type().equals(type) && (!type.equals("file") || mode == null || executable(mode) == leaf.executable()) && Objects.equals(digest(leaf.id()), digest);
    }

    private static boolean executable(@Nullable String mode) {
        return (octal(mode) & 0100) != 0;
    }

    private static int octal(@Nullable String mode) {
        return mode == null ? 0644 : Integer.parseInt(mode, 8);
    }

    private String digest(ObjectId blob) throws IOException {
        var hash = Tree.sha256();
        try (InputStream in = reader.open(blob, Constants.OBJ_BLOB).openStream()) {
            var buffer = new byte[1 << 16];
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                hash.update(buffer, 0, n);
            }
        }
        return "sha256:" + HexFormat.of().formatHex(hash.digest());
    }

    /// Contents that are to be fetched, by their paths.
    Map<String, Change> comes() {
        return comes;
    }

    List<String> differing() {
        return differing;
    }

    /// Makes the tree the other one; `blobs` are what came.
    void change(Map<String, ObjectId> blobs) throws IOException {
        for (var path : removals) {
            tree.remove(path);
        }
        for (var path : folders) {
            if (tree.find(path).orElse(null) instanceof GitTree.Folder folder && !tree.empty(folder)) {
                throw new NotApplied("the target does not take it: '" + path + "' is to go, and in it lies what the change set does not name", List.of(path));
            }
        }
        for (var c : comes.values()) {
            var mode = c.type().equals("symlink") ? FileMode.SYMLINK : executable(c.modeAfter()) ? FileMode.EXECUTABLE_FILE : FileMode.REGULAR_FILE;
            tree.put(c.path(), new GitTree.Leaf(mode, Objects.requireNonNull(blobs.get(c.path()))));
        }
        for (var mode : modes.entrySet()) {
            tree.put(mode.getKey(), mode.getValue());
        }
    }

    /// Paths of which git does not hold all: directories in which nothing lies, and modes but for one bit.
    List<String> lost() throws IOException {
        for (var path : added) {
            if (tree.find(path).filter(e -> e instanceof GitTree.Folder).isEmpty()) {
                lost.add(path);
            }
        }
        return List.copyOf(lost);
    }
}
