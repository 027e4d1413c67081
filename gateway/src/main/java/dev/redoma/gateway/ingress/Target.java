// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.ingress;

import dev.redoma.http.Exchange;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Which port of which sandbox a request is for: by its host `<port>-<id>.<domain>`, else by header fields. An id of the old form
/// `<id>-<client>` is cut at the dash.
record Target(String sandbox, int port) {
    private static final Pattern HOST = Pattern.compile("([0-9]{1,5})-([a-z0-9]{1,40})(?:-[a-z0-9]{1,40})?\\.[a-z0-9.-]+");
    private static final Pattern ID = Pattern.compile("([a-z0-9]{1,40})(?:-[a-z0-9]{1,40})?");

    /// Null where the request names none.
    static @Nullable Target of(Exchange http) throws NoTarget {
        var host = host(http.authority());
        var byHost = HOST.matcher(host);
        if (byHost.matches()) {
            return new Target(byHost.group(2), port(byHost.group(1)));
        }
        var id = first(http, "E2b-Sandbox-Id", "Novita-Sandbox-Id");
        var port = first(http, "E2b-Sandbox-Port", "Novita-Sandbox-Port");
        if (id == null && port == null) {
            return null;
        }
        if (id == null || port == null) {
            throw new NoTarget("the header " + (id == null ? "E2b-Sandbox-Id" : "E2b-Sandbox-Port") + " is missing");
        }
        var byHeader = ID.matcher(id.strip().toLowerCase(Locale.ROOT));
        if (!byHeader.matches()) {
            throw new NoTarget("the header E2b-Sandbox-Id is no id of a sandbox");
        }
        return new Target(byHeader.group(1), port(port.strip()));
    }

    private static String host(String authority) {
        var host = authority.toLowerCase(Locale.ROOT);
        int colon = host.lastIndexOf(':');
        return colon > 0 && host.indexOf(']', colon) < 0 ? host.substring(0, colon) : host;
    }

    private static @Nullable String first(Exchange http, String one, String other) {
        var value = http.header(one);
        return value == null ? http.header(other) : value;
    }

    private static int port(String text) throws NoTarget {
        if (!text.matches("[0-9]{1,5}") || Integer.parseInt(text) < 1 || Integer.parseInt(text) > 65_535) {
            throw new NoTarget("'" + (text.length() > 8 ? text.substring(0, 8) : text) + "' is no port");
        }
        return Integer.parseInt(text);
    }

    /// The request names something that cannot be.
    static final class NoTarget extends Exception {
        private static final long serialVersionUID = 1L;

        private final int status;

        NoTarget(String why) {
            this(400, why);
        }

        NoTarget(int status, String why) {
            super(why, null, false, false);
            this.status = status;
        }

        int status() {
            return status;
        }
    }
}
