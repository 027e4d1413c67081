// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.model.SnapshotId;
import dev.redoma.model.TemplateReference;
import dev.redoma.model.TenantId;
import dev.redoma.model.wire.Scrubbed;
import dev.redoma.pool.contents.ContentClass;
import dev.redoma.pool.contents.Order;
import dev.redoma.pool.contents.Tally;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;

/// Saves disks and removes saved ones that nothing stands on. A deleted snapshot disappears at once from lists and names; its bytes go
/// when the last sandbox made from it has ended. Thread-safe.
final class Snapshots {
    /// Layers that overlay is asked to stack at most.
    private static final int DEEPEST = 128;

    private final Core core;
    /// One round of removals at a time.
    private final ReentrantLock collecting = new ReentrantLock();
    /// Hidden ones whose fork is on its way: needed, though no row says so yet.
    private final Set<SnapshotId> pinned = ConcurrentHashMap.newKeySet();

    Snapshots(Core core) {
        this.core = core;
    }

    /// A snapshot on its way, and copies of saved disks below it that are scrubbed with it.
    record Taken(SnapshotRow row, List<Below> below, SnapshotOrder order) {
        List<SnapshotId> copies() {
            return Stream.concat(Stream.of(row), below.stream().map(Below::copy)).map(SnapshotRow::id).toList();
        }
    }

    /// A hidden copy of a saved disk that the sandbox stands on.
    record Below(SnapshotRow copy, SnapshotId of) {}

    /// Under the box's lock: the rows, and the copy of the disk as it is at this instant. `finish` makes it ready; a hidden one is unpinned
    /// by the fork that it is for.
    Taken take(Box box, String actor, SnapshotOrder order) {
        SandboxRow from = core.row(box);
        if (!from.state().holdsInstance() && from.state() != State.STOPPED) {
            throw Access.wrongState(from, "save its disk");
        }
        Taken taken = begin(from, actor, order);
        if (order.hidden()) {
            pinned.add(taken.row().id());
        }
        Faults.at("snapshot.begun");
        undoneUnless(taken, () -> {
            copy(box, from, taken.row().id());
            taken.below().forEach(b -> core.pool().copy(b.of(), b.copy().id()));
        });
        Faults.at("snapshot.copied");
        return taken;
    }

    /// Without any lock: brings the copies to what is ordered, seals them, and lets the names point at it.
    SnapshotRow finish(Taken taken, String actor) {
        SnapshotRow row = taken.row();
        undoneUnless(taken, () -> {
            Map<ContentClass, Tally> out = core.pool().scrub(taken.copies(), taken.order().contents());
            Faults.at("snapshot.scrubbed");
            taken.copies().forEach(core.pool()::seal);
            Faults.at("snapshot.taken");
            core.store().write(tx -> ready(tx, taken, actor, out));
        });
        return core.store().read(tx -> SnapshotRows.find(tx, row.id().value()).orElseThrow());
    }

    private boolean ready(Handle tx, Taken taken, String actor, Map<ContentClass, Tally> out) {
        SnapshotRow row = taken.row();
        SnapshotOrder order = taken.order();
        var scrubbed = new TreeMap<String, Scrubbed>();
        out.forEach((c, tally) -> scrubbed.put(c.wire(), new Scrubbed(tally.files(), tally.bytes())));
        taken.below().forEach(b -> SnapshotRows.ready(tx, b.copy().id(), new SnapshotRow.Contents(order.orders(), Map.of())));
        SnapshotRows.ready(tx, row.id(), new SnapshotRow.Contents(order.orders(), scrubbed));
        if (row.name() != null) {
            SnapshotTags.ready(tx, row, TemplateReference.LATEST);
            if (order.tag() != null) {
                SnapshotTags.ready(tx, row, order.tag());
            }
        }
        core.records().snapshot(tx, row, actor, "snapshot.saved", scrubbed.isEmpty() ? Map.of() : Map.of("scrubbed", counts(scrubbed)));
        return true;
    }

    private static Map<String, Long> counts(Map<String, Scrubbed> scrubbed) {
        var counts = new TreeMap<String, Long>();
        scrubbed.forEach((c, s) -> counts.put(c, s.files()));
        return counts;
    }

    /// Nothing stays of one that failed.
    private void undoneUnless(Taken taken, Runnable work) {
        try {
            work.run();
        } catch (RuntimeException | Error failed) {
            unpin(taken.row());
            Map<String, Object> why = failed instanceof RedomaException told ? Map.of("why", told.code().wire()) : Map.of();
            remove(taken.row(), why);
            taken.below().forEach(b -> remove(b.copy(), why));
            throw failed;
        }
    }

    private Taken begin(SandboxRow from, String actor, SnapshotOrder order) {
        if (from.layers().size() + 1 > DEEPEST) {
            throw Problem.of(Code.WRONG_STATE, "The sandbox stands on " + from.layers().size() + " layers, the most there may be.",
                            "Make a template from its files instead.")
                    .with("limit", DEEPEST).raise();
        }
        return core.store().write(tx -> {
            if (!order.hidden()) {
                core.quotas().maySave(tx, from.tenant());
                mayBeNamed(tx, from.tenant(), order);
            }
            var layers = new ArrayList<LayerRef>();
            var below = new ArrayList<Below>();
            for (LayerRef layer : from.layers()) {
                layers.add(layer.snapshot() == null || isSo(tx, layer.snapshot(), order) ? layer : below(tx, from, layer, below));
            }
            SnapshotRow row = row(tx, from, order, layers);
            SnapshotRows.insert(tx, row);
            core.records().snapshot(tx, row, actor, "snapshot", below.isEmpty() ? Map.of() : Map.of("copies", below.stream().map(b -> b.copy().id().value()).toList()));
            return new Taken(row, below, order);
        });
    }

