// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.model.Scope;
import dev.redoma.model.SnapshotId;
import dev.redoma.model.TemplateReference;
import dev.redoma.model.wire.ContentTally;
import dev.redoma.model.wire.CreateSnapshot;
import dev.redoma.model.wire.Snapshot;
import dev.redoma.model.wire.SnapshotContents;
import dev.redoma.pool.contents.ContentClass;
import dev.redoma.pool.contents.Manifest;
import dev.redoma.pool.contents.Order;
import dev.redoma.pool.contents.Tally;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/// The verbs of saved disks. Thread-safe.
final class SnapshotService {
    private final Core core;
    private final Snapshots snapshots;

    SnapshotService(Core core, Snapshots snapshots) {
        this.core = core;
        this.snapshots = snapshots;
    }

    Snapshot create(Caller caller, Box box, CreateSnapshot request) {
        SnapshotOrder order = SnapshotOrder.of(request, core.config().saving());
        return core.background().call(() -> {
            Snapshots.Taken taken = core.boxes().locked(box, () -> snapshots.take(box, caller.key(), order));
            return view(snapshots.finish(taken, caller.key()));
        });
    }

    List<Snapshot> list(Caller caller, Sandboxes.SnapshotQuery query) {
        caller.need(Scope.READ);
        return core.store().read(tx -> {
            String of = query.sandbox() == null ? null : Access.visible(tx, caller, query.sandbox()).id().value();
            return SnapshotRows.all(tx).stream()
                    .filter(s -> !s.hidden() && s.ready())
                    .filter(s -> caller.operator() || s.tenant().equals(caller.tenant()))
                    .filter(s -> of == null || s.sandbox().equals(of))
                    .filter(s -> query.name() == null || query.name().equals(s.name()))
                    .filter(s -> query.labels().entrySet().stream().allMatch(l -> l.getValue().equals(s.labels().get(l.getKey()))))
                    .map(s -> s.view(SnapshotTags.of(tx, s.id()))).toList();
        });
    }

    Snapshot get(Caller caller, String snapshot) {
        caller.need(Scope.READ);
        return view(visible(caller, snapshot));
    }

    private Snapshot view(SnapshotRow row) {
        return row.view(core.store().read(tx -> SnapshotTags.of(tx, row.id())));
    }

    /// As it is read now; nothing of it is remembered.
    SnapshotContents contents(Caller caller, String snapshot) {
        caller.need(Scope.READ);
        SnapshotRow row = visible(caller, snapshot);
        if (!row.ready()) {
            throw Problem.of(Code.TEMPLATE_NOT_READY, "The snapshot '" + row.calling() + "' is " + row.state() + ".", "Wait until it is ready.")
                    .with("state", row.state()).raise();
        }
        List<SnapshotId> saved = row.layers().stream().flatMap(l -> Optional.ofNullable(l.snapshot()).stream()).map(SnapshotId::new).toList();
        List<Path> lowers = row.layers().stream().filter(l -> l.snapshot() == null).map(l -> core.starter().layer(l, row.tenant())).toList();
        Manifest m = core.background().call(() -> core.pool().contents(saved, lowers));
        List<ContentTally> classes = Arrays.stream(ContentClass.values()).map(c -> tally(c, m.of(c), row)).toList();
        return new SnapshotContents(row.id().value(), row.digest(), m.whole(), classes, m.credentials(), m.beyond(), m.packages(), m.deleted(), m.unread());
    }

    private static ContentTally tally(ContentClass c, Tally t, SnapshotRow row) {
        return new ContentTally(c.wire(), row.contents().orders().getOrDefault(c.wire(), Order.KEEP.wire()), t.files(), t.bytes(), t.samples());
    }

    Snapshot tag(Caller caller, String snapshot, String tag) {
        caller.need(Scope.CREATE);
        TemplateReference.tag("tag", tag);
        SnapshotRow row = visible(caller, snapshot);
        return core.store().write(tx -> {
            SnapshotRow now = SnapshotRows.find(tx, row.id().value()).filter(s -> !s.hidden() && s.ready()).orElseThrow(() -> notFound(snapshot));
            if (now.name() == null) {
                throw Problem.field("snapshot", "it has no name, and tags are of a name", "a snapshot that was made with a name");
            }
            SnapshotTags.move(tx, now.tenant(), now.name(), tag, now.id(), core.now());
            core.records().snapshot(tx, now, caller.key(), "snapshot.tag", Map.of("tag", tag));
            return now.view(SnapshotTags.of(tx, now.id()));
        });
    }

    void untag(Caller caller, String name, String tag) {
        caller.need(Scope.CREATE);
        core.store().write(tx -> {
            SnapshotRow row = SnapshotTags.snapshot(tx, caller.tenant(), name, tag).flatMap(id -> SnapshotRows.find(tx, id))
                    .orElseThrow(() -> notFound(name + ":" + tag));
            SnapshotTags.remove(tx, caller.tenant(), name, tag);
            core.records().snapshot(tx, row, caller.key(), "snapshot.untag", Map.of("tag", tag));
            return true;
        });
    }

    /// By `NAME:TAG` it is the tag that goes, and the snapshot with it if no tag but `latest` is left.
    void delete(Caller caller, String snapshot) {
        caller.need(Scope.CREATE);
        SnapshotRow row = visible(caller, snapshot);
        if (!row.ready()) {
            throw notFound(snapshot);
        }
        int colon = snapshot.indexOf(':');
        String name = row.name();
        if (name != null && colon == name.length() && snapshot.startsWith(name)) {
            String tag = snapshot.substring(colon + 1);
            List<String> others = core.store().read(tx -> SnapshotTags.of(tx, row.id()));
            if (others.stream().anyMatch(t -> !t.equals(tag) && !t.equals(TemplateReference.LATEST))) {
                untag(caller, name, tag);
                return;
            }
        }
        core.background().call(() -> {
            snapshots.delete(row, caller.key(), Map.of());
            return true;
        });
    }

    private SnapshotRow visible(Caller caller, String snapshot) {
        return core.store().read(tx -> find(tx, caller, snapshot)).orElseThrow(() -> notFound(snapshot));
    }

    /// Operators see every tenant's by its id.
    private static Optional<SnapshotRow> find(Handle tx, Caller caller, String snapshot) {
        return SnapshotRows.shown(tx, caller.tenant(), snapshot)
                .or(() -> caller.operator() && SnapshotId.looksLike(snapshot) ? SnapshotRows.find(tx, snapshot).filter(s -> !s.hidden()) : Optional.empty());
    }

    private static RedomaException notFound(String snapshot) {
        return Problem.of(Code.SNAPSHOT_NOT_FOUND, "No snapshot '" + RequestRules.shown(snapshot) + "'.", "See 'redoma snapshot list' for those there are.").raise();
    }
}
