// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import dev.redoma.model.Code;
import java.util.Locale;
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
        @Nullable Map<String, Object> details) {

    public static Problem of(dev.redoma.model.Problem problem) {
        var code = problem.code();
        return new Problem("urn:redoma:problem:" + code.wire(), title(code), code.status(), problem.message(), code.wire(), problem.layer().wire(),
                code.retryable(), problem.remedy(), problem.details().isEmpty() ? null : problem.details());
    }

    private static String title(Code code) {
        var words = code.name().replace('_', ' ').toLowerCase(Locale.ROOT);
        return Character.toUpperCase(words.charAt(0)) + words.substring(1);
    }
}
