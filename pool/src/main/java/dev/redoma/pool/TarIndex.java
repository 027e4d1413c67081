// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.kernel.Names;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// A tar from outside that stays a tar: what it holds, by path, with a digest of each file's content. Nothing of it is unpacked, so no
/// path of the host is ever made of its names. One thread at a time. Close it.
public final class TarIndex implements AutoCloseable {
    private static final int CHUNK = 1 << 17;

    /// What a member is.
    public enum Kind { FILE, DIRECTORY, SYMLINK }

    /// A member. `path` has no empty, `.` or `..` parts and no slash at either end; names as `Names` decodes them. `digest`: hex SHA-256 of
    /// a file's content; `link`: a symbolic link's target.
    public record Entry(String path, Kind kind, int mode, long size, Instant modified, String link, String digest, long offset) {}

    /// `members` and `bytes` that are taken at most; `bytes` of the unpacked whole.
    public record Bounds(int members, long bytes) {}

    private final FileChannel file;
    private final TreeMap<String, Entry> entries = new TreeMap<>();
    private final ImportLimits limits;

    private TarIndex(FileChannel file, Bounds bounds) {
        this.file = file;
        this.limits = new ImportLimits(bounds.members(), bounds.bytes(), 4095, 16_384, 100);
    }

    /// Writes a tar (plain, gzip or zstd) to a new file, plain; PAYLOAD_TOO_LARGE beyond the bound.
    public static void spool(InputStream tar, Path to, Bounds bounds) throws IOException {
        try (OutputStream out = Files.newOutputStream(to, StandardOpenOption.CREATE_NEW)) {
            var in = Unpacked.of(tar);
            var buffer = new byte[CHUNK];
            long total = 0;
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                total += n;
                if (total > bounds.bytes()) {
                    throw Problem.of(Code.PAYLOAD_TOO_LARGE, "The files of the build are larger than " + bounds.bytes() + " bytes.",
                                    "Leave out what it does not need by a .dockerignore.")
                            .with("limit", bounds.bytes()).raise();
                }
                out.write(buffer, 0, n);
            }
        } catch (TarFlaw flaw) {
            throw refused(String.valueOf(flaw.getMessage()), null);
        }
    }

    public static TarIndex read(Path plainTar, Bounds bounds) throws IOException {
        var channel = FileChannel.open(plainTar, StandardOpenOption.READ);
        try {
            var index = new TarIndex(channel, bounds);
            index.fill();
            return index;
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private void fill() throws IOException {
        @Nullable TarEntry entry = null;
        var counted = new Counted(new BufferedInputStream(Channels.newInputStream(file), CHUNK));
        var reader = new TarReader(counted);
        try {
            while ((entry = reader.next()) != null) {
                take(entry, counted.count, reader);
                if (entries.size() > limits.entries()) {
                    throw new TarFlaw("there are more than " + limits.entries() + " members");
                }
            }
        } catch (IOException flaw) {
            throw refused(flaw.getMessage() == null ? "it cannot be read" : flaw.getMessage(), entry);
        }
    }

    private void take(TarEntry entry, long offset, TarReader content) throws IOException {
        var path = TreePath.of(entry.name(), limits);
        if (path.isRoot()) {
            return;
        }
        parents(path);
        var name = String.join("/", path.parts());
        var made = switch (entry.kind()) {
            case FILE -> new Entry(name, Kind.FILE, entry.mode(), entry.size(), entry.modified(), "", digest(content), offset);
            case DIRECTORY -> new Entry(name, Kind.DIRECTORY, entry.mode(), 0, entry.modified(), "", "", 0);
            case SYMLINK -> new Entry(name, Kind.SYMLINK, 0777, 0, entry.modified(), target(entry), "", 0);
            case HARDLINK -> linked(entry, name);
            case CHAR, BLOCK, FIFO, SPARSE, OTHER -> throw new TarFlaw("it is neither a file, a directory nor a link");
        };
        var before = entries.put(name, made);
        if (before != null && before.kind() == Kind.DIRECTORY && made.kind() != Kind.DIRECTORY && !children(name).isEmpty()) {
            throw new TarFlaw("it takes the place of a directory");
        }
    }

    private static String target(TarEntry entry) throws TarFlaw {
        if (entry.link().isEmpty() || entry.link().indexOf('\0') >= 0 || entry.link().length() > 4095) {
            throw new TarFlaw("it is a link without a target that makes sense");
        }
        return entry.link();
    }

    private Entry linked(TarEntry entry, String name) throws TarFlaw {
        var existing = entries.get(String.join("/", TreePath.of(entry.link(), limits).parts()));
        if (existing == null || existing.kind() == Kind.DIRECTORY) {
            throw new TarFlaw("it is a hard link to what is not there before it");
        }
        return new Entry(name, existing.kind(), existing.mode(), existing.size(), existing.modified(), existing.link(), existing.digest(), existing.offset());
    }

    /// Those that no member stands for are made; none may be anything but a directory.
    private void parents(TreePath path) throws TarFlaw {
        for (int i = 1; i < path.parts().size(); i++) {
            var above = String.join("/", path.parts().subList(0, i));
            var present = entries.computeIfAbsent(above, p -> new Entry(p, Kind.DIRECTORY, 0755, 0, Instant.EPOCH, "", "", 0));
            if (present.kind() != Kind.DIRECTORY) {
                throw new TarFlaw("its way leads through what is no directory");
            }
        }
    }

    private static String digest(TarReader content) throws IOException {
        var hash = LayerDigest.sha256();
        var buffer = new byte[CHUNK];
        for (int n = content.read(buffer); n > 0; n = content.read(buffer)) {
            hash.update(buffer, 0, n);
        }
        return HexFormat.of().formatHex(hash.digest());
    }

    private static RuntimeException refused(String why, @Nullable TarEntry entry) {
        var member = entry == null ? "" : Names.printable(entry.name()).replaceAll("\\p{Cntrl}", "?");
        member = member.length() > 300 ? member.substring(0, 300) + "…" : member;
        var problem = Problem.of(Code.ARCHIVE_REFUSED, "the files of the build are refused" + (member.isEmpty() ? "" : " at '" + member + "'") + ": " + why + ".",
                "Pack them anew without it.");
        return (member.isEmpty() ? problem : problem.with("member", member)).raise();
    }

    /// From now on it is not there.
    public void hide(Entry entry) {
        entries.remove(entry.path());
    }

    public Optional<Entry> find(String path) {
        return Optional.ofNullable(entries.get(path));
    }

    /// Everything below a directory (`""`: all), parents before what is in them.
    public List<Entry> below(String directory) {
        return List.copyOf(directory.isEmpty() ? entries.values() : entries.subMap(directory + "/", directory + "0").values());
    }

    /// What is directly in a directory.
    public List<Entry> children(String directory) {
        int from = directory.isEmpty() ? 0 : directory.length() + 1;
        return below(directory).stream().filter(e -> e.path().indexOf('/', from) < 0).toList();
    }

    /// The content of a file.
    public InputStream open(Entry entry) {
        return new Slice(file, entry.offset(), entry.size());
    }

    @Override
    public void close() throws IOException {
        file.close();
    }

    /// Knows where it is.
    private static final class Counted extends FilterInputStream {
        private long count;

        Counted(InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            int b = super.read();
            count += b < 0 ? 0 : 1;
            return b;
        }

        @Override
        public int read(byte[] into, int off, int len) throws IOException {
            int n = super.read(into, off, len);
            count += Math.max(0, n);
            return n;
        }

        @Override
        public long skip(long n) throws IOException {
            long skipped = super.skip(n);
            count += skipped;
            return skipped;
        }
    }
}
