// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client.http;

import java.io.IOException;

/// The ways in which an exchange fails below HTTP's own statuses.
public sealed abstract class Failure extends IOException {
    private static final long serialVersionUID = 1L;

    private Failure(String message, Throwable cause) {
        super(message, cause);
    }

    /// No connection could be made: nothing was sent.
    public static final class Unreachable extends Failure {
        private static final long serialVersionUID = 1L;

        Unreachable(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /// The connection broke, or nothing came in time, after something was sent: whether it took effect is not known.
    public static final class Broken extends Failure {
        private static final long serialVersionUID = 1L;

        Broken(String message, Throwable cause) {
            super(message, cause);
        }
    }
}
