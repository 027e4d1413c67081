// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.kernel.Dir;
import dev.redoma.kernel.KernelException;
import dev.redoma.kernel.Names;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/// Files of a sandbox that are kept for people: copied out of its upper directory by patterns, and packed again with names that are safe elsewhere.
public final class Artifacts {
    static final FileAttribute<Set<PosixFilePermission>> OURS = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private Artifacts() {}

    /// One copy: `name` is ours, `path` is as `Names` shows it, below the directory that was looked through.
    public record Kept(String name, String path, long size, String mode, String digest, Instant modified) {}

    /// `leftOut`: what there was no room for (the first of `more`).
    public record Taken(List<Kept> kept, List<String> leftOut, int more) {}

    /// Refuses what are no patterns.
    public static List<String> checked(List<String> patterns) {
        Globs.of(patterns);
        return List.copyOf(patterns);
    }

    /// Copies what matches below `root` (without links) of an upper directory; a pattern without a slash matches at any depth, and `anywhere` makes all of them so. Nothing where there is no such directory.
    public static Taken collect(Path upper, String root, boolean anywhere, List<String> patterns, Path into, Supplier<String> names, int files, long bytes) throws IOException {
        var globs = Globs.of(anywhere ? patterns.stream().map(p -> p.startsWith("/") ? p : "**/" + p).toList() : patterns);
        var collecting = new Collecting(globs, into, names, files, bytes);
        try (var top = Dir.open(upper)) {
            var at = top;
            for (var part : Arrays.stream(root.split("/")).filter(p -> !p.isEmpty()).toList()) {
                var next = at.dirAt(part);
                at.close();
                at = next;
            }
            try (var dir = at; var walk = new TreeWalk(collecting, false, Lowers.uidBase(upper))) {
                walk.below(dir);
            }
        } catch (KernelException e) {
            if (!e.is(dev.redoma.kernel.Errno.ENOENT, dev.redoma.kernel.Errno.ENOTDIR, dev.redoma.kernel.Errno.ELOOP)) {
                throw e;
            }
        }
        return collecting.taken();
    }

    /// One file to pack: where its copy lies.
    public record Packed(Path file, String path, long size, String mode, Instant modified) {}

    /// A tar with exact names, or a zip whose names are safe on other systems too. All are relative and lie below where it is unpacked.
    public static void pack(Outgoing.Format format, List<Packed> files, OutputStream out) throws IOException {
        ArchiveSink sink = format == Outgoing.Format.TAR ? new TarSink(out) : new ZipSink(out);
        var safe = new SafeNames();
        for (var file : files) {
            var name = format == Outgoing.Format.TAR ? file.path() : safe.of(file.path());
            try (var bytes = FileChannel.open(file.file())) {
                sink.put(new TarEntry(TarEntry.Kind.FILE, Names.parse(name), Integer.parseInt(file.mode(), 8), 0, 0, file.size(), file.modified(), "", Map.of()), into -> bytes.read(ByteBuffer.wrap(into)));
            }
        }
        sink.finish();
    }
}
