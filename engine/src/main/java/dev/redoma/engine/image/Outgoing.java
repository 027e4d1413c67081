// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine.image;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The way out: the one place that connects to other machines. It decides which addresses are dialled at all, follows no redirect and
/// adds no credentials. Keeps connections for the next request; close it when no more come. Thread-safe.
public interface Outgoing extends AutoCloseable {

    /// Sends a GET. ADDRESS_REFUSED where the destination may not be dialled; an IOException where it did not work.
    Reply get(Origin origin, String target, Map<String, String> headers) throws IOException;

    @Override
    void close();

    /// Where to: `host` in lower case, an IPv6 address without brackets.
    record Origin(boolean tls, String host, int port) {
        /// As in a `Host` header.
        public String authority() {
            var name = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
            return port == (tls ? 443 : 80) ? name : name + ":" + port;
        }
    }

    /// What came back. The body is read by one thread; closing ends it, from any thread.
    interface Reply extends AutoCloseable {
        int status();

        /// Values of a header, in their order.
        List<String> headers(String name);

        InputStream body();

        default Optional<String> header(String name) {
            return headers(name).stream().findFirst();
        }

        @Override
        void close();
    }

    /// Makes one for each pull.
    interface Source {
        Outgoing open();
    }
}
