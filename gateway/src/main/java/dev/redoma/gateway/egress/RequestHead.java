// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import java.util.ArrayList;
import java.util.List;
import org.eclipse.jetty.http.HttpField;

/// What a request says before its body, as a strict reader understood it.
record RequestHead(String method, String target, List<HttpField> fields) {

    RequestHead {
        fields = List.copyOf(fields);
    }

    /// As sent, without the query.
    String path() {
        int query = target.indexOf('?');
        return query < 0 ? target : target.substring(0, query);
    }

    boolean has(String field) {
        return fields.stream().anyMatch(f -> f.getName().equalsIgnoreCase(field));
    }

    List<String> all(String field) {
        return fields.stream().filter(f -> f.getName().equalsIgnoreCase(field)).map(f -> String.valueOf(f.getValue())).toList();
    }

    /// Written anew from what was understood, so that the other end cannot read it differently. The connection ends with the answer.
    byte[] onward(String authority) {
        var lines = new ArrayList<String>();
        lines.add(method + " " + target + " HTTP/1.1");
        lines.add("Host: " + authority);
        for (HttpField field : fields) {
            if (!field.getName().equalsIgnoreCase("host") && !hopByHop(field.getName())) {
                lines.add(field.getName() + ": " + field.getValue());
            }
        }
        lines.add("Connection: close");
        return (String.join("\r\n", lines) + "\r\n\r\n").getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);
    }

    private static boolean hopByHop(String name) {
        return List.of("connection", "keep-alive", "proxy-connection", "proxy-authorization", "te", "upgrade", "trailer").contains(name.toLowerCase(java.util.Locale.ROOT));
    }
}
