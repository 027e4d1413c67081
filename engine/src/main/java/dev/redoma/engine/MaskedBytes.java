// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.ledger.redact.Hits;
import dev.redoma.ledger.redact.Matcher;
import dev.redoma.ledger.redact.Patterns;
import java.util.Arrays;

/// A stream in which what has the shape of a token is masked, wherever its pieces begin. Not thread-safe.
final class MaskedBytes {
    private final Matcher matcher = new Matcher(Patterns.shapes());
    private final Hits hits = new Hits();
    private byte[] held = new byte[0];
    private long heldFrom;

    /// What is clear now of what came so far.
    byte[] next(byte[] bytes) {
        matcher.feed(bytes, 0, bytes.length, hits);
        int before = held.length;
        held = Arrays.copyOf(held, before + bytes.length);
        System.arraycopy(bytes, 0, held, before, bytes.length);
        cover();
        return taken(matcher.settled());
    }

    /// All that is held, as it is: no more is waited for.
    byte[] rest() {
        matcher.forget();
        return taken(matcher.position());
    }

    private void cover() {
        for (var range : hits.take()) {
            int from = (int) Math.max(0, range.from() - heldFrom);
            int to = (int) Math.min(held.length, range.to() - heldFrom);
            if (from < to) {
                Patterns.cover(held, from, to);
            }
        }
    }

    private byte[] taken(long until) {
        int length = (int) (until - heldFrom);
        byte[] clear = Arrays.copyOf(held, length);
        held = Arrays.copyOfRange(held, length, held.length);
        heldFrom = until;
        return clear;
    }
}
