// SPDX-License-Identifier: Apache-2.0
package dev.redoma.http;

import java.io.IOException;
import org.eclipse.jetty.io.QuietException;

/// The other end of this request closed, broke or stalled. Nobody is left to be told, so nothing is logged.
public final class ClientGone extends IOException implements QuietException {
    private static final long serialVersionUID = 1L;

    ClientGone(Throwable cause) {
        super("the client is gone: " + cause.getMessage(), cause);
    }

    static boolean in(Throwable failure) {
        for (Throwable t = failure; t != null; t = t.getCause()) {
            if (t instanceof ClientGone) {
                return true;
            }
        }
        return false;
    }
}
