// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.control;

import dev.redoma.http.ErrorForm;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;

/// What is answered in place of a result. The SDKs look at `code`, which is the status, as often as at the status itself; `error_code` is ours.
public record ErrorBody(int code, String message, String error_code) {

    /// 404 for what has ended: to these clients it is gone.
    static int status(Problem problem) {
        return problem.code() == Code.SANDBOX_ENDED ? 404 : problem.code().status();
    }

    static ErrorBody of(Problem problem) {
        return new ErrorBody(status(problem), text(problem), problem.code().wire());
    }

    /// What it is and what to do, as sentences.
    static String text(Problem problem) {
        return problem.message() + (problem.message().endsWith(".") ? " " : ". ") + problem.remedy();
    }

    static final ErrorForm FORM = new ErrorForm() {
        @Override
        public int status(Problem problem) {
            return ErrorBody.status(problem);
        }

        @Override
        public Object body(Problem problem) {
            return of(problem);
        }
    };
}
