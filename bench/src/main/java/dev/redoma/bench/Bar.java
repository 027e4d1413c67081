// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import java.util.Locale;

/// What a figure is held against.
sealed interface Bar {

    boolean holds(Figure figure);

    String text();

    /// p50 at most so many times the floor.
    record AtMost(double times) implements Bar {
        @Override
        public boolean holds(Figure figure) {
            return figure.ratio() <= times;
        }

        @Override
        public String text() {
            return String.format(Locale.ROOT, "p50 <= %.1f x", times);
        }
    }

    /// p50 and p99 at most so many times the floor.
    record AtMostTail(double times, double tail) implements Bar {
        @Override
        public boolean holds(Figure figure) {
            return figure.ratio() <= times && figure.ours().percentile(0.99) <= tail * figure.floor();
        }

        @Override
        public String text() {
            return String.format(Locale.ROOT, "p50 <= %.1f x, p99 <= %.0f x", times, tail);
        }
    }

    /// A rate: at least so many times the floor's.
    record AtLeast(double times) implements Bar {
        @Override
        public boolean holds(Figure figure) {
            return figure.ratio() >= times;
        }

        @Override
        public String text() {
            return String.format(Locale.ROOT, ">= %.1f x", times);
        }
    }

    /// An absolute ceiling; the floor is that ceiling.
    record Ceiling(String what) implements Bar {
        @Override
        public boolean holds(Figure figure) {
            return figure.ours().p50() <= figure.floor();
        }

        @Override
        public String text() {
            return what;
        }
    }

    /// p50 at most so much, in the figure's own unit, whatever the floor is.
    record Within(double most, String unit) implements Bar {
        @Override
        public boolean holds(Figure figure) {
            return figure.ours().p50() <= most;
        }

        @Override
        public String text() {
            return String.format(Locale.ROOT, "p50 <= %.0f %s", most, unit);
        }
    }

    /// p50 at most so much above the floor, in the figure's own unit.
    record Added(double most, String unit) implements Bar {
        @Override
        public boolean holds(Figure figure) {
            return figure.ours().p50() - figure.floor() <= most;
        }

        @Override
        public String text() {
            return String.format(Locale.ROOT, "p50 <= floor + %.0f %s", most, unit);
        }
    }
}
