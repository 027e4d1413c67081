// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import dev.redoma.policy.EgressDecision;
import dev.redoma.policy.EgressDecision.Allow;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpVersion;

/// What a request says before its body, as a strict reader understood it.
record RequestHead(String method, String target, HttpVersion version, List<HttpField> fields) {

    private static final Set<String> HOP_BY_HOP = Set.of("connection", "keep-alive", "proxy-connection", "proxy-authorization", "proxy-authenticate", "te", "upgrade", "trailer");

    private static final Set<String> OVERRIDES = Set.of("x-http-method-override", "x-http-method", "x-method-override");

    RequestHead {
        fields = List.copyOf(fields);
    }

    /// As sent, without the query.
    String path() {
        int query = target.indexOf('?');
        return query < 0 ? target : target.substring(0, query);
    }

    boolean has(String field) {
        for (HttpField one : fields) {
            if (one.getName().equalsIgnoreCase(field)) {
                return true;
            }
        }
        return false;
    }

    List<String> all(String field) {
        var values = new ArrayList<String>(1);
        for (HttpField one : fields) {
            if (one.getName().equalsIgnoreCase(field)) {
                values.add(String.valueOf(one.getValue()));
            }
        }
        return values;
    }

    /// Whether bytes may come behind it that are its body to one reader and the next request to another, who does not look at bodies.
    boolean hasBody() {
        return has("transfer-encoding") || all("content-length").stream().anyMatch(length -> !length.strip().matches("0+"));
    }

    /// What rules say of it: of its own method, and of each that a field names which some origins go by instead.
    EgressDecision decided(Allow connection) {
        for (HttpField field : fields) {
            if (OVERRIDES.contains(field.getName().toLowerCase(Locale.ROOT))) {
                EgressDecision other = connection.request(String.valueOf(field.getValue()).strip().toUpperCase(Locale.ROOT), path());
                if (!other.allowed()) {
                    return other;
                }
            }
        }
        return connection.request(method, path());
    }

    /// Written anew from what was understood, so that the other end cannot read it differently. The connection ends with the answer.
    byte[] onward(String authority) {
        return onward(authority, List.of("Connection: close"));
    }

    /// `last`: the fields that are the gateway's own.
    byte[] onward(String authority, List<String> last) {
        var lines = new ArrayList<String>();
        lines.add(method + " " + target + " HTTP/1.1");
        lines.add("Host: " + authority);
        Set<String> named = connectionNames(fields);
        for (HttpField field : fields) {
            if (!field.getName().equalsIgnoreCase("host") && !hopByHop(field.getName()) && !named.contains(field.getName().toLowerCase(Locale.ROOT))) {
                lines.add(field.getName() + ": " + field.getValue());
            }
        }
        lines.addAll(last);
        return (String.join("\r\n", lines) + "\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1);
    }

    /// Fields that `Connection` says are for the next hop only. What frames the message is not among them, whatever it says.
    static Set<String> connectionNames(List<HttpField> fields) {
        boolean none = true;
        for (HttpField field : fields) {
            none &= !field.getName().equalsIgnoreCase("connection");
        }
        return none ? Set.of() : fields.stream().filter(f -> f.getName().equalsIgnoreCase("connection") && f.getValue() != null)
                .flatMap(f -> Arrays.stream(f.getValue().split(","))).map(v -> v.strip().toLowerCase(Locale.ROOT))
                .filter(v -> !List.of("content-length", "transfer-encoding", "host").contains(v)).collect(Collectors.toSet());
    }

    /// Whether `field` has this among its values, which commas part.
    boolean says(String field, String value) {
        return has(field) && all(field).stream().flatMap(v -> Arrays.stream(v.split(","))).anyMatch(v -> v.strip().equalsIgnoreCase(value));
    }

    static boolean hopByHop(String name) {
        return HOP_BY_HOP.contains(name.toLowerCase(Locale.ROOT));
    }
}
