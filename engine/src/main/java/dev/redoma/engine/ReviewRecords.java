// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.ledger.Entry;
import dev.redoma.ledger.Ledger;
import dev.redoma.model.wire.Change;
import dev.redoma.model.wire.ChangeSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/// The ledger's records of what is reviewed. All of it is the host's own reading. Counts are plain; digests, which could be guessed back, and paths are sealed.
final class ReviewRecords {
    private static final String CATEGORY = "file";
    /// So many flagged paths a record names.
    private static final int NAMED = 100;

    private final Ledger ledger;

    ReviewRecords(Ledger ledger) {
        this.ledger = ledger;
    }

    void started(Handle tx, SandboxRow row, String actor, String root) {
        append(tx, row, actor, "workspace.start", Map.of(), Map.of("path", root));
    }

    void changes(Handle tx, SandboxRow row, ChangeSet set) {
        var open = new HashMap<String, Object>();
        open.put("scope", set.scope());
        open.put("counts", set.counts());
        open.put("complete", set.complete());
        open.put("flagged", set.flagged());
        open.put("flags", List.copyOf(set.flags().keySet()));
        var named = set.items().stream().filter(c -> !c.flags().isEmpty()).limit(NAMED).map(Change::path).toList();
        append(tx, row, Records.ENGINE, "changes", open, Map.of("changes", set.digest(), "root", set.root(), "flaggedPaths", named));
    }

    void failed(Handle tx, SandboxRow row, String code) {
        append(tx, row, Records.ENGINE, "changes.failed", Map.of("code", code), Map.of());
    }

    /// `why`: `retention`, or `room` where the disk alone went.
    void forgotten(Handle tx, ReviewRow review, String why) {
        ledger.append(tx, new Entry(review.tenant().value(), Records.ENGINE, review.sandbox().value(), null, CATEGORY, "changes.dropped", Map.of("why", why, "bytes", review.bytes()), Map.of(), List.of()));
    }

    private void append(Handle tx, SandboxRow row, String actor, String action, Map<String, Object> open, Map<String, Object> sealed) {
        var facts = new HashMap<>(open);
        facts.put("digest", row.template().digest());
        ledger.append(tx, new Entry(row.tenant().value(), actor, row.id().value(), null, CATEGORY, action, facts, sealed, List.of()));
    }
}
