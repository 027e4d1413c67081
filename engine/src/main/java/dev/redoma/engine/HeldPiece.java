// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.ledger.redact.Hits;
import dev.redoma.ledger.redact.Matcher;
import dev.redoma.ledger.redact.Patterns;
import java.nio.ByteBuffer;

/// Output of one stream that is held back, or was shown before it was clear what it is. Not thread-safe.
final class HeldPiece {
    final int stream;
    private final long from;
    private final byte[] bytes;
    private int released;
    private long place = -1;

    /// `from`: where in its stream it begins.
    HeldPiece(int stream, long from, byte[] bytes) {
        this.stream = stream;
        this.from = from;
        this.bytes = bytes;
    }

    long from() {
        return from;
    }

    /// Looks through it once more.
    void feed(Matcher matcher, Hits hits) {
        matcher.feed(bytes, 0, bytes.length, hits);
    }

    long end() {
        return from + bytes.length;
    }

    int held() {
        return bytes.length - released;
    }

    /// Appends what lies before that position of the stream; true if nothing is left.
    boolean release(long before, Spool spool) {
        int to = (int) Math.min(bytes.length, Math.max(released, before - from));
        if (to > released) {
            place = place < 0 ? spool.kept() - released : place;
            spool.append(stream, ByteBuffer.wrap(bytes, released, to - released).slice());
            released = to;
        }
        return released == bytes.length;
    }

    /// Masks what of the range lies here; bytes of it that had been shown.
    int cover(Hits.Range range, Spool spool) {
        int begin = (int) Math.max(0, range.from() - from);
        int end = (int) Math.min(bytes.length, range.to() - from);
        if (begin >= end) {
            return 0;
        }
        Patterns.cover(bytes, begin, end);
        int seen = Math.min(end, released);
        if (begin >= seen) {
            return 0;
        }
        spool.change(place + begin, ByteBuffer.wrap(bytes, begin, seen - begin));
        return seen - begin;
    }
}
