// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client;

import org.jspecify.annotations.Nullable;

/// What answered does not speak this API.
public final class AnswerNotUnderstoodException extends ClientException {
    private static final long serialVersionUID = 1L;

    AnswerNotUnderstoodException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    @Override
    public String remedy() {
        return "Check that the address is that of a Redoma server of this version.";
    }
}
