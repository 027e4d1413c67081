// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client.tar;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongConsumer;

/// Writes what is below a folder as a tar. Links go as links and are never followed, a file with several names in the folder is one file with these names; sockets, FIFOs and devices are left out and named.
public final class Pack {
    private static final int DEEPEST = 512;

    private final TarWriter tar;
    private final IgnoreRules rules;
    private final LongConsumer progress;
    private final boolean ignoring;
    private final List<String> leftOut = new ArrayList<>();
    /// Names that files with several of them were given first.
    private final Map<Inode, String> named = new HashMap<>();
    private String always = "";
    private long bytes;

    private Pack(OutputStream out, IgnoreRules rules, boolean ignoring, LongConsumer progress) {
        this.rules = rules;
        this.ignoring = ignoring;
        this.tar = new TarWriter(out);
        this.progress = progress;
    }

    /// Returns the paths left out. `progress` is told the bytes of files written so far.
    public static List<String> folder(Path root, OutputStream out, LongConsumer progress) throws IOException {
        return folder(root, false, out, progress);
    }

    /// `ignoring`: without what `.gitignore` files in it name.
    public static List<String> folder(Path root, boolean ignoring, OutputStream out, LongConsumer progress) throws IOException {
        return pack(root, new Pack(out, IgnoreRules.none(), ignoring, progress));
    }

    /// Without what the rules leave out, but with `always` (`""`: nothing), a path in the folder.
    public static List<String> folder(Path root, OutputStream out, IgnoreRules rules, String always, LongConsumer progress) throws IOException {
        var pack = new Pack(out, rules, false, progress);
        pack.always = always;
        return pack(root, pack);
    }

    private static List<String> pack(Path root, Pack pack) throws IOException {
        if (Files.notExists(root)) {
            throw new NoSuchFileException(root.toString());
        }
        if (!Files.isDirectory(root)) {
            throw new NotDirectoryException(root.toString());
        }
        pack.children(root.toRealPath(), "", 0, Ignores.NONE);
        pack.tar.finish();
        return pack.leftOut;
    }

    private void children(Path folder, String prefix, int depth, Ignores above) throws IOException {
        if (depth > DEEPEST) {
            throw new IOException(folder + " is more than " + DEEPEST + " levels deep");
        }
        var names = new ArrayList<Path>();
        try (var listing = Files.newDirectoryStream(folder)) {
            listing.forEach(names::add);
        }
        names.sort(null);
        var ignores = ignoring ? above.into(folder, prefix) : above;
        for (var path : names) {
            member(path, prefix + RawName.last(path), depth, ignores);
        }
    }

    private void member(Path path, String name, int depth, Ignores ignores) throws IOException {
        var facts = Files.readAttributes(path, "unix:mode,size,nlink,ino,dev,lastModifiedTime,isDirectory,isRegularFile,isSymbolicLink", LinkOption.NOFOLLOW_LINKS);
        if (ignores.ignored(name, is(facts, "isDirectory"))) {
            return;
        }
        var modified = fact(facts, "lastModifiedTime", FileTime.class).toInstant();
        int mode = fact(facts, "mode", Integer.class) & 07777;
        boolean out = !name.equals(always) && rules.leavesOut(name);
        if (out && !(is(facts, "isDirectory") && (rules.mayKeepBelow() || always.startsWith(name + "/")))) {
            return;
        }
        if (is(facts, "isSymbolicLink")) {
            tar.entry(TarEntry.link(name, RawName.of(Files.readSymbolicLink(path)), modified));
        } else if (is(facts, "isDirectory")) {
            if (!out) {
                tar.entry(TarEntry.directory(name + "/", mode, modified));
            }
            children(path, name + "/", depth + 1, ignores);
        } else if (is(facts, "isRegularFile")) {
            if (fact(facts, "nlink", Integer.class) > 1) {
                String first = named.putIfAbsent(new Inode(fact(facts, "dev", Long.class), fact(facts, "ino", Long.class)), name);
                if (first != null) {
                    tar.entry(TarEntry.same(name, mode, first, modified));
                    return;
                }
            }
            file(path, name, mode, fact(facts, "size", Long.class), modified);
        } else {
            leftOut.add(path.toString());
        }
    }

    private record Inode(long device, long number) {}

    private static boolean is(Map<String, Object> facts, String name) {
        return fact(facts, name, Boolean.class);
    }

    private static <T> T fact(Map<String, Object> facts, String name, Class<T> type) {
        return type.cast(Objects.requireNonNull(facts.get(name), name));
    }

    /// Opened before the header goes out, and without following a link that took the file's place meanwhile.
    private void file(Path path, String name, int mode, long size, Instant modified) throws IOException {
        try (var in = Files.newInputStream(path, LinkOption.NOFOLLOW_LINKS)) {
            tar.entry(TarEntry.file(name, mode, size, modified));
            tar.data(in, size, path.toString());
        }
        bytes += size;
        progress.accept(bytes);
    }
}
