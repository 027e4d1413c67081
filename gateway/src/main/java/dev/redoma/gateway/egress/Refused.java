// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.eclipse.jetty.http.HttpField;
import org.jspecify.annotations.Nullable;

/// A refusal as programs can read it: a status and JSON that names class, rule, host and reason.
record Refused(int status, byte[] body, long retryAfter) {
    /// Tells refusals from answers; where the gateway sees answers, origins cannot say it.
    static final String FIELD = "x-redoma-refused";

    /// `why`: a clause for a human.
    static Refused of(int status, Fact fact, @Nullable String host, String why) {
        return of(status, fact, host, why, 0);
    }

    /// `retryAfter`: in how many seconds the same may be allowed; 0: nobody knows.
    static Refused of(int status, Fact fact, @Nullable String host, String why, long retryAfter) {
        String error = status == 502 ? "egress_failed" : "egress_refused";
        String message = status == 502 ? "What this sandbox asked for cannot be reached: " : "The policy of this sandbox refuses this: ";
        String body = "{\"error\":\"%s\",\"class\":%s,\"rule\":%s,\"host\":%s,\"reason\":%s,%s\"message\":%s}\n".formatted(
                error, json(fact.egressClass()), json(fact.rule()), json(host), json(fact.reason()), retryAfter > 0 ? "\"retryAfterSeconds\":" + retryAfter + "," : "", json(message + why + "."));
        return new Refused(status, body.getBytes(StandardCharsets.UTF_8), retryAfter);
    }

    /// For HTTP/2. `whole`: the body comes as well.
    List<HttpField> fields(boolean whole) {
        var fields = new ArrayList<HttpField>();
        fields.add(new HttpField("content-type", "application/json"));
        fields.add(new HttpField("content-length", String.valueOf(whole ? body.length : 0)));
        fields.add(new HttpField(FIELD, "egress"));
        if (retryAfter > 0) {
            fields.add(new HttpField("retry-after", String.valueOf(retryAfter)));
        }
        return fields;
    }

    /// For HTTP/1.1; the connection ends with it.
    byte[] http1() {
        return http1("");
    }

    /// `method`: of the request, where it is known.
    byte[] http1(String method) {
        byte[] head = "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nX-Redoma-Refused: egress\r\n%sConnection: close\r\n\r\n"
                .formatted(status, phrase(), body.length, retryAfter > 0 ? "Retry-After: " + retryAfter + "\r\n" : "")
                .getBytes(StandardCharsets.US_ASCII);
        if (method.equals("HEAD")) {
            return head; // whose answer has no body
        }
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
