// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.kernel.Names;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The files of a tar that lies on disk (the first 100,000), by their names, each to be read as often as needed. Nothing of it is unpacked, so no path of the
/// host is made of its names. Links within it are followed. Threads may share it; whoever opened the channel closes it.
public final class TarFiles {
    private static final ImportLimits BOUNDS = new ImportLimits(100_000, Long.MAX_VALUE, 4095, 16_384, 200);
    private static final int BUFFER = 1 << 16;
    private static final int LINKS = 8;

    private sealed interface Member {
        record Content(long offset, long size) implements Member {}

        /// `target` as a name in the tar.
        record Link(String target) implements Member {}

        /// There more than once, so that it would be anybody's guess which counts.
        record Twice() implements Member {}
    }

    private final FileChannel tar;
    private final Map<String, Member> members = new HashMap<>();

    private TarFiles(FileChannel tar) {
        this.tar = tar;
    }

    /// Reads the headers of a plain tar; ARCHIVE_REFUSED names the member that is wrong.
    public static TarFiles of(FileChannel tar) {
        var files = new TarFiles(tar);
        @Nullable TarEntry entry = null;
        try {
            tar.position(0);
            var at = new Position(Channels.newInputStream(tar));
            var reader = new TarReader(at);
            while ((entry = reader.next()) != null) {
                files.add(entry, at.count);
            }
            return files;
        } catch (IOException flaw) {
            throw refused(entry == null ? "" : entry.name(), String.valueOf(flaw.getMessage()));
        }
    }

    private void add(TarEntry entry, long offset) throws TarFlaw {
        var path = TreePath.of(entry.name(), BOUNDS);
        var name = String.join("/", path.parts());
        @Nullable Member member = switch (entry.kind()) {
            case FILE -> new Member.Content(offset, entry.size());
            case HARDLINK -> new Member.Link(String.join("/", TreePath.of(entry.link(), BOUNDS).parts()));
            case SYMLINK -> new Member.Link(target(path.parents(), entry.link()));
            case DIRECTORY, CHAR, BLOCK, FIFO, SPARSE, OTHER -> null;
        };
        if (member != null && members.size() < BOUNDS.entries() && members.put(name, member) != null) {
            members.put(name, new Member.Twice());
        }
    }

    private static String target(List<String> from, String link) throws TarFlaw {
        var parts = new java.util.ArrayList<>(link.startsWith("/") ? List.<String>of() : from);
        for (var part : link.split("/")) {
            if (part.equals("..") && parts.isEmpty()) {
                throw new TarFlaw("it is a link that leads out");
            }
            if (part.equals("..")) {
                parts.removeLast();
            } else if (!part.isEmpty() && !part.equals(".")) {
                parts.add(part);
            }
        }
        return String.join("/", parts);
    }

    private static RuntimeException refused(String name, String why) {
        var member = Names.printable(name);
        member = member.length() > 300 ? member.substring(0, 300) + "…" : member;
        return Problem.of(Code.ARCHIVE_REFUSED, "the archive is refused" + (member.isEmpty() ? "" : " at member '" + member + "'") + ": " + why, "Make the archive anew without it.")
                .with("member", member).raise();
    }

    public Set<String> names() {
        return Set.copyOf(members.keySet());
    }

    public boolean has(String name) {
        return find(name).isPresent();
    }

    /// Its size; empty if there is no such file.
    public Optional<Long> size(String name) {
        return find(name).map(Member.Content::size);
    }

    public Optional<InputStream> open(String name) {
        return find(name).map(c -> new Slice(tar, c.offset(), c.size(), "the archive ends within a member"));
    }

    private Optional<Member.Content> find(String name) {
        var at = name;
        for (int links = 0; links <= LINKS; links++) {
            var member = members.get(at);
            if (member instanceof Member.Content content) {
                return Optional.of(content);
            }
            if (member instanceof Member.Twice) {
                throw refused(at, "it is there twice");
            }
            if (!(member instanceof Member.Link(var target))) {
                return Optional.empty();
            }
            at = target;
        }
        throw refused(name, "it leads through too many links");
    }

    /// Skips by moving on in the file.
    private static final class Position extends FilterInputStream {
        private long count;

        Position(InputStream in) {
            super(new BufferedInputStream(in, BUFFER));
        }

        @Override
        public int read(byte[] into, int at, int length) throws IOException {
            int n = in.read(into, at, length);
            count += Math.max(0, n);
            return n;
        }

        @Override
        public int read() throws IOException {
            int one = in.read();
            count += one < 0 ? 0 : 1;
            return one;
        }

        @Override
        public long skip(long wanted) throws IOException {
            long n = in.skip(wanted);
            count += n;
            return n;
        }
    }
}
