// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Caller;
import dev.redoma.pool.LayerId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/// Adds template versions: whatever made the layers (an import, a pull, a build) publishes them here. Thread-safe.
final class TemplateVersions {
    private final Core core;
    private final WarmPool warm;

    TemplateVersions(Core core, WarmPool warm) {
        this.core = core;
        this.warm = warm;
    }

    /// The bare name means this version from now on, and so does `tag` if there is one (or several, with commas between). The caller holds the layers meanwhile. `facts` go
    /// into the record.
    TemplateRow publish(Caller caller, String name, @Nullable String tag, String source, List<LayerRef> layers, TemplateConfig config, Map<String, Object> facts) {
        return publish(caller, name, tag, source, layers, config, facts, (tx, row) -> {});
    }

    /// The same; `also` is part of the commit.
    TemplateRow publish(Caller caller, String name, @Nullable String tag, String source, List<LayerRef> layers, TemplateConfig config, Map<String, Object> facts,
            BiConsumer<Handle, TemplateRow> also) {
        long size = layers.stream().mapToLong(l -> l.layer() == null ? 0 : core.pool().sizeOf(new LayerId(l.layer())).value()).sum();
        TemplateRow row = TemplateRow.ready(name, source, layers, config, size, core.now());
        core.store().write(tx -> {
            TemplateRows.put(tx, row, tag);
            var all = new HashMap<String, Object>(facts);
            all.put("name", name);
            all.put("digest", row.digest());
            all.put("sizeBytes", size);
            all.put("layers", layers.stream().map(l -> l.layer() == null ? String.valueOf(l.snapshot()) : l.layer()).toList());
            if (tag != null) {
                all.put("tag", tag);
            }
            core.records().template(tx, caller, "template.ready", all);
            also.accept(tx, row);
            return true;
        });
        core.background().run("clearing warm members of an older version", warm::sweep);
        return row;
    }
}
