// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A template version, immutable under its digest. `tags` of its name that point at it now (`latest`: the bare name); `source`: `tar
/// image recipe`; `state`: `building ready failed`; `layers`: top first, `sizeBytes`: of all of them.
/// `leftOut`: only in the answer to an import that left something out.
public record Template(
        String name,
        String digest,
        List<String> tags,
        String source,
        String state,
        Instant createdAt,
        long sizeBytes,
        @Nullable String message,
        TemplateSummary config,
        List<TemplateLayer> layers,
        TemplateUse usedBy,
        @Nullable LeftOut leftOut) {

    public Template without(@Nullable LeftOut some) {
        return new Template(name, digest, tags, source, state, createdAt, sizeBytes, message, config, layers, usedBy, some);
    }
}
