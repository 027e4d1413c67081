// SPDX-License-Identifier: Apache-2.0
package dev.redoma.http;

import dev.redoma.model.Problem;

/// How a foreign protocol tells what went wrong: its status, and a body that becomes JSON.
public interface ErrorForm {

    default int status(Problem problem) {
        return problem.code().status();
    }

    Object body(Problem problem);
}
