// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.TemplateReference;
import dev.redoma.model.wire.TemplateUse;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;

/// What deleting a reference means: a bare name goes with all its versions, a version (by digest) with its tags, and a tag with the version
/// that it points at if it was the last one to do so. Runs in one transaction, so that nothing is made from it meanwhile.
final class TemplateDeletion {
    private final Core core;
    private final Caller caller;

    TemplateDeletion(Core core, Caller caller) {
        this.core = core;
        this.caller = caller;
    }

    /// The versions that went; empty if there is nothing of that name.
    Optional<List<TemplateRow>> run(Handle tx, TemplateReference wanted) {
        String tag = wanted.tag();
        if (wanted.name() != null && tag != null) {
            return TemplateRows.find(tx, wanted).map(row -> tag(tx, row, tag));
        }
        List<TemplateRow> rows = versions(tx, wanted);
        return rows.isEmpty() ? Optional.empty() : Optional.of(all(tx, rows));
    }

    private static List<TemplateRow> versions(Handle tx, TemplateReference wanted) {
        if (wanted.name() == null) {
            return TemplateRows.allOfDigest(tx, String.valueOf(wanted.digest()));
        }
        return wanted.digest() == null ? TemplateRows.versions(tx, wanted.name()) : TemplateRows.find(tx, wanted).stream().toList();
    }

    private List<TemplateRow> tag(Handle tx, TemplateRow row, String tag) {
        if (TemplateTags.of(tx, row.name(), row.digest()).size() == 1) {
            return all(tx, List.of(row));
        }
        TemplateTags.remove(tx, row.name(), tag);
        core.records().template(tx, caller, "template.untag", Map.of("name", row.name(), "tag", tag, "digest", row.digest()));
        return List.of();
    }

    private List<TemplateRow> all(Handle tx, List<TemplateRow> rows) {
        for (TemplateRow row : rows) {
            TemplateRows.delete(tx, row.name(), row.digest());
        }
        for (TemplateRow row : rows) {
            mustBeUnused(tx, row);
            TemplateTags.versionGone(tx, row.name(), row.digest(), core.now());
            core.records().template(tx, caller, "template.delete", Map.of("name", row.name(), "digest", row.digest()));
        }
        return rows;
    }

    /// Another name may keep the version alive for them.
    private static void mustBeUnused(Handle tx, TemplateRow row) {
        if (TemplateRows.ofDigest(tx, row.digest()).isPresent()) {
            return;
        }
        TemplateUse use = TemplateUses.of(tx, row.digest());
        if (use.sandboxes() + use.snapshots() > 0) {
            String who = String.join(", ", Stream.concat(use.sandboxIds().stream(), use.snapshotIds().stream()).limit(5).toList());
            throw Problem.of(Code.TEMPLATE_IN_USE, use.sandboxes() + " sandboxes and " + use.snapshots() + " snapshots stand on " + row.name() + "@" + row.digest()
                                    + ", among them " + who + ".", "End or delete them first.")
                    .with("inUse", use.sandboxes() + use.snapshots()).with("digest", row.digest())
                    .with("sandboxes", use.sandboxIds()).with("snapshots", use.snapshotIds()).raise();
        }
    }
}
