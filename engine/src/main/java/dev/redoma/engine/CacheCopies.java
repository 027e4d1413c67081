// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Bytes;
import dev.redoma.model.SandboxId;
import dev.redoma.model.TenantId;
import dev.redoma.model.VolumeId;
import dev.redoma.model.wire.Mount;
import dev.redoma.pool.PoolVolumes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/// The private copies of caches that sandboxes have: a snapshot of the tenant's cache for that template, or an empty one. A cache is never
/// shared live, and what a sandbox puts into its copy ends with it unless an operator promotes it. Their rows come and go with their sandbox's.
final class CacheCopies {
    private static final String SOURCE = "source";

    private final PoolVolumes pool;
    private final long size;

    CacheCopies(PoolVolumes pool, EngineConfig config) {
        this.pool = pool;
        this.size = LimitRules.disk(config.bounds().defaults());
    }

    /// In the transaction that adds the sandbox.
    List<Mount> insert(Handle tx, TenantId tenant, String template, List<CacheTools> tools, SandboxId sandbox, Instant now, String actor) {
        var mounts = new ArrayList<Mount>();
        for (var tool : tools) {
            Optional<VolumeRow> cache = VolumeRows.cache(tx, tenant, template, tool.wire());
            var copy = new VolumeRow(VolumeId.mint(), tenant, tool.wire(), VolumeRow.Kind.COPY, VolumeRow.READY, null, cache.map(VolumeRow::sizeBytes).orElse(size),
                    false, 1000, 1000, cache.map(c -> Map.of(SOURCE, c.id().value())).orElse(Map.of()), template, sandbox.value(), now, actor);
            VolumeRows.insert(tx, copy);
            mounts.add(new Mount(copy.id().value(), copy.name(), tool.path(), false, tool.wire()));
        }
        return mounts;
    }

    void make(Core core, SandboxRow sandbox) {
        for (var copy : of(core, sandbox)) {
            var source = copy.labels().get(SOURCE);
            var quota = new Bytes(copy.sizeBytes());
            if (source != null && pool.find(new VolumeId(source)).isPresent()) {
                pool.copy(new VolumeId(source), copy.id(), quota);
            } else {
                pool.create(copy.id(), quota, copy.uid(), copy.gid());
            }
        }
    }

    /// Of a sandbox that ends; its rows go in the transaction that says so.
    void remove(Core core, SandboxRow sandbox) {
        of(core, sandbox).forEach(copy -> pool.delete(copy.id()));
    }

    private static List<VolumeRow> of(Core core, SandboxRow sandbox) {
        boolean any = sandbox.mounts().stream().anyMatch(m -> m.cache() != null);
        return any ? core.store().read(tx -> VolumeRows.copiesOf(tx, sandbox.id())) : List.of();
    }
}
