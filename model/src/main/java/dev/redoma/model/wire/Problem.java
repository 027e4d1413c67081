// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/// RFC 9457 problem document. `type` is `urn:redoma:problem:` + `code`; `layer` says what failed; `remedy` what to do; `details` hold named facts such as `field`, `allowed`, `limit`, `inUse`.
public record Problem(
        String type,
        String title,
        int status,
        String detail,
        String code,
        String layer,
        boolean retryable,
        @Nullable String remedy,
        @Nullable Map<String, Object> details) {}
