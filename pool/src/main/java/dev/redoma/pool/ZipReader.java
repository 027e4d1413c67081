// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.kernel.Names;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.List;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;

/// Reads a zip by its central directory, which alone says what is in it; each member's bytes are held against what that says of length and
/// sum. Names are bytes. Stored and deflated members are taken, encrypted ones and other methods refused by name. Not thread-safe.
final class ZipReader implements ArchiveReader, AutoCloseable {
    private static final int CHUNK = 1 << 16;
    private static final int LINK = 4096;

    private final FileChannel file;
    private final List<ZipEntry> entries;
    private final Inflater inflater = new Inflater(true);
    private final ByteBuffer input = ByteBuffer.allocate(CHUNK);
    private int index;
    private @Nullable ZipEntry current;
    private long at;
    private long end;
    private long left;
    private CRC32 sum = new CRC32();

    ZipReader(FileChannel file, int mostEntries) throws IOException {
        this.file = file;
        this.entries = ZipDirectory.read(file, mostEntries);
    }

    @Override
    public @Nullable TarEntry next() throws IOException {
        finish();
        current = null;
        if (index == entries.size()) {
            return null;
        }
        ZipEntry entry = entries.get(index++);
        begin(entry);
        if (entry.kind() != TarEntry.Kind.SYMLINK) {
            return entry.member("");
        }
        var target = new byte[LINK];
        int n = 0;
        for (int got; n < LINK && (got = read(target, n)) > 0; n += got) {
            // until its end
        }
        if (left > 0) {
            throw new TarFlaw("it is a link whose target is longer than " + (LINK - 1) + " bytes").at(entry.name());
        }
        return entry.member(Names.decode(java.util.Arrays.copyOf(target, n)));
    }

    private void begin(ZipEntry entry) throws IOException {
        current = entry;
        at = ZipDirectory.dataOf(file, entry);
        end = at + entry.packed();
        left = entry.size();
        sum = new CRC32();
        inflater.reset();
        input.limit(0);
    }

    @Override
    public int read(byte[] into) throws IOException {
        return read(into, 0);
    }

    private int read(byte[] into, int from) throws IOException {
        var entry = current;
        if (entry == null || left == 0) {
            return -1;
        }
        int wanted = (int) Math.min(into.length - from, left);
        int n = entry.deflated() ? inflated(entry, into, from, wanted) : stored(entry, into, from, wanted);
        sum.update(into, from, n);
        left -= n;
        return n;
    }

    private int stored(ZipEntry entry, byte[] into, int from, int wanted) throws IOException {
        int n = file.read(ByteBuffer.wrap(into, from, wanted), at);
        if (n <= 0) {
            throw new TarFlaw("the archive ends within it").at(entry.name());
        }
        at += n;
        return n;
    }

    private int inflated(ZipEntry entry, byte[] into, int from, int wanted) throws IOException {
        try {
            while (true) {
                int n = inflater.inflate(into, from, wanted);
                if (n > 0) {
                    return n;
                }
                if (inflater.finished() || inflater.needsDictionary() || !inflater.needsInput() || !more()) {
                    throw new TarFlaw("its content is shorter than it says").at(entry.name());
                }
            }
        } catch (DataFormatException e) {
            throw new TarFlaw("its content is damaged").at(entry.name());
        }
    }

    private boolean more() throws IOException {
        input.clear().limit((int) Math.min(CHUNK, end - at));
        int n = input.hasRemaining() ? file.read(input, at) : -1;
        if (n <= 0) {
            return false;
        }
        at += n;
        inflater.setInput(input.array(), 0, n);
        return true;
    }

    /// The rest of a member is read: a sum that is wrong is told also by who passes over it.
    private void finish() throws IOException {
        var entry = current;
        if (entry == null) {
            return;
        }
        var rest = new byte[CHUNK];
        while (read(rest) > 0) {
            // only for its sum
        }
        boolean whole = entry.deflated() ? ended(rest) : at == end;
        if (!whole) {
            throw new TarFlaw("its content is longer than it says").at(entry.name());
        }
        if ((int) sum.getValue() != entry.crc()) {
            throw new TarFlaw("its content does not have the sum that it says").at(entry.name());
        }
    }

    private boolean ended(byte[] rest) throws IOException {
        try {
            while (!inflater.finished()) {
                if (inflater.inflate(rest) > 0 || !inflater.finished() && (!inflater.needsInput() || !more())) {
                    return false;
                }
            }
            return true;
        } catch (DataFormatException e) {
            return false;
        }
    }

    @Override
    public void close() {
        inflater.end();
    }
}
