// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger.redact;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// What one stretch of a stream is to lose, and what was found in it so far. Positions count from the stream's beginning. Not thread-safe.
public final class Hits {
    /// From `from` to before `to`; line breaks within stay.
    public record Range(long from, long to) {}

    private final List<Range> ranges = new ArrayList<>();
    private final Map<Mark, Long> counts = new TreeMap<>();
    private long masked;

    void mask(long from, long to) {
        int last = ranges.size() - 1;
        if (last >= 0 && ranges.get(last).to >= from && ranges.get(last).from <= from) {
            ranges.set(last, new Range(ranges.get(last).from, Math.max(to, ranges.get(last).to)));
        } else {
            ranges.add(new Range(from, to));
        }
        masked = Math.max(masked, to);
    }

    /// What lies over something found before is the same thing in another form.
    void found(Mark mark, long from) {
        if (from >= masked) {
            counts.merge(mark, 1L, Long::sum);
        }
    }

    /// Adds what was found in another text.
    void add(Hits other) {
        other.counts.forEach((mark, n) -> counts.merge(mark, n, Long::sum));
    }

    /// Since the last call.
    public List<Range> take() {
        if (ranges.isEmpty()) {
            return List.of();
        }
        var taken = List.copyOf(ranges);
        ranges.clear();
        return taken;
    }

    public boolean any() {
        return !ranges.isEmpty();
    }

    /// How often what was found, from the beginning.
    public Map<Mark, Long> counts() {
        return counts;
    }
}
