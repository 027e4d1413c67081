// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.ledger.redact.Hits;
import dev.redoma.ledger.redact.Mark;
import dev.redoma.ledger.redact.Matcher;
import dev.redoma.ledger.redact.Patterns;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/// Between what the guest sends and what is kept and shown: masks what is not to be seen, byte for byte, so that offsets stay the guest's.
/// What may be the beginning of such a thing is held back until it is clear, but not for ever: one to three bytes for 25 ms, more for 2 s, and
/// never more than 64 KiB; not beyond the end of the command. What turns out to be one after a part of it was shown is masked in what is kept as well. Held bytes are not
/// acknowledged to the guest. Thread-safe.
final class MaskedOutput {
    private static final long SHORT = TimeUnit.MILLISECONDS.toNanos(25);
    private static final long LONG = TimeUnit.SECONDS.toNanos(2);
    private static final int AT_MOST = 64 << 10;
    private static final int STREAMS = 2;
    private static final ScheduledExecutorService TIMER = Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("redoma-held-output").factory());

    /// What is masked, which may become more meanwhile. `changes`: another number than before where it did.
    interface Current {
        Patterns patterns();

        default long changes() {
            return 0;
        }
    }

    private final Spool spool;
    private final Current current;
    private long changes;
    private final boolean continued;
    private final Matcher[] matchers;
    private final Hits[] hits = {new Hits(), new Hits()};
    private byte[] copy = new byte[0];

    private final ReentrantLock lock = new ReentrantLock();
    private final ArrayDeque<HeldPiece> pieces = new ArrayDeque<>();
    private long heldSince;
    private boolean timed;
    private long shown;
    private final Runnable first;
    private boolean told;
    private volatile Map<Mark, Long> recorded = Map.of();

    /// `first` runs once, before the first output from which something was taken is shown.
    MaskedOutput(Spool spool, Current current, Runnable first) {
        this.first = first;
        this.spool = spool;
        this.current = current;
        continued = spool.kept() > 0;
        changes = current.changes();
        var patterns = current.patterns();
        this.matchers = new Matcher[] {new Matcher(patterns), new Matcher(patterns)};
    }

    Spool spool() {
        return spool;
    }

    /// An earlier server kept the beginning, and what it found is not counted here.
    boolean continued() {
        return continued;
    }

    /// What was found so far.
    Map<Mark, Long> counts() {
        lock.lock();
        try {
            var all = new TreeMap<Mark, Long>();
            for (var h : hits) {
                h.counts().forEach((mark, n) -> all.merge(mark, n, Long::sum));
            }
            return all;
        } finally {
            lock.unlock();
        }
    }

    /// The same, unless it is what was recorded last.
    Map<Mark, Long> unrecorded() {
        var now = counts();
        return now.equals(recorded) ? Map.of() : now;
    }

    /// What was found so far is on record.
    void recorded() {
        recorded = counts();
    }

    /// Bytes masked in what is kept that had been shown before it was clear what they were.
    long shownBefore() {
        lock.lock();
        try {
            return shown;
        } finally {
            lock.unlock();
        }
    }

    /// The next bytes of a stream, 1 or 2; they are changed where something is masked.
    void append(int stream, ByteBuffer bytes) {
        lock.lock();
        try {
            lookForMore();
            var matcher = matchers[stream - 1];
            var found = hits[stream - 1];
            long from = matcher.position();
            int length = bytes.remaining();
            copy = copy.length < length ? new byte[Math.max(length, 16 << 10)] : copy;
            bytes.get(bytes.position(), copy, 0, length);
            matcher.feed(copy, 0, length, found);
            tell(found);
            if (pieces.isEmpty()) {
                direct(stream, bytes, from, (int) (matcher.settled() - from), found);
            } else {
                pieces.add(new HeldPiece(stream, from, java.util.Arrays.copyOf(copy, length)));
                found.take().forEach(r -> cover(stream, r));
            }
            release();
        } finally {
            lock.unlock();
        }
    }

    /// Where more is to be masked from now on: what is still held is looked through again, what was shown is not.
    private void lookForMore() {
        long now = current.changes();
        if (now == changes) {
            return;
        }
        changes = now;
        var patterns = current.patterns();
        for (int i = 0; i < STREAMS; i++) {
            int stream = i + 1;
            var old = matchers[i];
            var again = pieces.stream().filter(p -> p.stream == stream).toList();
            var fresh = new Matcher(patterns, old, again.isEmpty() ? old.position() : again.getFirst().from());
            for (var piece : again) {
                piece.feed(fresh, hits[i]);
            }
            matchers[i] = fresh;
            tell(hits[i]);
            hits[i].take().forEach(r -> cover(stream, r));
        }
        release();
    }

    private void tell(Hits found) {
        if (!told && found.any()) {
            told = true;
            first.run();
        }
    }

    /// Nothing is held: what is clear goes straight on.
    private void direct(int stream, ByteBuffer bytes, long from, int clear, Hits found) {
        int start = bytes.position();
        for (var range : found.take()) {
            int begin = (int) (range.from() - from);
            int end = (int) (range.to() - from);
            Patterns.cover(copy, begin, end);
            bytes.put(start + begin, copy, begin, end - begin);
        }
        int length = bytes.remaining();
        if (clear > 0) {
            spool.append(stream, bytes.slice(start, clear));
        }
        if (clear < length) {
            pieces.add(new HeldPiece(stream, from + clear, java.util.Arrays.copyOfRange(copy, clear, length)));
        }
    }

    private void cover(int stream, Hits.Range range) {
        for (var piece : pieces) {
            if (piece.stream == stream) {
                shown += piece.cover(range, spool);
            }
        }
    }

    /// In order, as far as everything is clear.
    private void release() {
        if (pieces.isEmpty()) {
            return;
        }
        for (var piece : pieces) {
            if (!piece.release(matchers[piece.stream - 1].settled(), spool)) {
                break;
            }
        }
        pieces.removeIf(p -> p.held() == 0 && matchers[p.stream - 1].settled() >= p.end());
        long held = pieces.stream().mapToLong(HeldPiece::held).sum();
        if (held > AT_MOST) {
            releaseAll();
        } else if (held == 0) {
            heldSince = 0;
        } else {
            heldSince = heldSince == 0 ? System.nanoTime() : heldSince;
            lookIn(due() - System.nanoTime());
        }
    }

    private long due() {
        boolean likely = false;
        for (int i = 0; i < STREAMS; i++) {
            likely |= matchers[i].likely();
        }
        return heldSince + (likely ? LONG : SHORT);
    }

    private void lookIn(long nanos) {
        if (!timed) {
            timed = true;
            TIMER.schedule(this::look, Math.max(nanos, 0), TimeUnit.NANOSECONDS);
        }
    }

    private void look() {
        lock.lock();
        try {
            timed = false;
            if (heldSince == 0) {
                return;
            }
            long left = due() - System.nanoTime();
            if (left > 0) {
                lookIn(left);
            } else {
                releaseAll();
            }
        } finally {
            lock.unlock();
        }
    }

    private void releaseAll() {
        pieces.forEach(p -> p.release(Long.MAX_VALUE, spool));
        pieces.removeIf(p -> matchers[p.stream - 1].settled() >= p.end());
        heldSince = 0;
        spool.tell();
    }

    /// Shows what is held, as it is: no more is waited for.
    void flush() {
        lock.lock();
        try {
            releaseAll();
        } finally {
            lock.unlock();
        }
    }

    /// Bytes that the guest no longer had: nothing goes on over them.
    void skip(long bytes) {
        lock.lock();
        try {
            for (var matcher : matchers) {
                matcher.forget();
            }
            releaseAll();
            spool.skip(bytes);
        } finally {
            lock.unlock();
        }
    }
}
