// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model;

import org.jspecify.annotations.Nullable;

/// The one exception of the house (`KernelException` is its only subtype). Expected outcomes (status below 500) carry no stack trace.
public class RedomaException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Problem problem;

    protected RedomaException(Problem problem, @Nullable Throwable cause) {
        super(problem.code().wire() + ": " + problem.message(), cause, false, problem.code().status() >= 500);
        this.problem = problem;
    }

    public Problem problem() {
        return problem;
    }

    public Code code() {
        return problem.code();
    }
}
