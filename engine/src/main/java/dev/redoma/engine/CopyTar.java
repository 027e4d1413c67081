// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.kernel.Names;
import dev.redoma.pool.TarIndex;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.function.Supplier;

/// The files of a `COPY` as the tar that goes into the sandbox, made as it is read: owners and modes as the step says. One thread.
final class CopyTar extends InputStream {
    private static final int BLOCK = 512;
    private static final long OCTAL = 077777777777L;

    private final TarIndex files;
    private final StepOwner owner;
    private final int mode;
    private final Iterator<CopyPlan.Item> items;
    private final Deque<Supplier<InputStream>> parts = new ArrayDeque<>();
    private InputStream now = bytes(new byte[0]);
    private boolean ended;

    /// `mode` -1: each file's own.
    CopyTar(TarIndex files, List<CopyPlan.Item> items, StepOwner owner, int mode) {
        this.files = files;
        this.owner = owner;
        this.mode = mode;
        this.items = items.iterator();
    }

    @Override
    public int read() throws IOException {
        var one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    /// As much as there is room for, so that small files do not travel one by one.
    @Override
    public int read(byte[] into, int off, int len) throws IOException {
        int done = 0;
        while (done < len) {
            int n = now.read(into, off + done, len - done);
            if (n > 0) {
                done += n;
            } else if (!next()) {
                break;
            }
        }
        return done == 0 && len > 0 ? -1 : done;
    }

    private boolean next() {
        if (parts.isEmpty() && items.hasNext()) {
            member(items.next());
        } else if (parts.isEmpty() && !ended) {
            ended = true;
            parts.add(() -> bytes(new byte[2 * BLOCK]));
        }
        var part = parts.poll();
        if (part == null) {
            return false;
        }
        now = part.get();
        return true;
    }

    private void member(CopyPlan.Item item) {
        parts.add(() -> bytes(header(item)));
        if (item.entry().kind() == TarIndex.Kind.FILE) {
            parts.add(() -> files.open(item.entry()));
            parts.add(() -> bytes(new byte[(int) (-item.entry().size() & BLOCK - 1)]));
        }
    }

    private static InputStream bytes(byte[] bytes) {
        return new ByteArrayInputStream(bytes);
    }

    private byte[] header(CopyPlan.Item item) {
        var entry = item.entry();
        var out = new ByteArrayOutputStream();
        byte[] name = Names.encode(item.name());
        byte[] link = Names.encode(entry.link());
        byte[] records = records(name, link, entry);
        if (records.length > 0) {
            out.writeBytes(block("pax".getBytes(StandardCharsets.US_ASCII), new byte[0], 'x', 0644, records.length, 0));
            out.writeBytes(Arrays.copyOf(records, (records.length + BLOCK - 1) / BLOCK * BLOCK));
        }
        char type = switch (entry.kind()) {
            case FILE -> '0';
            case DIRECTORY -> '5';
            case SYMLINK -> '2';
        };
        int bits = mode >= 0 && entry.kind() != TarIndex.Kind.SYMLINK ? mode : entry.mode();
        out.writeBytes(block(name, link, type, bits, entry.kind() == TarIndex.Kind.FILE ? entry.size() : 0, entry.modified().getEpochSecond()));
        return out.toByteArray();
    }

    private static byte[] records(byte[] name, byte[] link, TarIndex.Entry entry) {
        var out = new ByteArrayOutputStream();
        if (name.length > 100) {
            record(out, "path", name);
        }
        if (link.length > 100) {
            record(out, "linkpath", link);
        }
        if (entry.size() > OCTAL) {
            record(out, "size", Long.toString(entry.size()).getBytes(StandardCharsets.US_ASCII));
        }
        return out.toByteArray();
    }

    /// `LENGTH KEY=VALUE\n`, where the length counts itself.
    private static void record(ByteArrayOutputStream out, String key, byte[] value) {
        int rest = key.length() + value.length + 3;
        int length = rest + 1;
        while (length != rest + Integer.toString(length).length()) {
            length = rest + Integer.toString(length).length();
        }
        out.writeBytes((length + " " + key + "=").getBytes(StandardCharsets.US_ASCII));
        out.writeBytes(value);
        out.write('\n');
    }

    private byte[] block(byte[] name, byte[] link, char type, int bits, long size, long seconds) {
        var b = new byte[BLOCK];
        put(b, 0, 100, name);
        octal(b, 100, 8, bits);
        octal(b, 108, 8, owner.uid());
        octal(b, 116, 8, owner.gid());
        octal(b, 124, 12, size > OCTAL ? 0 : size);
        octal(b, 136, 12, Math.clamp(seconds, 0, OCTAL));
        b[156] = (byte) type;
        put(b, 157, 100, link);
        put(b, 257, 8, "ustar\00000".getBytes(StandardCharsets.US_ASCII));
        Arrays.fill(b, 148, 156, (byte) ' ');
        int sum = 0;
        for (byte octet : b) {
            sum += octet & 0xff;
        }
        octal(b, 148, 7, sum);
        return b;
    }

    private static void put(byte[] block, int at, int room, byte[] text) {
        System.arraycopy(text, 0, block, at, Math.min(room, text.length));
    }

    private static void octal(byte[] block, int at, int room, long value) {
        long rest = value;
        for (int i = room - 2; i >= 0; i--) {
            block[at + i] = (byte) ('0' + (rest & 7));
            rest >>>= 3;
        }
        block[at + room - 1] = 0;
    }
}
