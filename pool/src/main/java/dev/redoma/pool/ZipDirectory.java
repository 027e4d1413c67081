// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.kernel.Names;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// The central directory of a zip (with its 64-bit form). Every length is held against the file's before it is used, and no two members
/// may share bytes: that is how a small zip holds more than all disks.
final class ZipDirectory {
    private static final int END = 0x0605_4b50;
    private static final int END64 = 0x0606_4b50;
    private static final int LOCATOR64 = 0x0706_4b50;
    private static final int CENTRAL = 0x0201_4b50;
    private static final int LOCAL = 0x0403_4b50;
    private static final int END_SIZE = 22;
    private static final int COMMENT = 65_535;
    private static final int CENTRAL_SIZE = 46;
    private static final int LOCAL_SIZE = 30;
    private static final long LARGEST = 256L << 20;

    private ZipDirectory() {}

    static List<ZipEntry> read(FileChannel file, int most) throws IOException {
        var where = where(file);
        if (where.count() > most) {
            throw new TarFlaw("it has more than " + most + " members");
        }
        if (where.size() > LARGEST || where.at() < 0 || where.size() < 0 || where.at() + where.size() > file.size()) {
            throw new TarFlaw("its directory does not fit into it");
        }
        var bytes = bytes(file, where.at(), (int) where.size());
        var out = new ArrayList<ZipEntry>();
        for (long i = 0; i < where.count(); i++) {
            out.add(entry(bytes));
        }
        apart(out, where.at());
        return out;
    }

    private record Where(long at, long size, long count) {}

    /// From the end record, which stands before a comment of any length.
    private static Where where(FileChannel file) throws IOException {
        long size = file.size();
        int tail = (int) Math.min(size, END_SIZE + COMMENT);
        var bytes = bytes(file, size - tail, tail);
        for (int at = tail - END_SIZE; at >= 0; at--) {
            if (bytes.getInt(at) == END && at + END_SIZE + u16(bytes, at + 20) == tail) {
                boolean large = u16(bytes, at + 10) == 0xFFFF || u32(bytes, at + 12) == 0xFFFF_FFFFL || u32(bytes, at + 16) == 0xFFFF_FFFFL;
                return large ? where64(file, size - tail + at) : new Where(u32(bytes, at + 16), u32(bytes, at + 12), u16(bytes, at + 10));
            }
        }
        throw new TarFlaw("it is no zip, or its end is missing");
    }

    private static Where where64(FileChannel file, long end) throws IOException {
        var locator = bytes(file, end - 20, 20);
        if (locator.getInt(0) != LOCATOR64) {
            throw new TarFlaw("its 64-bit directory is missing");
        }
        var record = bytes(file, locator.getLong(8), 56);
        if (record.getInt(0) != END64) {
            throw new TarFlaw("its 64-bit directory is missing");
        }
        return new Where(record.getLong(48), record.getLong(40), record.getLong(32));
    }

    private static ZipEntry entry(ByteBuffer in) throws IOException {
        if (in.remaining() < CENTRAL_SIZE || in.getInt(in.position()) != CENTRAL) {
            throw new TarFlaw("its directory is damaged");
        }
        int at = in.position();
        int name = u16(in, at + 28);
        int extra = u16(in, at + 30);
        int comment = u16(in, at + 32);
        if (in.remaining() < CENTRAL_SIZE + name + extra + comment) {
            throw new TarFlaw("its directory is damaged");
        }
        var raw = new byte[name];
        in.get(at + CENTRAL_SIZE, raw);
        var fields = ZipExtra.parse(in.slice(at + CENTRAL_SIZE + name, extra).order(ByteOrder.LITTLE_ENDIAN), u32(in, at + 24), u32(in, at + 20), u32(in, at + 42));
        in.position(at + CENTRAL_SIZE + name + extra + comment);
        return entry(in, at, Names.decode(raw), fields);
    }

    private static ZipEntry entry(ByteBuffer in, int at, String name, ZipExtra extra) throws IOException {
        int method = u16(in, at + 10);
        if ((u16(in, at + 8) & 0x2041) != 0) {
            throw new TarFlaw("it is encrypted").at(name);
        }
        if (method != 0 && method != 8) {
            throw new TarFlaw("it is packed by a method that is not taken (" + method + ")").at(name);
        }
        if (method == 0 && extra.packed() != extra.size()) {
            throw new TarFlaw("it has two lengths").at(name);
        }
        boolean unix = in.get(at + 5) == 3;
        int attributes = unix ? (int) (u32(in, at + 38) >>> 16) : 0;
        var kind = kind(attributes, name);
        int mode = attributes != 0 ? attributes & 07777 : kind == TarEntry.Kind.DIRECTORY ? 0755 : 0644;
        var modified = extra.modified().orElseGet(() -> ZipExtra.dosTime(u16(in, at + 14), u16(in, at + 12)));
        return new ZipEntry(name, kind, mode, modified, method == 8, in.getInt(at + 16), extra.packed(), extra.size(), extra.header());
    }

    private static TarEntry.Kind kind(int attributes, String name) {
        return switch (attributes & 0170000) {
            case 0, 0100000 -> name.endsWith("/") ? TarEntry.Kind.DIRECTORY : TarEntry.Kind.FILE;
            case 0040000 -> TarEntry.Kind.DIRECTORY;
            case 0120000 -> TarEntry.Kind.SYMLINK;
            case 0010000 -> TarEntry.Kind.FIFO;
            case 0020000 -> TarEntry.Kind.CHAR;
            case 0060000 -> TarEntry.Kind.BLOCK;
            default -> TarEntry.Kind.OTHER;
        };
    }

    private static void apart(List<ZipEntry> entries, long end) throws TarFlaw {
        long free = 0;
        for (var entry : entries.stream().sorted(Comparator.comparingLong(ZipEntry::header)).toList()) {
            if (entry.header() < free || entry.size() < 0 || entry.packed() < 0) {
                throw new TarFlaw("it shares bytes with another member").at(entry.name());
            }
            free = entry.header() + LOCAL_SIZE + entry.packed();
            if (free > end || free < 0) {
                throw new TarFlaw("it does not lie within the archive").at(entry.name());
            }
        }
    }

    /// Where a member's bytes begin; its local header must tell the same name.
    static long dataOf(FileChannel file, ZipEntry entry) throws IOException {
        var local = bytes(file, entry.header(), LOCAL_SIZE);
        int name = u16(local, 26);
        long data = entry.header() + LOCAL_SIZE + name + u16(local, 28);
        if (local.getInt(0) != LOCAL || data + entry.packed() > file.size()) {
            throw new TarFlaw("it does not lie where the directory says").at(entry.name());
        }
        var raw = new byte[name];
        bytes(file, entry.header() + LOCAL_SIZE, name).get(raw);
        if (!Names.decode(raw).equals(entry.name())) {
            throw new TarFlaw("it has two names").at(entry.name());
        }
        return data;
    }

    private static ByteBuffer bytes(FileChannel file, long at, int length) throws IOException {
        if (at < 0 || at + length > file.size()) {
            throw new TarFlaw("it is cut, or its directory is damaged");
        }
        var out = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        while (out.hasRemaining()) {
            if (file.read(out, at + out.position()) < 0) {
                throw new TarFlaw("it is cut");
            }
        }
        return out.flip();
    }

    private static int u16(ByteBuffer in, int at) {
        return Short.toUnsignedInt(in.getShort(at));
    }

    private static long u32(ByteBuffer in, int at) {
        return Integer.toUnsignedLong(in.getInt(at));
    }
}
