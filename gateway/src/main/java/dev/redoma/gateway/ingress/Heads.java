// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.ingress;

import dev.redoma.gateway.HttpAnswer;
import dev.redoma.gateway.ingress.Doors.Door;
import dev.redoma.http.Exchange;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.eclipse.jetty.http.HttpField;

/// Heads of requests and answers as they go through: without what is meant for one hop alone, and without what is this server's own.
final class Heads {
    private static final Set<String> HOP = Set.of("connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authorization", "te", "trailer",
            "transfer-encoding", "upgrade", "expect", "http2-settings");
    /// What told the router where to go, who may, and what it says itself.
    private static final Set<String> OURS = Set.of("host", "e2b-sandbox-id", "e2b-sandbox-port", "novita-sandbox-id", "novita-sandbox-port",
            "e2b-traffic-access-token", "x-api-key", "x-forwarded-for", "x-forwarded-proto", "x-forwarded-host", "x-forwarded-port", "forwarded");

    private Heads() {}

    static boolean hasBody(Exchange http) {
        return http.bodyLength() > 0 || http.bodyLength() < 0 && http.bodied();
    }

    static byte[] request(Exchange http, Target target, Door door, boolean upgrade) {
        var host = door.host() == null ? http.authority() : door.host().replace("${PORT}", Integer.toString(target.port()));
        var head = new StringBuilder(512).append(http.method()).append(' ').append(http.target()).append(" HTTP/1.1\r\n");
        field(head, "Host", host);
        var drop = named(http.headers().stream().filter(h -> h.getKey().equalsIgnoreCase("Connection")).map(Map.Entry::getValue).toList());
        for (var h : http.headers()) {
            var name = h.getKey().toLowerCase(Locale.ROOT);
            if (!HOP.contains(name) && !OURS.contains(name) && !drop.contains(name) && !name.startsWith(":") && !door.secrets().contains(h.getValue())) {
                field(head, h.getKey(), h.getValue());
            }
        }
        field(head, "X-Forwarded-For", http.remote());
        field(head, "X-Forwarded-Proto", http.secure() ? "https" : "http");
        field(head, "X-Forwarded-Host", http.authority());
        if (http.bodyLength() < 0 && hasBody(http)) {
            field(head, "Transfer-Encoding", "chunked");
        }
        if (upgrade) {
            field(head, "Connection", "Upgrade");
            field(head, "Upgrade", http.header("Upgrade") + "");
        } else {
            field(head, "Connection", "close");
        }
        return head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1);
    }

    private static void field(StringBuilder head, String name, String value) {
        head.append(name).append(": ").append(value).append("\r\n");
    }

    private static Set<String> named(List<String> connection) {
        return connection.stream().flatMap(v -> List.of(v.split(",")).stream()).map(n -> n.strip().toLowerCase(Locale.ROOT)).collect(Collectors.toCollection(HashSet::new));
    }

    /// Of an answer: what goes on to the client, and its length, -1 where it is not known.
    record Answer(List<Map.Entry<String, String>> fields, long length) {}

    static Answer answer(HttpAnswer answer) {
        long length = -1;
        var fields = new ArrayList<Map.Entry<String, String>>();
        var drop = named(answer.headers("Connection"));
        for (var f : answer.fields()) {
            var name = f.getLowerCaseName();
            if (HOP.contains(name) || drop.contains(name) || name.equals("clear-site-data")) {
                continue;
            }
            if (name.equals("content-length")) {
                length = f.getLongValue();
            }
            fields.add(Map.entry(f.getName(), name.equals("set-cookie") ? ownHost(value(f)) : value(f)));
        }
        return new Answer(fields, length);
    }

    static List<Map.Entry<String, String>> switching(HttpAnswer answer) {
        var fields = new ArrayList<Map.Entry<String, String>>();
        for (var f : answer.fields()) {
            if (!HOP.contains(f.getLowerCaseName()) || f.getLowerCaseName().equals("upgrade")) {
                fields.add(Map.entry(f.getName(), value(f)));
            }
        }
        fields.add(Map.entry("Connection", "Upgrade"));
        return fields;
    }

    private static String value(HttpField f) {
        return f.getValue() == null ? "" : f.getValue();
    }

    /// A cookie is for the host that set it and for no other under the same domain.
    private static String ownHost(String cookie) {
        return cookie.replaceAll("(?i);\\s*domain=[^;]*", "");
    }
}