    /// The configuration is the template's: what the sandbox was given at create (its environment) is no part of it.
    private SnapshotRow row(Handle tx, SandboxRow from, SnapshotOrder order, List<LayerRef> below) {
        var id = SnapshotId.mint();
        Instant now = core.now();
        var layers = new ArrayList<LayerRef>();
        layers.add(LayerRef.saved(id.value(), from.range().base()));
        layers.addAll(below);
        return new SnapshotRow(id, from.tenant(), order.name(), from.id().value(), "creating", "create", from.template(), layers, digest(layers),
                order.labels(), Source.configOf(tx, from), order.hidden(), from.range().base(), now, order.keep() == null ? null : now.plus(order.keep()),
                order.keepCount(), SnapshotRow.Contents.NONE);
    }

    /// True of a saved disk (it never changes) of which the same, or more, was ordered when it was made.
    private static boolean isSo(Handle tx, String saved, SnapshotOrder order) {
        Map<String, String> then = SnapshotRows.find(tx, saved).map(s -> s.contents().orders()).orElse(Map.of());
        return order.contents().entrySet().stream().filter(e -> e.getValue() != Order.KEEP)
                .allMatch(e -> !then.getOrDefault(e.getKey().wire(), Order.KEEP.wire()).equals(Order.KEEP.wire()));
    }

    /// Instead of a fork's disk, which was never looked at, or of one of which less was ordered.
    private LayerRef below(Handle tx, SandboxRow from, LayerRef layer, List<Below> copies) {
        var id = SnapshotId.mint();
        LayerRef own = LayerRef.saved(id.value(), layer.uidBase());
        var copy = new SnapshotRow(id, from.tenant(), null, from.id().value(), "creating", "create", from.template(), List.of(own), digest(List.of(own)), Map.of(),
                TemplateConfig.NONE, true, layer.uidBase(), core.now(), null, null, SnapshotRow.Contents.NONE);
        SnapshotRows.insert(tx, copy);
        copies.add(new Below(copy, new SnapshotId(String.valueOf(layer.snapshot()))));
        return own;
    }

    /// A name is taken by accident or, with a tag, on purpose.
    private static void mayBeNamed(Handle tx, TenantId tenant, SnapshotOrder order) {
        String name = order.name();
        if (name != null && (TemplateRows.named(tx, name) || order.tag() == null && SnapshotRows.isNamed(tx, tenant, name))) {
            throw Problem.of(Code.NAME_TAKEN, "A snapshot or template '" + name + "' exists.", "Choose another name, or give a tag to add to the snapshots of that name.")
                    .with("field", "name").raise();
        }
    }

    /// Names this version: a saved upper is unique by its id, and its layers by their content.
    private static String digest(List<LayerRef> layers) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(Columns.json(layers).getBytes(StandardCharsets.UTF_8));
            return "sha256:" + HexFormat.of().formatHex(hash);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /// Frozen while it is taken, so that the disk is as at one instant.
    private void copy(Box box, SandboxRow from, SnapshotId id) {
        if (from.state() != State.RUNNING) {
            core.pool().copy(from.id(), id);
            return;
        }
        LiveBox live = Pausing.live(box, from);
        live.instance().freeze();
        try {
            core.pool().copy(from.id(), id);
        } finally {
            live.instance().thaw();
        }
    }

    void delete(SnapshotRow row, String actor, Map<String, Object> facts) {
        core.store().write(tx -> {
            SnapshotRows.hide(tx, row.id());
            SnapshotTags.gone(tx, row, core.now());
            core.records().snapshot(tx, row, actor, "snapshot.delete", facts);
            return true;
        });
        collect();
    }

    /// Removes hidden snapshots that nothing stands on, and what was interrupted. Repeats, since one may stand on another.
    void collect() {
        collecting.lock();
        try {
            boolean any = false;
            boolean removed = true;
            while (removed) {
                removed = false;
                for (SnapshotRow row : core.store().read(SnapshotRows::all)) {
                    removed |= row.hidden() && row.ready() && unused(row) && remove(row);
                }
                any |= removed;
            }
            if (any) {
                core.pool().settle();
            }
        } finally {
            collecting.unlock();
        }
    }

    /// From then on nothing new can stand on it.
    private boolean unused(SnapshotRow row) {
        return !pinned.contains(row.id()) && core.store().write(tx -> {
            boolean needed = SnapshotRows.needed(tx, row.id());
            if (!needed) {
                SnapshotRows.removing(tx, row.id());
            }
            return !needed;
        });
    }

    /// The fork that it was saved for has its row, or failed.
    void unpin(SnapshotRow row) {
        pinned.remove(row.id());
    }

    /// Whatever state it is in; interrupted, it is done again.
    boolean remove(SnapshotRow row) {
        return remove(row, Map.of());
    }

    private boolean remove(SnapshotRow row, Map<String, Object> facts) {
        core.pool().deleteSnapshot(row.id());
        Faults.at("snapshot.removed");
        core.store().write(tx -> {
            SnapshotRows.delete(tx, row.id());
            core.ranges().released(tx, row.id(), row.uidBase());
            core.records().snapshot(tx, row, Records.ENGINE, "snapshot.removed", facts);
            return true;
        });
        return true;
    }
}
