// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.ingress;

import dev.redoma.http.Exchange;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Which port of which sandbox a request is for: by its host `<port>-<id>.<domain>`, else by header fields, else by its path `/preview/<id>/<port>/…`. An id of the old form
/// `<id>-<client>` is cut at the dash. `path`: what the app is asked for, path and query, as it was sent.
record Target(String sandbox, int port, Form form, String path) {
    private static final Pattern HOST = Pattern.compile("([0-9]{1,5})-([a-z0-9]{1,40})(?:-[a-z0-9]{1,40})?\\.[a-z0-9.-]+");
    private static final Pattern ID = Pattern.compile("([a-z0-9]{1,40})(?:-[a-z0-9]{1,40})?");
    private static final Pattern PATH = Pattern.compile("/preview/([a-z0-9]{1,40})/([0-9]{1,5})(/[^?#]*)?(\\?.*)?", Pattern.DOTALL);

    /// How it was said. Under `PATH` all sandboxes share one origin.
    enum Form { HOST, HEADERS, PATH }

    /// Null where the request names none.
    static @Nullable Target of(Exchange http) throws NoTarget {
        var host = host(http.authority());
        var byHost = HOST.matcher(host);
        if (byHost.matches()) {
            return new Target(byHost.group(2), port(byHost.group(1)), Form.HOST, http.target());
        }
        var id = first(http, "E2b-Sandbox-Id", "Novita-Sandbox-Id");
        var port = first(http, "E2b-Sandbox-Port", "Novita-Sandbox-Port");
        if (id == null && port == null) {
            return byPath(http.target());
        }
        if (id == null || port == null) {
            throw new NoTarget("the header " + (id == null ? "E2b-Sandbox-Id" : "E2b-Sandbox-Port") + " is missing");
        }
        var byHeader = ID.matcher(id.strip().toLowerCase(Locale.ROOT));
        if (!byHeader.matches()) {
            throw new NoTarget("the header E2b-Sandbox-Id is no id of a sandbox");
        }
        return new Target(byHeader.group(1), port(port.strip()), Form.HEADERS, http.target());
    }

    private static @Nullable Target byPath(String target) throws NoTarget {
        var found = PATH.matcher(target);
        if (!found.matches()) {
            return null;
        }
        var path = found.group(3);
        var query = found.group(4);
        return new Target(found.group(1), port(found.group(2)), Form.PATH, (path == null ? "" : path) + (query == null ? "" : query));
    }

    /// What comes before the app's own path.
    String prefix() {
        return form == Form.PATH ? "/preview/" + sandbox + "/" + port : "";
    }

    Target asking(String other) {
        return new Target(sandbox, port, form, other);
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
