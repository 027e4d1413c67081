// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client;

/// The connection broke, or nothing came in time, after the request was sent: whether it took effect is not known.
public final class ConnectionLostException extends ClientException {
    private static final long serialVersionUID = 1L;

    ConnectionLostException(String what, Throwable cause) {
        super(what + ": " + cause.getMessage(), cause);
    }

    @Override
    public String remedy() {
        return "Look at the present state (redoma show, redoma status) before trying again.";
    }
}
