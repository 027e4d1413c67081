// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Code;
import dev.redoma.model.RedomaException;
import dev.redoma.model.wire.Template;
import dev.redoma.model.wire.TemplateLayer;
import dev.redoma.model.wire.TemplateSummary;
import dev.redoma.model.wire.TemplateUse;
import dev.redoma.pool.LayerId;
import dev.redoma.pool.Pool;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/// Template versions as the API shows them. Thread-safe.
final class TemplateViews {
    private final Pool pool;
    /// A layer never changes.
    private final Map<LayerId, Long> sizes = new ConcurrentHashMap<>();

    TemplateViews(Pool pool) {
        this.pool = pool;
    }

    Template of(Handle tx, TemplateRow row, TemplateUse use) {
        return new Template(row.name(), row.digest(), TemplateTags.of(tx, row.name(), row.digest()), row.source(), row.state(), row.createdAt(),
                row.sizeBytes(), row.message(), summary(row.config()), row.layers().stream().map(this::layer).toList(), use, null);
    }

    private TemplateLayer layer(LayerRef ref) {
        return ref.layer() == null
                ? new TemplateLayer(null, ref.snapshot(), null)
                : new TemplateLayer(ref.layer(), null, sizes.computeIfAbsent(new LayerId(ref.layer()), this::size));
    }

    /// Null of one that is not in the pool: the list tells the others all the same.
    private @Nullable Long size(LayerId layer) {
        try {
            return pool.sizeOf(layer).value();
        } catch (RedomaException e) {
            if (e.problem().code() == Code.TEMPLATE_NOT_FOUND) {
                return null;
            }
            throw e;
        }
    }

    private static TemplateSummary summary(TemplateConfig c) {
        return new TemplateSummary(c.user(), c.cwd(), c.environment().keySet().stream().sorted().toList(), orNone(c.entrypoint()), orNone(c.cmd()),
                orNone(c.exposedPorts()), c.labels() == null ? Map.of() : c.labels(), c.stopSignal());
    }

    private static List<String> orNone(@Nullable List<String> list) {
        return list == null ? List.of() : list;
    }
}
