// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client;

import java.net.URI;
import javax.net.ssl.SSLException;

/// No connection to the server could be made; nothing was sent.
public final class ServerUnreachableException extends ClientException {
    private static final long serialVersionUID = 1L;

    private final URI server;

    ServerUnreachableException(URI server, Throwable cause) {
        super("The server at " + server + " cannot be reached: " + cause.getMessage(), cause);
        this.server = server;
    }

    public URI server() {
        return server;
    }

    @Override
    public String remedy() {
        if (getCause() != null && getCause().getCause() instanceof SSLException) {
            return "If the server speaks plain HTTP, set REDOMA_URL to http://" + server.getRawAuthority() + "; else see that its certificate is trusted here.";
        }
        return "Start it with 'redoma up --detach', or set REDOMA_URL to the address of a running one.";
    }
}
