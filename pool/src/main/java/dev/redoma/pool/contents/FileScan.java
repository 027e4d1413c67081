// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool.contents;

import dev.redoma.kernel.Dir;
import dev.redoma.kernel.Fd;
import dev.redoma.kernel.Open;
import dev.redoma.kernel.Stat;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Looks for secrets in files, a window at a time; what is no text is only searched for values that are known. Keeps the values that it
/// found, to search for them elsewhere; they leave this room in no answer. One thread. Close it.
final class FileScan implements AutoCloseable {
    private static final int WINDOW = 1 << 20;
    /// A secret that lies across two windows is found whole in the second.
    private static final int OVERLAP = 128 << 10;
    private static final int HEAD = 8192;
    private static final int VALUES = 256;
    private static final int SHORTEST = 12;
    private static final int LONGEST = 512;
    /// Files that are made for secrets are small.
    private static final int MADE = 1 << 20;

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment segment = arena.allocate(WINDOW + OVERLAP, 8);
    private final byte[] window = new byte[WINDOW + OVERLAP];
    private final Set<String> values = new LinkedHashSet<>();
    private final Shapes text;
    private final Shapes binary;
    private final boolean knows;
    private final long end;
    private long left;

    /// `known`: values that an earlier look found; `bytes`: how much it may read in all; `end`: until when (`nanoTime`).
    FileScan(Set<String> known, long bytes, long end) {
        this.knows = !known.isEmpty();
        this.text = knows ? Shapes.knowing(known) : Shapes.STANDARD;
        this.binary = Shapes.only(known);
        this.left = bytes;
        this.end = end;
    }

    /// A secret in a file: its bytes, and the line that it begins on.
    record At(String kind, long from, long to, int line) {}

    /// `whole`: all of it was looked at.
    record Scanned(List<At> findings, boolean binary, boolean whole) {}

    Set<String> values() {
        return values;
    }

    /// A secret may be in a name, too.
    List<Finding> inName(String name) {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        return text.find(bytes, bytes.length);
    }

    Scanned scan(Dir dir, String name, String path, ContentClass of) {
        try (Fd file = dir.openAt(name, Open.RDONLY | Open.NONBLOCK, 0)) {
            if (file.stat().type() != Stat.Type.FILE) {
                return new Scanned(List.of(), false, true);
            }
            boolean isBinary = isBinary(file);
            if (isBinary && !knows) {
                return new Scanned(List.of(), true, true);
            }
            return windows(file, isBinary, Lines.made(path, name, of) && !isBinary ? name : null);
        }
    }

    private boolean isBinary(Fd file) {
        int n = fill(file, 0, 0, HEAD);
        for (int i = 0; i < n; i++) {
            if (window[i] == 0) {
                return true;
            }
        }
        return false;
    }

    private Scanned windows(Fd file, boolean isBinary, @Nullable String made) {
        var findings = new ArrayList<At>();
        long base = 0;
        int kept = 0;
        int line = 1;
        while (true) {
            if (left <= 0 || System.nanoTime() > end) {
                return new Scanned(findings, isBinary, false);
            }
            int read = fill(file, base + kept, kept, WINDOW);
            left -= read;
            int filled = kept + read;
            boolean last = read < WINDOW;
            int settled = last ? filled : filled - OVERLAP;
            line = collect(findings, isBinary ? binary : text, made, base, filled, settled, line, isBinary);
            if (last) {
                return new Scanned(findings, isBinary, true);
            }
            System.arraycopy(window, settled, window, 0, filled - settled);
            base += settled;
            kept = filled - settled;
        }
    }

    /// Those that begin before `settled`; returns the line that `settled` is on.
    private int collect(List<At> into, Shapes shapes, @Nullable String made, long base, int filled, int settled, int line, boolean isBinary) {
        var found = new ArrayList<>(shapes.find(window, filled));
        if (made != null && base == 0 && filled <= MADE) {
            found.addAll(Lines.assignments(made, window, filled));
            found.sort(Comparator.comparingInt(Finding::from));
        }
        int at = 0;
        int now = line;
        for (Finding f : found) {
            if (f.from() < settled) {
                now += lines(at, f.from());
                at = Math.max(at, f.from());
                into.add(new At(f.kind(), base + f.from(), base + f.to(), isBinary ? 0 : now));
                remember(f);
            }
        }
        return now + lines(at, settled);
    }

    private int lines(int from, int to) {
        int count = 0;
        for (int i = from; i < to; i++) {
            count += window[i] == '\n' ? 1 : 0;
        }
        return count;
    }

    /// Only what cannot be an ordinary word is looked for elsewhere.
    private void remember(Finding f) {
        int length = f.to() - f.from();
        if (length >= SHORTEST && length <= LONGEST && values.size() < VALUES && !f.kind().startsWith("known")) {
            String value = new String(window, f.from(), length, StandardCharsets.ISO_8859_1);
            String bare = value.startsWith("Bearer ") ? value.substring(7) : value.startsWith("Basic ") ? value.substring(6) : value;
            if (bare.length() >= SHORTEST && bare.chars().anyMatch(Character::isDigit) && bare.chars().anyMatch(Character::isLetter)) {
                values.add(bare);
            }
        }
    }

    private int fill(Fd file, long offset, int at, int most) {
        int done = 0;
        while (done < most) {
            long n = file.pread(segment.asSlice(done, most - done), offset + done);
            if (n == 0) {
                break;
            }
            done += (int) n;
        }
        MemorySegment.copy(segment, ValueLayout.JAVA_BYTE, 0, window, at, done);
        return done;
    }

    /// Overwrites findings with asterisks, in place; the file keeps its size, owner, mode and time.
    static void redact(Dir dir, String name, Stat stat, List<At> findings) {
        try (Fd file = dir.openAt(name, Open.RDWR | Open.NONBLOCK, 0)) {
            for (At f : findings) {
                for (long at = f.from(); at < f.to(); at += WINDOW) {
                    var stars = new byte[(int) Math.min(WINDOW, f.to() - at)];
                    Arrays.fill(stars, (byte) '*');
                    file.pwrite(stars, at);
                }
            }
        }
        dir.touch(name, stat.modified());
    }

    @Override
    public void close() {
        arena.close();
    }
}
