// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// Body of `POST /v1/audit/verify`, where there is one. `heads`: lines of `heads.log` that were kept on another host; each must be in its chain.
public record VerifyAudit(@Nullable List<String> heads) {}
