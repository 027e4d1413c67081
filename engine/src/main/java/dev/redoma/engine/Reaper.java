// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.SandboxId;
import dev.redoma.model.SnapshotId;
import dev.redoma.model.VolumeId;
import dev.redoma.pool.LayerId;
import dev.redoma.store.Sql;
import java.io.IOException;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Removes what the host has and nobody answers for. An orphan is only what two rounds, a grace period apart, listed and no row
/// knows; what exists is listed before the rows are read, so that nothing newer is mistaken. If anything cannot be listed, the round
/// removes nothing and says so once. Runs in one thread at a time.
final class Reaper {
    private static final String REVIEW = "review:";
    private static final Logger LOG = LoggerFactory.getLogger(Reaper.class);

    private final Core core;
    private final WarmPool warm;
    private final LayerCollector layers;
    private final ReviewHome reviews;
    private final Map<String, Instant> firstSeen = new HashMap<>();
    private boolean warned;

    Reaper(Core core, WarmPool warm, LayerCollector layers, ReviewHome reviews) {
        this.reviews = reviews;
        this.core = core;
        this.warm = warm;
        this.layers = layers;
    }

    /// Something of this installation, and how it is removed.
    private record Thing(String key, String owner, Runnable remove) {}

    void sweep() {
        Map<String, Thing> orphans;
        try {
            orphans = orphans();
            warned = false;
        } catch (RuntimeException | IOException unreadable) {
            if (!warned) {
                LOG.warn("what exists cannot be listed; nothing is removed until it can", unreadable);
                warned = true;
            }
            return;
        }
        firstSeen.keySet().retainAll(orphans.keySet());
        Instant now = core.now();
        orphans.forEach((key, thing) -> {
            Instant since = firstSeen.computeIfAbsent(key, k -> now);
            if (!now.isBefore(since.plus(core.config().times().grace()))) {
                remove(thing);
            }
        });
    }

    private void remove(Thing thing) {
        try {
            thing.remove().run();
            firstSeen.remove(thing.key());
            LOG.info("removed an orphan: {}", thing.key());
        } catch (RuntimeException failed) {
            LOG.warn("an orphan cannot be removed: {}", thing.key(), failed);
        }
    }

    private Map<String, Thing> orphans() throws IOException {
        var things = new HashMap<String, Thing>();
        for (Tier tier : core.tiers().all()) {
            for (InstanceRef ref : tier.all()) {
                put(things, new Thing(tier.name() + " instance " + ref.name(), ref.name(), () -> tier.remove(ref)));
            }
        }
        for (SandboxId disk : core.pool().disks()) {
            put(things, new Thing("disk " + disk, disk.value(), () -> core.pool().deleteDisk(disk)));
        }
        for (SandboxId kept : core.pool().reviewed()) {
            put(things, new Thing("kept disk " + kept, REVIEW + kept.value(), () -> core.pool().deleteKept(kept)));
        }
        for (SandboxId kept : reviews.all()) {
            put(things, new Thing("review " + kept, REVIEW + kept.value(), () -> reviews.remove(kept)));
        }
        for (SnapshotId saved : core.pool().snapshots()) {
            put(things, new Thing("saved disk " + saved, saved.value(), () -> core.pool().deleteSnapshot(saved)));
        }
        for (VolumeId volume : core.pool().volumes().list()) {
            put(things, new Thing("volume " + volume, volume.value(), () -> core.pool().volumes().delete(volume)));
        }
        for (LayerId layer : core.pool().layers()) {
            put(things, new Thing("layer " + layer, layer.value(), () -> layers.remove(layer)));
        }
        for (SandboxId channel : core.places().all()) {
            put(things, new Thing("channel " + channel, channel.value(), () -> core.places().remove(channel)));
        }
        Set<String> known = known(things);
        things.values().removeIf(t -> known.contains(t.owner()));
        return things;
    }

    /// Ranges come last: their rows stand for warm members that a server left.
    private Set<String> known(Map<String, Thing> things) {
        return core.store().read(tx -> {
            var known = new HashSet<String>();
            known.addAll(Sql.list(tx, rs -> rs.getString(1), "SELECT id FROM sandbox WHERE state <> 'ended'"));
            known.addAll(Sql.list(tx, rs -> REVIEW + rs.getString(1), "SELECT sandbox FROM review"));
            known.addAll(Sql.list(tx, rs -> rs.getString(1), "SELECT id FROM snapshot"));
            known.addAll(Sql.list(tx, rs -> rs.getString(1), "SELECT id FROM volume"));
            known.addAll(layers.needed(tx));
            record Owned(long base, String owner) {}
            List<Owned> ranges = Sql.list(tx, rs -> new Owned(rs.getLong(1), rs.getString(2)), "SELECT base, owner FROM uid_range");
            for (Owned range : ranges) {
                if (range.owner().startsWith(UidRanges.WARM)) {
                    var id = new SandboxId(range.owner().substring(UidRanges.WARM.length()));
                    if (warm.knows(id)) {
                        known.add(id.value());
                    } else {
                        put(things, new Thing("warm member " + id, range.owner(), () -> forsaken(id, new UidRange(range.base()))));
                    }
                }
            }
            return known;
        });
    }

    /// A warm member of an earlier server: it holds nothing of anybody.
    void forsaken(SandboxId id, UidRange range) {
        core.tiers().all().forEach(tier -> warm.remove(id, range, tier));
    }

    /// All warm members that an earlier server left; called before this one starts its own.
    void leftovers() {
        record Owned(long base, String owner) {}
        List<Owned> left = core.store().read(tx -> Sql.list(tx, rs -> new Owned(rs.getLong(1), rs.getString(2)),
                "SELECT base, owner FROM uid_range WHERE owner LIKE 'warm:%'"));
        left.forEach(o -> core.background().run("removing a warm member left behind",
                () -> forsaken(new SandboxId(o.owner().substring(UidRanges.WARM.length())), new UidRange(o.base()))));
    }

    private static void put(Map<String, Thing> things, Thing thing) {
        things.put(thing.key(), thing);
    }
}
