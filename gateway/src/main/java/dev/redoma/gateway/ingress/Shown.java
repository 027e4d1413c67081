// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.ingress;

import dev.redoma.http.Exchange;
import dev.redoma.model.Caller;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What a visitor shows to be let in: a token by header, by cookie or by query, a key by header. None of it reaches the app.
record Shown(@Nullable String token, boolean byQuery, boolean byCookie, @Nullable Caller key, boolean unknownKey) {
    static final String HEADER = "Redoma-Preview-Token";
    private static final String COOKIE = "redoma-preview";
    private static final String QUERY = "redoma-preview-token=";
    /// Shorter ones are none, and may be words of anything.
    private static final int LEAST = 16;

    /// Under a path, where sandboxes share an origin, tokens come by header alone.
    static Shown of(Exchange http, Target target, Doors doors) {
        var byHeader = http.header(HEADER);
        var byQuery = byHeader == null && target.form() != Target.Form.PATH ? query(target.path()) : null;
        var byCookie = byHeader == null && byQuery == null && target.form() == Target.Form.HOST ? Cookies.value(http, cookie(http.secure())) : null;
        var text = key(http);
        var key = text == null ? null : doors.keyed(text);
        return new Shown(byHeader != null ? byHeader.strip() : byQuery != null ? byQuery : byCookie, byQuery != null, byCookie != null, key, text != null && key == null);
    }

    /// `Authorization` may be the app's own: what is no key here is none.
    private static @Nullable String key(Exchange http) {
        var own = http.header("X-API-Key");
        if (own != null) {
            return own.strip();
        }
        var bearer = http.header("Authorization");
        return bearer != null && bearer.regionMatches(true, 0, "Bearer ", 0, 7) && PlatformKeys.looksLike(bearer.substring(7).strip()) ? bearer.substring(7).strip() : null;
    }

    private static @Nullable String query(String path) {
        int at = path.indexOf('?');
        if (at < 0) {
            return null;
        }
        for (var part : path.substring(at + 1).split("&", -1)) {
            if (part.startsWith(QUERY)) {
                return decoded(part.substring(QUERY.length()));
            }
        }
        return null;
    }

    static String decoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException odd) {
            return "";
        }
    }

    /// Over TLS by a name that browsers let no other host set, by whatever script.
    static String cookie(boolean secure) {
        return secure ? "__Host-" + COOKIE : COOKIE;
    }

    /// All that a request shows as tokens of previews, whichever of them counts.
    static List<String> tokens(Exchange http) {
        return Stream.of(http.header(HEADER), query(http.target()), Cookies.value(http, cookie(http.secure()))).filter(Objects::nonNull).map(String::strip).filter(t -> t.length() >= LEAST).distinct().toList();
    }

    /// Whether the address shows a token elsewhere than where it is taken out.
    static boolean misplaced(Exchange http) {
        var tokens = tokens(http);
        if (tokens.isEmpty()) {
            return false;
        }
        var rest = without(http.target());
        var plain = decoded(rest.replace("+", "%2B"));
        return tokens.stream().anyMatch(token -> rest.contains(token) || plain.contains(token));
    }

    /// The same path and query without the token, the rest as it was sent.
    static String without(String path) {
        int at = path.indexOf('?');
        if (at < 0) {
            return path;
        }
        var rest = new ArrayList<>(List.of(path.substring(at + 1).split("&", -1)));
        rest.removeIf(part -> part.startsWith(QUERY));
        return path.substring(0, at) + (rest.isEmpty() ? "" : "?" + String.join("&", rest));
    }
}
