// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;

/// The two ends of an intercepted connection, TLS on each. `beneath`: what is below the outer one.
record Ends(Socket inside, Socket outside, Beneath beneath) {
    private static final int PATIENCE_MS = 1000;
    private static final int MOST = 64;

    /// Tells the program that nothing more comes, and takes what it still sends for a moment: a close with unread bytes would take the last answer away again.
    void drain(Link link) {
        drain(inside, link.inside().socket());
    }

    /// `plain`: what is below its TLS.
    static void drain(Socket inside, Socket plain) {
        byte[] buffer = new byte[4096];
        try {
            inside.shutdownOutput();
            plain.setSoTimeout(PATIENCE_MS);
            for (int i = 0; i < MOST && inside.getInputStream().read(buffer) >= 0; i++) {
                // it is of no interest
            }
        } catch (SocketTimeoutException enough) {
            // it had its time
        } catch (IOException left) {
            // it was told all there was: how it goes is its own affair, and breaks nothing
        }
    }
}
