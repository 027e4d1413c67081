// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Problem;
import dev.redoma.model.TemplateReference;
import dev.redoma.model.wire.CreateSnapshot;
import dev.redoma.model.wire.KeepSnapshots;
import dev.redoma.pool.contents.ContentClass;
import dev.redoma.pool.contents.Order;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// A wish to save a disk with every value decided. `hidden`: for a fork, whose disk stays with its owner: nothing but its identity is taken out.
/// `keepCount` and `keep` null: no bound.
record SnapshotOrder(
        @Nullable String name,
        @Nullable String tag,
        Map<String, String> labels,
        Map<ContentClass, Order> contents,
        @Nullable Integer keepCount,
        @Nullable Duration keep,
        boolean hidden) {
    static final SnapshotOrder FORK = new SnapshotOrder(null, null, Map.of(), Map.of(), null, null, true);

    /// What the request does not say is as configured. What it says may be stricter than that, never laxer: the operator's word is a floor.
    static SnapshotOrder of(CreateSnapshot r, EngineConfig.Saving config) {
        String name = RequestRules.template("name", r.name());
        if (r.tag() != null && name == null) {
            throw Problem.field("tag", "a tag is of a name", "a name with it");
        }
        String tag = r.tag() == null ? null : TemplateReference.tag("tag", r.tag());
        KeepSnapshots keep = r.keep() == null ? new KeepSnapshots(null, null) : r.keep();
        return new SnapshotOrder(name, tag, RequestRules.labels(r.labels()), contents(r.contents(), config.contents()),
                count(keep.count(), config.keepCount()), age(keep.ageMs(), config.keep()), false);
    }

    private static Map<ContentClass, Order> contents(@Nullable Map<String, String> asked, Map<ContentClass, Order> configured) {
        var orders = new EnumMap<ContentClass, Order>(configured);
        if (asked != null) {
            asked.forEach((name, order) -> orders.put(classOf(name), order(name, order, configured.getOrDefault(classOf(name), Order.KEEP))));
        }
        return Map.copyOf(orders);
    }

    private static ContentClass classOf(String name) {
        return ContentClass.of(name).orElseThrow(() -> Problem.field("contents", "'" + RequestRules.shown(name) + "' is no class of contents",
                Arrays.stream(ContentClass.values()).map(ContentClass::wire).collect(Collectors.joining(", "))));
    }

    private static Order order(String name, @Nullable String text, Order floor) {
        boolean scrub = classOf(name).mayBeScrubbed();
        Order order = Arrays.stream(Order.values()).filter(o -> o.wire().equals(text) && (scrub || o != Order.SCRUB)).findFirst()
                .orElseThrow(() -> Problem.field("contents." + name, "not an order for this class", scrub ? "keep, scrub or refuse" : "keep or refuse"));
        if (order.compareTo(floor) < 0) {
            throw Problem.field("contents." + name, "'" + order.wire() + "' is laxer than '" + floor.wire() + "', which this server orders",
                    floor == Order.SCRUB ? "scrub or refuse" : "refuse");
        }
        return order;
    }

    private static @Nullable Integer count(@Nullable Integer asked, int configured) {
        if (asked != null && asked < 0) {
            throw Problem.field("keep.count", "is negative", "0 (no bound) or more");
        }
        if (asked != null && configured > 0 && (asked == 0 || asked > configured)) {
            throw Problem.field("keep.count", "is more than this server keeps of a name", "1 to " + configured);
        }
        int count = asked == null ? configured : asked;
        return count == 0 ? null : (Integer) count;
    }

    private static @Nullable Duration age(@Nullable Long asked, Duration configured) {
        if (asked != null && (asked < 0 || asked > Duration.ofDays(36_500).toMillis())) {
            throw Problem.field("keep.ageMs", "is no age", "0 (no bound) to a hundred years in milliseconds");
        }
        if (asked != null && !configured.isZero() && (asked == 0 || asked > configured.toMillis())) {
            throw Problem.field("keep.ageMs", "is longer than this server keeps a snapshot", "1 to " + configured.toMillis());
        }
        Duration age = asked == null ? configured : Duration.ofMillis(asked);
        return age.isZero() ? null : age;
    }

    Map<String, String> orders() {
        return contents.entrySet().stream().collect(Collectors.toMap(e -> e.getKey().wire(), e -> e.getValue().wire()));
    }
}
