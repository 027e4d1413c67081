// SPDX-License-Identifier: Apache-2.0
package dev.redoma.http;

import java.io.IOException;
import java.time.Duration;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;

/// Reads away, within bounds, what a client still sends after it was answered: closing at once would reset the connection before the
/// client has read the answer.
final class Leftover {
    private static final long BYTES = 64L << 20;
    private static final Duration TIME = Duration.ofSeconds(5);

    private Leftover() {}

    static void drain(Request request) {
        if (request.getLength() == 0 || request.getHeaders().contains(HttpHeader.EXPECT)) {
            return;
        }
        long until = System.nanoTime() + TIME.toNanos();
        long left = BYTES;
        try (var in = Content.Source.asInputStream(request)) {
            var sink = new byte[16 * 1024];
            int n = 0;
            while (n >= 0 && left > 0 && System.nanoTime() < until) {
                n = in.read(sink);
                left -= n;
            }
        } catch (IOException gone) {
            // the answer is out; a client that left meanwhile misses nothing
        }
    }
}
