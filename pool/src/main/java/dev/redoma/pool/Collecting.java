// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.kernel.Names;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

/// Copies the regular files that match into a directory of ours, each under a name of ours. Links and special files are none. Not thread-safe.
final class Collecting implements ArchiveSink {
    private static final int NAMED = 100;

    private final Globs wanted;
    private final Path into;
    private final Supplier<String> names;
    private final List<Artifacts.Kept> kept = new ArrayList<>();
    private final List<String> leftOut = new ArrayList<>();
    private int more;
    private int files;
    private long bytes;

    Collecting(Globs wanted, Path into, Supplier<String> names, int files, long bytes) {
        this.wanted = wanted;
        this.into = into;
        this.names = names;
        this.files = files;
        this.bytes = bytes;
    }

    @Override
    public void put(TarEntry entry, Content content) throws IOException {
        var parts = Stream.of(entry.name().split("/")).filter(p -> !p.isEmpty()).toList();
        if (entry.kind() != TarEntry.Kind.FILE || !wanted.match(parts)) {
            return;
        }
        var path = Names.printable(String.join("/", parts));
        if (files <= 0 || entry.size() > bytes) {
            if (leftOut.size() < NAMED) {
                leftOut.add(path);
            }
            more++;
            return;
        }
        var name = names.get();
        var hash = sha256();
        long size;
        try (var file = FileChannel.open(into.resolve(name), Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW), Artifacts.OURS);
                var out = new DigestOutputStream(Channels.newOutputStream(file), hash)) {
            size = copy(content, out);
            file.force(true);
        } catch (IOException | RuntimeException failed) {
            Files.deleteIfExists(into.resolve(name));
            throw failed;
        }
        files--;
        bytes -= size;
        kept.add(new Artifacts.Kept(name, path, size, "%04o".formatted(entry.mode() & 0777), "sha256:" + HexFormat.of().formatHex(hash.digest()), entry.modified()));
    }

    private static long copy(Content content, OutputStream out) throws IOException {
        var buffer = new byte[1 << 16];
        long size = 0;
        for (int n = content.read(buffer); n >= 0; n = content.read(buffer)) {
            out.write(buffer, 0, n);
            size += n;
        }
        return size;
    }

    @Override
    public void finish() {}

    Artifacts.Taken taken() {
        return new Artifacts.Taken(List.copyOf(kept), List.copyOf(leftOut), more);
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new UncheckedIOException(new IOException(e));
        }
    }
}
