// SPDX-License-Identifier: Apache-2.0
package dev.redoma.http;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.util.Locale;

/// Problem documents of RFC 9457.
public final class Problems {
    public static final String MEDIA_TYPE = "application/problem+json";

    private Problems() {}

    public static dev.redoma.model.wire.Problem wire(Problem problem) {
        var code = problem.code();
        return new dev.redoma.model.wire.Problem(
                "urn:redoma:problem:" + code.wire(),
                title(code),
                code.status(),
                problem.message(),
                code.wire(),
                problem.layer().wire(),
                code.retryable(),
                problem.remedy(),
                problem.details().isEmpty() ? null : problem.details());
    }

    private static String title(Code code) {
        var words = code.name().replace('_', ' ').toLowerCase(Locale.ROOT);
        return Character.toUpperCase(words.charAt(0)) + words.substring(1);
    }
}
