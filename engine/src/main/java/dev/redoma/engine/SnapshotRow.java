// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.SnapshotId;
import dev.redoma.model.TenantId;
import dev.redoma.model.wire.Scrubbed;
import dev.redoma.model.wire.Snapshot;
import dev.redoma.model.wire.TemplateRef;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A saved disk as the database knows it. `layers`: what a sandbox made from it has, its own saved upper first. `hidden`: made by a
/// fork, or deleted while sandboxes still stand on it; gone as soon as none does.
record SnapshotRow(
        SnapshotId id,
        TenantId tenant,
        @Nullable String name,
        String sandbox,
        String state,
        @Nullable String target,
        TemplateRef template,
        List<LayerRef> layers,
        String digest,
        Map<String, String> labels,
        TemplateConfig config,
        boolean hidden,
        long uidBase,
        Instant createdAt,
        @Nullable Instant expiresAt,
        @Nullable Integer keepCount,
        Contents contents) {

    /// What was ordered of each class, and what was taken out.
    record Contents(Map<String, String> orders, Map<String, Scrubbed> scrubbed) {
        static final Contents NONE = new Contents(Map.of(), Map.of());

        Contents {
            orders = orders == null ? Map.of() : orders;
            scrubbed = scrubbed == null ? Map.of() : scrubbed;
        }
    }

    boolean ready() {
        return state.equals("ready");
    }

    /// How it is called where it is a template.
    String calling() {
        return name == null ? id.value() : name;
    }

    Snapshot view(List<String> tags) {
        return new Snapshot(id.value(), name, tags, sandbox, template, digest, createdAt, expiresAt, keepCount, labels, contents.orders(), contents.scrubbed());
    }
}
