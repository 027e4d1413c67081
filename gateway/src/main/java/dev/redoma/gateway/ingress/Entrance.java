// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.ingress;

import dev.redoma.engine.Exposures;
import dev.redoma.engine.Exposures.Visitor;
import dev.redoma.gateway.ingress.Doors.Door;
import dev.redoma.http.Exchange;
import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Who comes in to a port. Thread-safe.
final class Entrance {
    private static final String TRAFFIC = "e2b-traffic-access-token";

    private final Doors doors;
    private final Exposures exposures;
    private final Triers triers = new Triers();

    Entrance(Doors doors, Exposures exposures) {
        this.doors = doors;
        this.exposures = exposures;
    }

    sealed interface Outcome {}

    /// `exposure`: by which; null where the port is open without one. `by`: whose key was shown. `target`: what is asked for without what was shown.
    record Passed(Target target, @Nullable String exposure, @Nullable Caller by) implements Outcome {
        @Nullable String who() {
            return by == null ? null : by.key();
        }
    }

    /// A browser came with a token in its address: it is sent to the same without, and keeps the token.
    record Sent(int status, List<Map.Entry<String, String>> headers) implements Outcome {}

    record Refused(Refusal refusal, @Nullable String who) implements Outcome {
        Refused(Refusal refusal) {
            this(refusal, null);
        }
    }

    Outcome decide(Exchange http, Target target, Door door) {
        if (target.form() == Target.Form.PATH) {
            if ("script".equalsIgnoreCase(http.header("Service-Worker"))) {
                return new Refused(Refusal.ofPort(target, 403, Code.FORBIDDEN, "Under a path no service worker is handed out: it would act on all that is under this address"));
            }
            if (target.path().isEmpty() || target.path().startsWith("?")) {
                return new Sent(308, List.of(Map.entry("Location", target.prefix() + "/" + target.path()), Map.entry("Content-Length", "0")));
            }
        }
        if (door.open() || door.token() != null && same(door.token(), http.header(TRAFFIC))) {
            return new Passed(target, null, null);
        }
        var shown = Shown.of(http, target, doors);
        boolean tries = shown.token() != null || shown.unknownKey() || http.header(TRAFFIC) != null;
        var who = shown.key() == null ? null : shown.key().key();
        return switch (exposures.admit(new Visitor(target.sandbox(), door.caller().tenant(), target.port(), shown.token(), shown.key()))) {
            case Exposures.In in when shown.byCookie() && shown.key() == null && Foreign.asks(http) -> new Refused(Refusal.ofPort(target, 403, Code.FORBIDDEN, "Another site asks with this browser's cookie; only pages of this very host may, and links to it"));
            case Exposures.In in -> shown.byQuery() && shown.token() != null ? unveiled(http, target, shown.token(), in.exposure()) : new Passed(target, in.exposure(), shown.key());
            case Exposures.Out out -> {
                if (tries && (out.code() == Code.UNAUTHENTICATED || http.header(TRAFFIC) != null)) {
                    var trier = triers.of(http.remote());
                    if (!trier.may()) { // others behind the same address whose tokens are good come in all the same
                        http.set("Retry-After", "1");
                        yield new Refused(Refusal.ofPort(target, 429, Code.RATE_LIMITED, "Too many tokens or keys were tried from this address; wait a second"));
                    }
                    trier.failed();
                }
                yield new Refused(refusal(target, door, out), who);
            }
        };
    }

    private static Outcome unveiled(Exchange http, Target target, String token, String exposure) {
        var plain = Shown.without(target.path());
        boolean page = http.method().equals("GET") && http.accepts("text/html") && target.form() == Target.Form.HOST;
        return page ? new Sent(303, List.of(Map.entry("Location", local(plain)), Cookies.keep(token, http.secure()), Map.entry("Cache-Control", "no-store"), Map.entry("Referrer-Policy", "no-referrer"), Map.entry("Content-Length", "0")))
                : new Passed(target.asking(plain), exposure, null);
    }

    /// A path that begins with two slashes would be another host.
    private static String local(String path) {
        return path.length() > 1 && (path.charAt(1) == '/' || path.charAt(1) == '\\') ? "/." + path : path;
    }

    /// Clients of E2B know one refusal.
    private static Refusal refusal(Target target, Door door, Exposures.Out out) {
        if (out.code() == Code.PORT_NOT_EXPOSED && door.token() != null) {
            return Refusal.ofPort(target, 403, out.code(), "The traffic access token is missing or wrong (header " + TRAFFIC + "), and the port is not exposed otherwise");
        }
        return Refusal.ofPort(target, out.code().status(), out.code(), out.why());
    }

    private static boolean same(String expected, @Nullable String given) {
        return given != null && MessageDigest.isEqual(expected.getBytes(StandardCharsets.UTF_8), given.getBytes(StandardCharsets.UTF_8));
    }
}
