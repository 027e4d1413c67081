// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What a document says of files that are kept: patterns of `artifacts`, and the longest that they and the change set stay (`retain.artifacts`; null: nothing said).
public record Keeping(List<String> artifacts, @Nullable Duration longest) {
    public static final Keeping NONE = new Keeping(List.of(), null);

    public Keeping {
        artifacts = List.copyOf(artifacts);
    }
}
