// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.TemplateReference;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/// Deletes snapshots that are not to be kept any longer: those past their time, and of each name (without a name: of each sandbox) those
/// beyond the number that the newest one says. A tag other than `latest` protects from the number, not from the time.
final class SnapshotKeeping {
    private final Core core;
    private final Snapshots snapshots;

    SnapshotKeeping(Core core, Snapshots snapshots) {
        this.core = core;
        this.snapshots = snapshots;
    }

    private record Due(SnapshotRow row, String why) {}

    void sweep() {
        for (Due due : core.store().read(tx -> due(tx, core.now()))) {
            snapshots.delete(due.row(), Records.ENGINE, Map.of("keep", due.why()));
        }
    }

    private static List<Due> due(Handle tx, Instant now) {
        var due = new ArrayList<Due>();
        var groups = new HashMap<String, List<SnapshotRow>>();
        for (SnapshotRow row : SnapshotRows.all(tx)) {
            if (row.hidden() || !row.ready()) {
                continue;
            }
            if (row.expiresAt() != null && !now.isBefore(row.expiresAt())) {
                due.add(new Due(row, "age"));
            } else {
                groups.computeIfAbsent(row.tenant().value() + (row.name() == null ? "/" + row.sandbox() : ":" + row.name()), g -> new ArrayList<>()).add(row);
            }
        }
        groups.values().forEach(group -> beyond(tx, group, due));
        return due;
    }

    private static void beyond(Handle tx, List<SnapshotRow> group, List<Due> due) {
        group.sort(Comparator.comparing(SnapshotRow::createdAt).reversed());
        Integer keep = group.getFirst().keepCount();
        if (keep != null) {
            group.stream().skip(keep)
                    .filter(row -> SnapshotTags.of(tx, row.id()).stream().allMatch(TemplateReference.LATEST::equals))
                    .forEach(row -> due.add(new Due(row, "count")));
        }
    }
}
