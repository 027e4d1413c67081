// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// The making of a template version. `source`: `recipe dockerfile image`; `state`: `queued running ready failed cancelled`; `step` of `steps` is the one at work or the last begun (0: none yet), `cached` how many were taken from earlier builds. `digest` names the version once it is `ready`; `error` says why it `failed`.
public record Build(
        String id,
        String template,
        @Nullable String tag,
        String source,
        String state,
        int step,
        int steps,
        int cached,
        @Nullable String digest,
        @Nullable Problem error,
        Instant createdAt,
        @Nullable Instant startedAt,
        @Nullable Instant endedAt,
        String createdBy) {}
