// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli.apply;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.eclipse.jgit.errors.ConfigInvalidException;
import org.eclipse.jgit.lib.Config;

/// The directory in which a repository keeps what is its own, looked at before the library opens any of it: whoever filled it may want something read that never ends, or written elsewhere. Only directories and regular files, all in
/// their place; its configuration is read plainly (no `include`), and only as far as it says of which form the repository is and who its user is.
record GitFiles(Path path, boolean bare, Config config) {
    private static final int LARGEST = 1 << 20;
    private static final int MOST = 2_000_000;
    /// What makes no other form of refs and objects.
    private static final List<String> EXTENSIONS = List.of("noop", "noop-v1", "preciousobjects", "partialclone", "worktreeconfig", "relativeworktrees");

    static GitFiles of(Path folder) throws IOException {
        var real = folder.toRealPath();
        var inside = real.resolve(".git");
        boolean work = Files.exists(inside, LinkOption.NOFOLLOW_LINKS);
        if (work && !Files.isDirectory(inside, LinkOption.NOFOLLOW_LINKS)) {
            throw new NotApplied("'.git' in '" + folder + "' is a file or a link (a linked work tree, a submodule): name the repository that it belongs to");
        }
        var path = work ? inside : real;
        if (!directory(path.resolve("objects")) || !directory(path.resolve("refs")) || !Files.exists(path.resolve("HEAD"), LinkOption.NOFOLLOW_LINKS)) {
            throw new NotApplied("'" + folder + "' is no repository of git");
        }
        for (var foreign : List.of("commondir", "objects/info/alternates", "objects/info/http-alternates")) {
            if (Files.exists(path.resolve(foreign), LinkOption.NOFOLLOW_LINKS)) {
                throw new NotApplied("'" + foreign + "' in '" + path + "' says that a part of the repository lies elsewhere, which is not followed: " + (foreign.startsWith("c") ? "name the repository that it belongs to" : "make it whole first ('git repack -a -d', then remove that file)"));
            }
        }
        var config = config(path.resolve("config"));
        form(path, config);
        ordinary(path);
        boolean bare = !work && !real.endsWith(".git") && config.getBoolean("core", null, "bare", false);
        return new GitFiles(path, bare, config);
    }

    private static boolean directory(Path path) {
        return Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS);
    }

    private static void form(Path path, Config config) {
        int version = config.getInt("core", null, "repositoryformatversion", 0);
        for (var name : config.getNames("extensions")) {
            var value = String.valueOf(config.getString("extensions", null, name));
            boolean usual = name.equalsIgnoreCase("objectformat") && value.equalsIgnoreCase("sha1") || name.equalsIgnoreCase("refstorage") && value.equalsIgnoreCase("files");
            if (!usual && EXTENSIONS.stream().noneMatch(name::equalsIgnoreCase)) {
                throw new NotApplied("'" + path + "' is of a form that is not written here: " + name + " = " + value);
            }
        }
        if (version < 0 || version > 1) {
            throw new NotApplied("'" + path + "' is of a form that is not written here: version " + version);
        }
    }

    /// All that the library would open.
    private static void ordinary(Path path) throws IOException {
        for (var name : List.of("HEAD", "packed-refs", "shallow")) {
            var file = path.resolve(name);
            if (Files.exists(file, LinkOption.NOFOLLOW_LINKS) && !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                throw unusual(file);
            }
        }
        var walk = new SimpleFileVisitor<Path>() {
            private int seen;

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (!attributes.isRegularFile()) {
                    throw unusual(file);
                }
                if (++seen > MOST) {
                    throw new NotApplied("'" + path + "' has more files than are looked at (" + MOST + "): 'git gc' makes them fewer");
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
                if (e instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE; // another git at work
                }
                throw e;
            }
        };
        Files.walkFileTree(path.resolve("objects"), walk);
        Files.walkFileTree(path.resolve("refs"), walk);
    }

    private static NotApplied unusual(Path file) {
        return new NotApplied("'" + file + "' is a link or no ordinary file, which is not followed");
    }

    /// A missing one is empty. Plain: what it would include is not.
    static Config config(Path file) throws IOException {
        var config = new Config();
        try {
            config.fromText(text(file, LARGEST).orElse(""));
        } catch (ConfigInvalidException e) {
            throw new NotApplied("'" + file + "' cannot be read: " + e.getMessage());
        }
        return config;
    }

    /// Empty where it is not there.
    static Optional<String> text(Path file, int most) throws IOException {
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            return Optional.empty();
        }
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            throw unusual(file);
        }
        try (var in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
            var bytes = in.readNBytes(most + 1);
            if (bytes.length > most) {
                throw new NotApplied("'" + file + "' is larger than any that is read");
            }
            return Optional.of(new String(bytes, StandardCharsets.UTF_8));
        }
    }

    /// What HEAD says: `ref: NAME`, or an id.
    String head() throws IOException {
        return text(path.resolve("HEAD"), 4096).orElse("").strip();
    }

    /// Refuses a branch whose files lie in a work tree: they, and its index, would no longer be of the branch's commit.
    void refuseCheckedOut(String ref) throws IOException {
        var places = new ArrayList<Path>();
        places.add(path);
        var linked = path.resolve("worktrees");
        if (Files.exists(linked, LinkOption.NOFOLLOW_LINKS)) {
            if (!directory(linked)) {
                throw unusual(linked);
            }
            try (var list = Files.list(linked)) {
                list.filter(GitFiles::directory).forEach(places::add);
            }
        }
        for (var place : places) {
            boolean here = text(place.resolve("HEAD"), 4096).map(String::strip).filter(h -> h.startsWith("ref:") && h.substring(4).strip().equals(ref)).isPresent() && !(bare && place.equals(path));
            if (here || rebased(place, ref)) {
                throw new NotApplied("branch '" + ref.substring("refs/heads/".length()) + "' is " + (here ? "checked out" : "being rebased or bisected") + (place.equals(path) ? "" : " in the work tree '" + place.getFileName() + "'")
                        + ": its files would no longer be those of its commit. Name another branch, and merge that; or check out something else there first");
            }
        }
    }

    private static boolean rebased(Path place, String ref) throws IOException {
        for (var name : List.of("rebase-merge/head-name", "rebase-apply/head-name", "BISECT_START")) {
            var file = place.resolve(name);
            if (!Files.isSymbolicLink(file.getParent()) && text(file, 4096).map(String::strip).filter(t -> t.equals(ref) || ("refs/heads/" + t).equals(ref)).isPresent()) {
                return true;
            }
        }
        return false;
    }
}
