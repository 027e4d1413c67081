// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.ingress;

import dev.redoma.gateway.ingress.Doors.Door;
import dev.redoma.http.Exchange;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// The head of a request as it goes in: without what is meant for one hop alone, without what is this server's own, and with `Host`, `Origin` and `X-Forwarded-*` that agree.
record Inward(Exchange http, Target target, Door door, Doors doors) {
    static final Set<String> HOP = Set.of("connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authorization", "te", "trailer",
            "transfer-encoding", "upgrade", "expect", "http2-settings");
    /// What told the router where to go and who may, and what others would like to say in its place.
    private static final Set<String> OURS = Set.of("host", "origin", "cookie", "e2b-sandbox-id", "e2b-sandbox-port", "novita-sandbox-id", "novita-sandbox-port",
            "e2b-traffic-access-token", "redoma-preview-token", "x-api-key");
    /// What proxies tell of a request in front of them: only the router's own word counts.
    private static final Set<String> TOLD_BY_PROXIES = Set.of("forwarded", "forwarded-for", "x-forwarded", "x-real-ip", "x-original-host", "x-original-url", "x-original-forwarded-for", "x-rewrite-url", "x-host", "x-http-host-override",
            "x-client-ip", "x-cluster-client-ip", "x-proxyuser-ip", "x-remote-ip", "x-remote-addr", "x-originating-ip", "x-envoy-external-address", "x-envoy-original-path", "true-client-ip", "client-ip", "cf-connecting-ip", "cf-connecting-ipv6", "cf-visitor",
            "fastly-client-ip", "front-end-https", "x-scheme", "x-url-scheme", "x-script-name", "x-azure-clientip", "x-azure-socketip", "x-appengine-user-ip", "x-via");

    private static final Pattern METHOD = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}");

    static boolean hasBody(Exchange http) {
        return http.bodyLength() > 0 || http.bodyLength() < 0 && http.bodied();
    }

    /// HTTP/2 takes what would be two things in a line of HTTP/1.1.
    static boolean plain(Exchange http) {
        return METHOD.matcher(http.method()).matches() && http.target().chars().noneMatch(c -> c <= ' ' || c == 0x7f)
                && http.headers().stream().filter(h -> h.getKey().equalsIgnoreCase("Transfer-Encoding")).allMatch(h -> h.getValue().strip().equalsIgnoreCase("chunked"));
    }

    byte[] head(boolean upgrade) {
        var head = new StringBuilder(512).append(http.method()).append(' ').append(Shown.without(target.path())).append(" HTTP/1.1\r\n");
        field(head, "Host", host());
        var drop = named(http.headers().stream().filter(h -> h.getKey().equalsIgnoreCase("Connection")).map(Map.Entry::getValue).toList());
        for (var h : http.headers()) {
            var name = h.getKey().toLowerCase(Locale.ROOT);
            switch (name) {
                case "origin" -> field(head, h.getKey(), origin(h.getValue()));
                case "referer" -> referer(head, h.getKey(), h.getValue());
                case "cookie" -> { } // one field below: HTTP/2 sends many
                default -> {
                    if (!HOP.contains(name) && !ours(name) && !drop.contains(name) && !name.startsWith(":") && !secret(h.getValue())) {
                        field(head, h.getKey(), h.getValue());
                    }
                }
            }
        }
        cookies(head, http.headers().stream().filter(h -> h.getKey().equalsIgnoreCase("Cookie")).map(h -> Cookies.inward(h.getValue())).filter(c -> !c.isEmpty() && !secret(c)).collect(Collectors.joining("; ")));
        forwarded(head);
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

    /// Many apps read `_` in the name of a field as `-`.
    private static boolean ours(String name) {
        var plain = name.replace('_', '-');
        return OURS.contains(plain) || TOLD_BY_PROXIES.contains(plain) || plain.startsWith("x-forwarded-");
    }

    private String host() {
        return door.host() == null ? http.authority() : door.host().replace("${PORT}", Integer.toString(target.port()));
    }

    private String scheme() {
        return http.secure() ? "https" : "http";
    }

    /// The app's own origin is what it knows as its host; a foreign one stays foreign.
    private String origin(String origin) {
        return door.host() != null && origin.equalsIgnoreCase(scheme() + "://" + http.authority()) ? scheme() + "://" + host() : origin;
    }

    /// Under a path they would be those of every sandbox.
    private void cookies(StringBuilder head, String rest) {
        if (!rest.isEmpty() && target.form() != Target.Form.PATH) {
            field(head, "Cookie", rest);
        }
    }

    /// Of a page that was opened with a token in its address.
    private void referer(StringBuilder head, String name, String value) {
        var rest = Shown.without(value);
        if (!secret(rest)) {
            field(head, name, rest);
        }
    }

    private boolean secret(String value) {
        return holds(value) || value.indexOf('%') >= 0 && holds(Shown.decoded(value)) || value.regionMatches(true, 0, "Basic ", 0, 6) && holds(decoded(value.substring(6).strip()));
    }

    private boolean holds(String value) {
        return door.secrets().stream().anyMatch(value::contains) || Shown.tokens(http).stream().anyMatch(value::contains) || PlatformKeys.in(value, doors);
    }

    private static String decoded(String basic) {
        try {
            return new String(Base64.getDecoder().decode(basic), StandardCharsets.ISO_8859_1);
        } catch (IllegalArgumentException none) {
            return "";
        }
    }

    private void forwarded(StringBuilder head) {
        field(head, "X-Forwarded-For", http.remote());
        field(head, "X-Forwarded-Proto", scheme());
        field(head, "X-Forwarded-Host", http.authority());
        if (!target.prefix().isEmpty()) {
            field(head, "X-Forwarded-Prefix", target.prefix());
        }
    }

    private static void field(StringBuilder head, String name, String value) {
        head.append(name).append(": ").append(value).append("\r\n");
    }

    static Set<String> named(List<String> connection) {
        return connection.stream().flatMap(v -> List.of(v.split(",")).stream()).map(n -> n.strip().toLowerCase(Locale.ROOT)).collect(Collectors.toCollection(HashSet::new));
    }
}
