// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Body of `POST /v1/sandboxes`. `getOrCreate` needs a `name`; `onTimeout` is `kill` (default), `stop` or `pause`.
public record CreateSandbox(
        @Nullable String template,
        @Nullable String name,
        @Nullable Map<String, String> labels,
        @Nullable Map<String, String> env,
        @Nullable Limits limits,
        @Nullable String isolation,
        @Nullable String privileges,
        @Nullable String policy,
        @Nullable String reopen,
        @Nullable String onTimeout,
        @Nullable Boolean getOrCreate,
        @Nullable Boolean untrusted) {}
