// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client.tar;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongConsumer;

/// Unpacks a tar that a sandbox made into a folder of ours. Symbolic links are made last, so that no member is ever written through one; a link
/// that stood there before is an error. Set-id bits and owners are not taken over.
public final class Unpack {
    private static final long MOST_MEMBERS = 5_000_000;

    private final Path root;
    private final TarReader tar;
    private final long mostBytes;
    private final LongConsumer progress;
    private final List<Late> links = new ArrayList<>();
    private final List<Folder> folders = new ArrayList<>();
    private final List<String> leftOut = new ArrayList<>();
    private final List<String> leaving = new ArrayList<>();
    private final byte[] buffer = new byte[64 * 1024];
    private long files;
    private long bytes;

    private record Late(Path at, TarEntry entry, int depth) {}

    private record Folder(Path at, int mode, Instant modified) {}

    private Unpack(Path root, InputStream in, long mostBytes, LongConsumer progress) {
        this.root = root;
        this.tar = new TarReader(in);
        this.mostBytes = mostBytes;
        this.progress = progress;
    }

    /// `into` is made if absent. At most `mostBytes` are written.
    public static Unpacked into(Path into, InputStream in, long mostBytes, LongConsumer progress) throws IOException {
        Files.createDirectories(into);
        return new Unpack(into.toRealPath(), in, mostBytes, progress).all();
    }

    private Unpacked all() throws IOException {
        long members = 0;
        for (var entry = tar.next(); entry != null; entry = tar.next()) {
            if (++members > MOST_MEMBERS) {
                throw new UnsafeArchiveException(entry.shown(), "is one more than the " + MOST_MEMBERS + " that are unpacked");
            }
            member(entry);
        }
        for (var link : links) {
            link(link);
        }
        for (var folder : folders.reversed()) {
            dress(folder.at(), folder.mode(), folder.modified());
        }
        return new Unpacked(files, bytes, leftOut, leaving);
    }

    private void member(TarEntry entry) throws IOException {
        var parts = parts(entry.name(), entry);
        if (parts.isEmpty()) {
            return;
        }
        switch (entry.kind()) {
            case '5' -> folder(parts, entry);
            case '0' -> file(place(parts, entry), entry);
            case '1' -> hardLink(place(parts, entry), entry);
            case '2' -> links.add(new Late(place(parts, entry), entry, parts.size()));
            default -> leftOut.add(entry.shown());
        }
    }

    /// Elements of a member's name. Absolute names and `..` are refused, not repaired.
    private static List<String> parts(String name, TarEntry entry) throws UnsafeArchiveException {
        var parts = new ArrayList<String>();
        for (var part : name.split("/", -1)) {
            if (part.equals("..") || part.indexOf(0) >= 0 || name.startsWith("/")) {
                throw new UnsafeArchiveException(entry.shown(), "points outside the folder");
            }
            if (!part.isEmpty() && !part.equals(".")) {
                parts.add(part);
            }
        }
        return parts;
    }

    /// Where a member goes; its parents exist afterwards and are directories, none of them a link.
    private Path place(List<String> parts, TarEntry entry) throws IOException {
        var at = root;
        for (var part : parts.subList(0, parts.size() - 1)) {
            at = RawName.child(at, part);
            ensureDirectory(at, entry);
        }
        return RawName.child(at, parts.getLast());
    }

    private static void ensureDirectory(Path at, TarEntry entry) throws IOException {
        try {
            Files.createDirectory(at);
        } catch (FileAlreadyExistsException there) {
            if (!Files.isDirectory(at, LinkOption.NOFOLLOW_LINKS)) {
                throw new UnsafeArchiveException(entry.shown(), "would be written through a link or file at " + at);
            }
        }
    }

    private void folder(List<String> parts, TarEntry entry) throws IOException {
        var at = place(parts, entry);
        ensureDirectory(at, entry);
        folders.add(new Folder(at, entry.mode(), entry.modified()));
    }

    private void file(Path at, TarEntry entry) throws IOException {
        bytes += entry.size();
        if (bytes > mostBytes || bytes < 0) {
            throw new UnsafeArchiveException(entry.shown(), "goes past the limit of " + mostBytes + " bytes");
        }
        clear(at, entry);
        try (var out = Files.newOutputStream(at, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            for (int n = tar.read(buffer, 0, buffer.length); n >= 0; n = tar.read(buffer, 0, buffer.length)) {
                out.write(buffer, 0, n);
            }
        }
        dress(at, entry.mode(), entry.modified());
        files++;
        progress.accept(bytes);
    }

    /// What stood there is replaced as `tar` does it: the name goes, never what a link points to. A directory stays.
    private static void clear(Path at, TarEntry entry) throws IOException {
        if (Files.isDirectory(at, LinkOption.NOFOLLOW_LINKS)) {
            throw new UnsafeArchiveException(entry.shown(), "would replace the directory " + at);
        }
        Files.deleteIfExists(at);
    }

    private void hardLink(Path at, TarEntry entry) throws IOException {
        var target = root;
        for (var part : parts(entry.link(), entry)) {
            if (!Files.isDirectory(target, LinkOption.NOFOLLOW_LINKS)) {
                throw new UnsafeArchiveException(entry.shown(), "links through something that is no directory");
            }
            target = RawName.child(target, part);
        }
        if (!Files.isRegularFile(target, LinkOption.NOFOLLOW_LINKS)) {
            throw new UnsafeArchiveException(entry.shown(), "links to something that is not a file of the archive");
        }
        if (!target.equals(at)) {
            clear(at, entry);
            Files.createLink(at, target);
        }
        files++;
    }

    private void link(Late late) throws IOException {
        clear(late.at(), late.entry());
        var target = late.entry().link();
        if (target.isEmpty() || target.indexOf(0) >= 0) {
            throw new UnsafeArchiveException(late.entry().shown(), "is a link to nothing");
        }
        Files.createSymbolicLink(late.at(), RawName.path(target));
        Files.getFileAttributeView(late.at(), BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                .setTimes(FileTime.from(late.entry().modified()), null, null);
        if (leaves(target, late.depth() - 1)) {
            leaving.add(late.entry().shown());
        }
    }

    private static boolean leaves(String target, int depth) {
        int level = depth;
        for (var part : target.split("/")) {
            level += part.equals("..") ? -1 : part.isEmpty() || part.equals(".") ? 0 : 1;
            if (level < 0) {
                return true;
            }
        }
        return target.startsWith("/");
    }

    private static void dress(Path at, int mode, Instant modified) throws IOException {
        Files.setLastModifiedTime(at, FileTime.from(modified));
        Files.setPosixFilePermissions(at, permissions(mode));
    }

    private static Set<PosixFilePermission> permissions(int mode) {
        var set = EnumSet.noneOf(PosixFilePermission.class);
        var all = PosixFilePermission.values();
        for (int i = 0; i < all.length; i++) {
            if ((mode & 0400 >> i) != 0) {
                set.add(all[i]);
            }
        }
        return set;
    }
}
