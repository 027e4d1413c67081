// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger.redact;

import java.util.ArrayList;

/// One stream, looked through piece by piece: what it finds does not depend on where the pieces begin. Not thread-safe.
public final class Matcher {
    /// Bytes that may be unsettled: more, and what was begun is given up.
    public static final int LIMIT = 64 << 10;
    /// A NUL among the first bytes says that the rest is no text: there nothing is known by its shape.
    private static final int TEXT = 8000;
    private static final int LOOK_BACK = 64;
    private static final int TAILS = 512;
    /// In long words their ends are looked for every so many bytes at most.
    private static final int STRETCH = 4096;

    private final Patterns patterns;
    private final ArrayList<Tail> tails = new ArrayList<>();
    private int state;
    private long position;
    private long settled;
    private long binaryFrom = Long.MAX_VALUE;

    private byte[] before = new byte[0];
    private long beforeFrom;
    private byte[] piece = before;
    private long base;
    /// Up to here in the piece every pair is looked at: a word has begun.
    private int pairsTo;
    private int stretch = 1;

    public Matcher(Patterns patterns) {
        this.patterns = patterns;
    }

    /// Goes on with other patterns where another is, or from `from` on: what that one saw from there is to be fed again.
    public Matcher(Patterns patterns, Matcher other, long from) {
        this.patterns = patterns;
        position = from;
        settled = from;
        binaryFrom = other.binaryFrom;
        boolean fresh = other.beforeFrom + other.before.length >= from && other.beforeFrom <= from;
        before = fresh ? java.util.Arrays.copyOf(other.before, (int) (from - other.beforeFrom)) : before;
        beforeFrom = from - before.length;
    }

    /// Bytes seen.
    public long position() {
        return position;
    }

    /// What comes later cannot change what was found before this position.
    public long settled() {
        return settled;
    }

    /// More than a few bytes of something have come: it is likely to be it.
    public boolean likely() {
        return !tails.isEmpty() || patterns.held[state / patterns.width] >= Patterns.WINDOW;
    }

    /// Gives up what was begun.
    public void forget() {
        state = 0;
        tails.clear();
        settled = position;
    }

    /// Looks through the next bytes of the stream.
    public void feed(byte[] bytes, int from, int to, Hits hits) {
        piece = bytes;
        base = position - from;
        sniff(bytes, from, to);
        position += to - from;
        if (patterns.empty()) {
            settled = position;
            return;
        }
        scan(bytes, from, to, hits);
        settle();
        remember();
    }

    private void sniff(byte[] bytes, int from, int to) {
        for (int i = from; i < to && base + i < TEXT && binaryFrom == Long.MAX_VALUE; i++) {
            if (bytes[i] == 0) {
                binaryFrom = base + i;
            }
        }
    }

    private void scan(byte[] bytes, int from, int to, Hits hits) {
        int[] next = patterns.next;
        int[] classes = patterns.classes;
        pairsTo = from;
        for (int i = from; i < to; i++) {
            if (state == 0 && tails.isEmpty()) {
                i = base + i >= binaryFrom && patterns.secrets() == 0 ? to : skip(bytes, i, to);
                if (i >= to) {
                    break;
                }
            }
            int c = bytes[i] & 0xff;
            if (!tails.isEmpty()) {
                follow(c, base + i, hits);
            }
            if (c == '\n' || c == '\r') {
                continue;
            }
            state = next[state + classes[c]];
            if (state < 0) {
                state &= Integer.MAX_VALUE;
                ends(base + i + 1, hits);
            }
        }
    }

    /// A position from `from` on before which no head begins; `from` itself where one may.
    private int skip(byte[] bytes, int from, int to) {
        var words = patterns.words;
        int at = from;
        while (words != null && at + words.least() <= to) {
            if (at + Patterns.WINDOW > pairsTo) {
                int word = words.next(bytes, at, to);
                stretch = word == at ? Math.min(2 * stretch, STRETCH) : words.least();
                at = word;
                pairsTo = Math.min(at + stretch, to);
            }
            int head = patterns.pairs(bytes, at, pairsTo);
            if (head <= pairsTo - Patterns.WINDOW) {
                return head;
            }
            at = head;
        }
        return patterns.pairs(bytes, at, to);
    }

    private void follow(int c, long at, Hits hits) {
        int kept = 0;
        for (int i = 0; i < tails.size(); i++) {
            var tail = tails.get(i);
            if (tail.step(c, at, hits)) {
                tails.set(kept++, tail);
            }
        }
        tails.subList(kept, tails.size()).clear();
    }

    private void ends(long end, Hits hits) {
        for (var e = patterns.endings[state / patterns.width]; e != null && e.length() > 0; e = e.also()) {
            long start = back(end, e.length());
            var shape = e.shape();
            if (shape != null) {
                if (end <= binaryFrom && start == end - e.length() && (!shape.word() || start == 0 || !word(byteAt(start - 1)))) {
                    add(Tail.of(e, shape, end));
                }
            } else if (e.rest().length > 0) {
                add(new Tail.Rest(e.mark(), start, e.rest()));
            } else {
                hits.found(e.mark(), start);
                hits.mask(start, end);
            }
        }
    }

    private void add(Tail tail) {
        if (tails.size() < TAILS) {
            tails.add(tail);
        }
    }

    private static boolean word(int c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_';
    }

    /// Where the last `count` bytes before `end` begin, line breaks not counted.
    private long back(long end, int count) {
        long at = end;
        for (int left = count; left > 0; ) {
            if (!Tail.lineBreak(byteAt(--at))) {
                left--;
            }
        }
        return at;
    }

    private int byteAt(long at) {
        if (at >= beforeFrom + before.length) {
            return piece[(int) (at - base)] & 0xff;
        }
        return at < beforeFrom ? ' ' : before[(int) (at - beforeFrom)] & 0xff;
    }

    private void settle() {
        long open = back(position, patterns.held[state / patterns.width]);
        for (var tail : tails) {
            open = Math.min(open, tail.from);
        }
        settled = open;
        if (position - settled > LIMIT) {
            forget();
        }
    }

    /// Keeps what a later piece may have to look back at.
    private void remember() {
        long from = Math.max(0, Math.min(settled, position - LOOK_BACK));
        byte[] kept = new byte[(int) (position - from)];
        for (int i = 0; i < kept.length; i++) {
            kept[i] = (byte) byteAt(from + i);
        }
        before = kept;
        beforeFrom = from;
    }
}
