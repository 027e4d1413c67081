// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client;

import dev.redoma.model.wire.Problem;

/// The server refused or failed, and says why.
public final class RedomaApiException extends ClientException {
    private static final long serialVersionUID = 1L;

    private final transient Problem problem;

    public RedomaApiException(Problem problem) {
        super(problem.code() + ": " + problem.detail(), null);
        this.problem = problem;
    }

    public Problem problem() {
        return problem;
    }

    /// The stable code, such as `sandbox-not-found`.
    public String code() {
        return problem.code();
    }

    public int status() {
        return problem.status();
    }

    @Override
    public String remedy() {
        var remedy = problem.remedy();
        return remedy == null ? "" : remedy;
    }
}
