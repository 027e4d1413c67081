// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.api;

import dev.redoma.http.Exchange;
import dev.redoma.model.wire.Exposure;
import org.jspecify.annotations.Nullable;

/// Where exposed ports are reached. `domain`: that of TLS, with its port where that is not the usual one; null: there is none. `host` and `port`: where the router listens.
public record PreviewAddresses(@Nullable String domain, String host, int port) {

    /// With its addresses, as far as this server has names: those below `localhost` lead to this machine in every browser.
    Exposure of(Exposure e, Exchange asked) {
        var name = e.port() + "-" + e.sandbox() + ".";
        var url = domain != null ? "https://" + name + domain + "/" : loopback() ? "http://" + name + "localhost:" + port + "/" : null;
        return e.with(url, "http://" + reached(asked) + ":" + port + "/preview/" + e.sandbox() + "/" + e.port() + "/");
    }

    private boolean loopback() {
        return host.equals("localhost") || host.startsWith("127.") || host.equals("::1") || host.equals("[::1]");
    }

    /// A server that listens on all addresses is reached where its client reached it.
    private String reached(Exchange asked) {
        if (!host.equals("0.0.0.0") && !host.equals("::") && !host.equals("[::]")) {
            return host.contains(":") && !host.startsWith("[") ? "[" + host + "]" : host;
        }
        var authority = asked.authority();
        int colon = authority.lastIndexOf(':');
        return colon > authority.lastIndexOf(']') && colon > 0 ? authority.substring(0, colon) : authority;
    }
}
