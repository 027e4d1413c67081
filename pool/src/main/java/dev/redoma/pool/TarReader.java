// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.kernel.Names;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Reads tar (ustar, GNU long names, pax) as bytes: names and attribute values need not be text, which the libraries at hand
/// assume. Every length is bounded before anything is allocated for it. Not thread-safe.
final class TarReader implements ArchiveReader {
    private static final int BLOCK = 512;
    private static final int EXTRA_LIMIT = 1 << 20;
    /// Name and attribute blocks before one member; writers use at most three.
    private static final int EXTRAS = 8;

    /// What may follow the end of the archive: writers fill up their last record, whose size is theirs to choose.
    private static final long AFTER = 64L << 20;

    /// In seconds; some 35,000 years from 1970.
    private static final long LATEST = 1L << 40;

    private final InputStream in;
    private final byte[] header = new byte[BLOCK];
    private Map<String, byte[]> global = Map.of();
    private long remaining;
    private long padding;
    private boolean begun;

    TarReader(InputStream in) {
        this.in = in;
    }

    /// The next member, or null at the end of the archive. A member's content is read by `read` before the next call, or skipped by it. The end is where the
    /// stream ends: sums of a compression are at its end, and what nobody has read there nobody has checked.
    @Override
    public @Nullable TarEntry next() throws IOException {
        var pax = new java.util.LinkedHashMap<String, byte[]>(global);
        for (int extras = 0; extras <= EXTRAS; extras++) {
            skip(remaining + padding);
            remaining = 0;
            padding = 0;
            if (!readHeader()) {
                return null;
            }
            long size = TarFields.number(header, 124, 12);
            switch (header[156]) {
                case 'x' -> pax.putAll(PaxRecords.parse(extra(size)));
                case 'g' -> {
                    global = PaxRecords.parse(extra(size));
                    pax.putAll(global);
                }
                case 'L' -> pax.put("path", cut(extra(size)));
                case 'K' -> pax.put("linkpath", cut(extra(size)));
                default -> {
                    return entry(pax, size);
                }
            }
        }
        throw new TarFlaw("too many name and attribute blocks before one member");
    }

    private TarEntry entry(Map<String, byte[]> pax, long headerSize) throws IOException {
        var kind = sparse(pax) ? TarEntry.Kind.SPARSE : TarEntry.Kind.of(header[156]);
        var name = pax.containsKey("path") ? Names.decode(required(pax, "path")) : headerName();
        if (kind == TarEntry.Kind.FILE && name.endsWith("/")) {
            kind = TarEntry.Kind.DIRECTORY;
        }
        long size = PaxRecords.number(pax, "size", headerSize);
        if (size < 0) {
            throw new TarFlaw("a member of negative size");
        }
        remaining = kind == TarEntry.Kind.FILE || kind == TarEntry.Kind.SPARSE || kind == TarEntry.Kind.OTHER ? size : 0;
        padding = (BLOCK - remaining % BLOCK) % BLOCK;
        return new TarEntry(
                kind,
                name,
                (int) TarFields.number(header, 100, 8) & 07777,
                PaxRecords.number(pax, "uid", TarFields.number(header, 108, 8)),
                PaxRecords.number(pax, "gid", TarFields.number(header, 116, 8)),
                remaining,
                modified(pax),
                pax.containsKey("linkpath") ? Names.decode(required(pax, "linkpath")) : TarFields.text(header, 157, 100),
                PaxRecords.xattrs(pax));
    }

    private static byte[] required(Map<String, byte[]> pax, String key) {
        return java.util.Objects.requireNonNull(pax.get(key));
    }

    private static boolean sparse(Map<String, byte[]> pax) {
        return pax.keySet().stream().anyMatch(k -> k.startsWith("GNU.sparse."));
    }

    private String headerName() {
        var name = TarFields.text(header, 0, 100);
        boolean ustar = TarFields.text(header, 257, 6).equals("ustar") && header[263] == '0';
        var prefix = ustar ? TarFields.text(header, 345, 155) : "";
        return prefix.isEmpty() ? name : prefix + "/" + name;
    }

    private Instant modified(Map<String, byte[]> pax) throws IOException {
        if (pax.containsKey("mtime")) {
            return PaxRecords.time(required(pax, "mtime"));
        }
        long seconds = TarFields.number(header, 136, 12);
        if (Math.abs(seconds) > LATEST) {
            throw new TarFlaw("a time out of range");
        }
        return Instant.ofEpochSecond(seconds);
    }

    /// False at the end: two blocks of zeros, or (as many writers do) nothing more.
    private boolean readHeader() throws IOException {
        int n = in.readNBytes(header, 0, BLOCK);
        if (n == 0) {
            return false;
        }
        boolean first = !begun;
        begun = true;
        if (first && (n < BLOCK || !TarFields.isHeader(header) && !zeros(header))) {
            throw TarFlaw.noTar();
        }
        if (n < BLOCK) {
            throw new EOFException("the archive ends within a header");
        }
        if (zeros(header)) {
            rest();
            return false;
        }
        TarFields.verifyChecksum(header);
        return true;
    }

    private void rest() throws IOException {
        var scrap = new byte[1 << 13];
        long after = 0;
        for (int n = in.read(scrap); n >= 0; n = in.read(scrap)) {
            after += n;
            if (after > AFTER) {
                throw new TarFlaw("more than " + AFTER + " bytes follow its end");
            }
        }
    }

    private static boolean zeros(byte[] block) {
        for (byte b : block) {
            if (b != 0) {
                return false;
            }
        }
        return true;
    }

    private byte[] extra(long size) throws IOException {
        if (size < 0 || size > EXTRA_LIMIT) {
            throw new TarFlaw("a name or attribute block of " + size + " bytes");
        }
        var data = in.readNBytes((int) size);
        if (data.length < size) {
            throw new EOFException("the archive ends within a name or attribute block");
        }
        skip((BLOCK - size % BLOCK) % BLOCK);
        return data;
    }

    private static byte[] cut(byte[] name) {
        int end = 0;
        while (end < name.length && name[end] != 0) {
            end++;
        }
        return java.util.Arrays.copyOf(name, end);
    }

    /// Reads content of the current member; -1 at its end.
    @Override
    public int read(byte[] into) throws IOException {
        if (remaining == 0) {
            return -1;
        }
        int n = in.read(into, 0, (int) Math.min(into.length, remaining));
        if (n < 0) {
            throw new EOFException("the archive ends within a member");
        }
        remaining -= n;
        return n;
    }

    private void skip(long bytes) throws IOException {
        in.skipNBytes(bytes);
    }
}
