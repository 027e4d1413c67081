// SPDX-License-Identifier: Apache-2.0
package dev.redoma.http;

import dev.redoma.model.Problem;

/// Problem documents of RFC 9457.
public final class Problems {
    public static final String MEDIA_TYPE = "application/problem+json";

    private Problems() {}

    public static dev.redoma.model.wire.Problem wire(Problem problem) {
        return dev.redoma.model.wire.Problem.of(problem);
    }
}
