// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/// A set of TCP ports: ranges in order that neither meet nor touch.
public record Ports(List<Range> ranges) {
    public static final Ports ANY = of(new Range(1, 65_535));

    /// Both ends belong to it.
    public record Range(int from, int to) {
        public Range {
            if (from < 1 || to > 65_535 || from > to) {
                throw new IllegalArgumentException("no range of ports: " + from + "-" + to);
            }
        }

        @Override
        public String toString() {
            return from == to ? String.valueOf(from) : from + "-" + to;
        }
    }

    public Ports {
        var joined = new ArrayList<Range>();
        for (Range next : ranges.stream().sorted(Comparator.comparingInt(Range::from)).toList()) {
            if (!joined.isEmpty() && next.from() <= joined.getLast().to() + 1) {
                Range before = joined.removeLast();
                joined.add(new Range(before.from(), Math.max(before.to(), next.to())));
            } else {
                joined.add(next);
            }
        }
        ranges = List.copyOf(joined);
    }

    public static Ports of(Range... ranges) {
        return new Ports(List.of(ranges));
    }

    public static Ports of(int port) {
        return of(new Range(port, port));
    }

    public boolean has(int port) {
        for (Range range : ranges) {
            if (range.from() <= port && port <= range.to()) {
                return true;
            }
        }
        return false;
    }

    @Override
    public String toString() {
        return equals(ANY) ? "any" : ranges.stream().map(Range::toString).collect(Collectors.joining(", "));
    }
}
