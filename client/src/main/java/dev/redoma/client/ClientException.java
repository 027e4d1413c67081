// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client;

import org.jspecify.annotations.Nullable;

/// What a call of this client can fail with; the kinds are closed.
public sealed abstract class ClientException extends RuntimeException
        permits RedomaApiException, ServerUnreachableException, ConnectionLostException, AnswerNotUnderstoodException {
    private static final long serialVersionUID = 1L;

    ClientException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /// What to do about it, in a sentence.
    public abstract String remedy();
}
