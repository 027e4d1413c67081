// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.ledger.Entry;
import dev.redoma.ledger.Ledger;
import dev.redoma.model.wire.ApplyChanges;
import dev.redoma.model.wire.ApplyResult;
import dev.redoma.model.wire.Artifact;
import dev.redoma.model.wire.Change;
import dev.redoma.model.wire.ChangeSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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

    void artifacts(Handle tx, SandboxRow row, String actor, String why, List<Artifact> made, int leftOut) {
        var list = made.stream().map(a -> Map.of("path", a.path(), "sha256", a.digest(), "bytes", a.size())).toList();
        append(tx, row, actor, "artifacts", Map.of("why", why, "count", made.size(), "bytes", made.stream().mapToLong(Artifact::size).sum(), "leftOut", leftOut), Map.of("artifacts", list));
    }

    void artifactsFailed(Handle tx, SandboxRow row, String code) {
        append(tx, row, Records.ENGINE, "artifacts.failed", Map.of("code", code), Map.of());
    }

    /// Content that is about to be handed out: `changes.read` (what `diff --patch` shows), `changes.export`, `artifact.read`, `artifacts.export`.
    void out(Handle tx, SandboxRow row, String actor, String action, Map<String, Object> open, Map<String, Object> sealed) {
        append(tx, row, actor, action, open, sealed);
    }

    /// Before anything of it is handed out.
    void apply(Handle tx, SandboxRow row, String actor, String id, ApplyChanges asked, int count, Optional<String> approval) {
        var sealed = new HashMap<String, Object>(Map.of("changes", asked.digest(), "only", asked.only() == null ? List.of() : asked.only()));
        if (asked.target() != null) {
            sealed.put("target", asked.target());
        }
        var open = new HashMap<String, Object>(Map.of("apply", id, "count", count));
        approval.ifPresent(by -> open.put("approval", by));
        append(tx, row, actor, "apply", open, sealed);
    }

    /// The word of the client: the files are on its machine.
    void applied(Handle tx, SandboxRow row, String actor, String id, ApplyResult result) {
        append(tx, row, actor, "apply." + result.outcome(), Map.of("apply", id, "toldBy", "client"), result.message() == null ? Map.of() : Map.of("message", result.message()));
    }

    /// That apply was granted to this key for this sandbox.
    boolean granted(Handle tx, SandboxRow row, String actor, String id) {
        return ledger.count(tx, row.tenant().value(), row.id().value(), CATEGORY, Set.of("apply"), actor, "apply", id) > 0;
    }

    boolean told(Handle tx, SandboxRow row, String id) {
        return ledger.count(tx, row.tenant().value(), row.id().value(), CATEGORY, Set.of("apply.applied", "apply.failed"), null, "apply", id) > 0;
    }

    void failed(Handle tx, SandboxRow row, String code) {
        append(tx, row, Records.ENGINE, "changes.failed", Map.of("code", code), Map.of());
    }

    /// `why`: `retention`, `asked`, or `room` where the disk alone went.
    void forgotten(Handle tx, ReviewRow review, String actor, String why) {
        ledger.append(tx, new Entry(review.tenant().value(), actor, review.sandbox().value(), null, CATEGORY, "changes.dropped", Map.of("why", why, "bytes", review.bytes()), Map.of(), List.of()));
    }

    private void append(Handle tx, SandboxRow row, String actor, String action, Map<String, Object> open, Map<String, Object> sealed) {
        var facts = new HashMap<>(open);
        facts.put("digest", row.template().digest());
        ledger.append(tx, new Entry(row.tenant().value(), actor, row.id().value(), null, CATEGORY, action, facts, sealed, List.of()));
    }
}
