// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.SnapshotId;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// Saves disks and removes saved ones that nothing stands on. A deleted snapshot disappears at once from lists and names; its bytes go
/// when the last sandbox made from it has ended. Thread-safe.
final class Snapshots {
    /// Layers that overlay is asked to stack at most.
    private static final int DEEPEST = 40;

    private final Core core;
    /// One round of removals at a time.
    private final ReentrantLock collecting = new ReentrantLock();
    /// Hidden ones whose fork is on its way: needed, though no row says so yet.
    private final Set<SnapshotId> pinned = ConcurrentHashMap.newKeySet();

    Snapshots(Core core) {
        this.core = core;
    }

    /// Under the box's lock. `hidden`: for a fork, which unpins it.
    SnapshotRow save(Box box, String actor, @Nullable String name, Map<String, String> labels, boolean hidden) {
        SandboxRow from = core.row(box);
        if (!from.state().holdsInstance() && from.state() != State.STOPPED) {
            throw Access.wrongState(from, "save its disk");
        }
        SnapshotRow row = begin(from, actor, name, labels, hidden);
        if (hidden) {
            pinned.add(row.id());
        }
        Faults.at("snapshot.begun");
        try {
            copy(box, from, row.id());
        } catch (RuntimeException | Error failed) {
            unpin(row);
            remove(row);
            throw failed;
        }
        Faults.at("snapshot.taken");
        core.store().write(tx -> {
            SnapshotRows.ready(tx, row.id());
            core.records().snapshot(tx, row, actor, "snapshot.saved");
            return true;
        });
        return core.store().read(tx -> SnapshotRows.find(tx, row.id().value()).orElseThrow());
    }

    private SnapshotRow begin(SandboxRow from, String actor, @Nullable String name, Map<String, String> labels, boolean hidden) {
        var id = SnapshotId.mint();
        long base = from.range().base();
        var layers = new ArrayList<LayerRef>();
        layers.add(LayerRef.saved(id.value(), base));
        layers.addAll(from.layers());
        if (layers.size() > DEEPEST) {
            throw Problem.of(Code.WRONG_STATE, "The sandbox stands on " + from.layers().size() + " layers, the most there may be.",
                            "Make a template from its files instead.")
                    .with("limit", DEEPEST).raise();
        }
        return core.store().write(tx -> {
            if (!hidden) {
                core.quotas().maySave(tx, from.tenant());
                if (name != null && (SnapshotRows.named(tx, from.tenant(), name).isPresent() || TemplateRows.named(tx, name))) {
                    throw Problem.of(Code.NAME_TAKEN, "A snapshot or template '" + name + "' exists.", "Choose another name.").with("field", "name").raise();
                }
            }
            var row = new SnapshotRow(id, from.tenant(), name, from.id().value(), "creating", "create", from.template(), layers, digest(layers),
                    labels, Source.configOf(tx, from), hidden, base, core.now());
            SnapshotRows.insert(tx, row);
            core.records().snapshot(tx, row, actor, "snapshot");
            return row;
        });
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
            core.pool().snapshot(from.id(), id);
            return;
        }
        LiveBox live = Pausing.live(box, from);
        live.instance().freeze();
        try {
            core.pool().snapshot(from.id(), id);
        } finally {
            live.instance().thaw();
        }
    }

    SnapshotRow visible(Caller caller, String snapshot) {
        return core.store().read(tx -> (SnapshotId.looksLike(snapshot)
                        ? SnapshotRows.find(tx, snapshot).filter(s -> caller.operator() || s.tenant().equals(caller.tenant()))
                        : SnapshotRows.named(tx, caller.tenant(), snapshot))
                .filter(s -> !s.hidden()))
                .orElseThrow(() -> Problem.of(Code.SNAPSHOT_NOT_FOUND, "No snapshot '" + RequestRules.shown(snapshot) + "'.", "See those there are.").raise());
    }

    List<SnapshotRow> list(Caller caller, @Nullable String ofSandbox) {
        return core.store().read(SnapshotRows::all).stream()
                .filter(s -> !s.hidden() && s.ready())
                .filter(s -> caller.operator() || s.tenant().equals(caller.tenant()))
                .filter(s -> ofSandbox == null || s.sandbox().equals(ofSandbox))
                .toList();
    }

    void delete(SnapshotRow row, String actor) {
        core.store().write(tx -> {
            SnapshotRows.hide(tx, row.id());
            core.records().snapshot(tx, row, actor, "snapshot.delete");
            return true;
        });
        collect();
    }

    /// Removes hidden snapshots that nothing stands on, and what was interrupted. Repeats, since one may stand on another.
    void collect() {
        collecting.lock();
        try {
            boolean removed = true;
            while (removed) {
                removed = false;
                for (SnapshotRow row : core.store().read(SnapshotRows::all)) {
                    removed |= row.hidden() && row.ready() && unused(row) && remove(row);
                }
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
        core.pool().deleteSnapshot(row.id());
        Faults.at("snapshot.removed");
        core.store().write(tx -> {
            SnapshotRows.delete(tx, row.id());
            core.ranges().released(tx, row.id(), row.uidBase());
            core.records().snapshot(tx, row, Records.ENGINE, "snapshot.removed");
            return true;
        });
        return true;
    }
}
