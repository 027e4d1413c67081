// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.ingress;

import dev.redoma.http.Exchange;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Cookies on their way: those of the platform do not go in and are not set by apps, and an app's are for its own host alone.
final class Cookies {
    private Cookies() {}

    static @Nullable String value(Exchange http, String name) {
        return http.headers().stream().filter(h -> h.getKey().equalsIgnoreCase("Cookie")).flatMap(h -> Arrays.stream(h.getValue().split(";")))
                .map(String::strip).filter(c -> c.startsWith(name + "=")).map(c -> c.substring(name.length() + 1)).findFirst().orElse(null);
    }

    /// A `Cookie` field without those of the platform; empty where nothing is left.
    static String inward(String cookies) {
        return Arrays.stream(cookies.split(";")).map(String::strip).filter(c -> !c.isEmpty() && !ours(c)).collect(Collectors.joining("; "));
    }

    /// A `Set-Cookie` field of an app: without `Domain`, by which it would be sent to other sandboxes and to the platform; null where it would be one of the platform's.
    static @Nullable String outward(String cookie) {
        if (ours(cookie) || nameless(cookie)) {
            return null;
        }
        var parts = cookie.split(";", -1);
        return parts[0] + Arrays.stream(parts).skip(1).filter(a -> !attribute(a).equals("domain")).map(a -> ";" + a).collect(Collectors.joining());
    }

    private static String attribute(String text) {
        int equals = text.indexOf('=');
        return (equals < 0 ? text : text.substring(0, equals)).strip().toLowerCase(Locale.ROOT);
    }

    /// Browsers send what stands there as if it were name and value.
    private static boolean nameless(String cookie) {
        var first = cookie.split(";", 2)[0].strip();
        return first.indexOf('=') < 1;
    }

    private static boolean ours(String cookie) {
        var name = attribute(cookie).replace("\"", "");
        for (var prefix : new String[] {"__host-", "__secure-", "__http-", "__host-http-"}) {
            name = name.startsWith(prefix) ? name.substring(prefix.length()) : name;
        }
        return name.startsWith("redoma");
    }

    /// Name and value as they are in the `Set-Cookie` field that keeps a token for a browser: it is for this host, for no script, and goes when its exposure does.
    static Map.Entry<String, String> keep(String token, boolean secure) {
        return Map.entry("Set-Cookie", Shown.cookie(secure) + "=" + token + "; Path=/; HttpOnly; SameSite=Lax" + (secure ? "; Secure" : ""));
    }
}
