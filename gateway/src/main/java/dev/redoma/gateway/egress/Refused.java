// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// A refusal as programs can read it: a status and JSON that names class, rule, host and reason.
record Refused(int status, byte[] body) {

    /// `why`: a clause for a human.
    static Refused of(int status, Fact fact, @Nullable String host, String why) {
        String error = status == 502 ? "egress_failed" : "egress_refused";
        String message = status == 502 ? "What this sandbox asked for cannot be reached: " : "The policy of this sandbox refuses this: ";
        String body = "{\"error\":\"%s\",\"class\":%s,\"rule\":%s,\"host\":%s,\"reason\":%s,\"message\":%s}\n".formatted(
                error, json(fact.egressClass()), json(fact.rule()), json(host), json(fact.reason()), json(message + why + "."));
        return new Refused(status, body.getBytes(StandardCharsets.UTF_8));
    }

    /// For HTTP/1.1; the connection ends with it.
    byte[] http1() {
        byte[] head = "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nX-Redoma-Refused: egress\r\nConnection: close\r\n\r\n".formatted(status, phrase(), body.length)
                .getBytes(StandardCharsets.US_ASCII);
        byte[] all = java.util.Arrays.copyOf(head, head.length + body.length);
        System.arraycopy(body, 0, all, head.length, body.length);
        return all;
    }

    private String phrase() {
        return switch (status) {
            case 400 -> "Bad Request";
            case 502 -> "Bad Gateway";
            default -> "Forbidden";
        };
    }

    private static String json(@Nullable String text) {
        if (text == null) {
            return "null";
        }
        var out = new StringBuilder("\"");
        text.chars().forEach(c -> out.append(c < ' ' || c == '"' || c == '\\' || c > 126 ? String.format(Locale.ROOT, "\\u%04x", c) : String.valueOf((char) c)));
        return out.append('"').toString();
    }
}
