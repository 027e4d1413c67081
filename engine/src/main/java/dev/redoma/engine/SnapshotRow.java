// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.SnapshotId;
import dev.redoma.model.TenantId;
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
        Instant createdAt) {

    boolean ready() {
        return state.equals("ready");
    }

    Snapshot view() {
        return new Snapshot(id.value(), name, sandbox, template, digest, createdAt, labels);
    }
}
