// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.ingress;

import dev.redoma.http.Exchange;
import java.util.Locale;

/// Whether a browser asks for another site than the one that is asked. All previews under one domain are the same site to it, so that `SameSite` keeps none from another: what a page of one
/// sandbox sends to another comes with the cookie.
final class Foreign {
    private Foreign() {}

    /// A link that somebody followed is none.
    static boolean asks(Exchange http) {
        var origin = http.header("Origin");
        if (origin != null && !host(origin).equals(host("//" + http.authority()))) {
            return true;
        }
        var site = http.header("Sec-Fetch-Site");
        return site != null && !site.equals("same-origin") && !site.equals("none") && !followed(http);
    }

    private static boolean followed(Exchange http) {
        return (http.method().equals("GET") || http.method().equals("HEAD")) && "navigate".equals(http.header("Sec-Fetch-Mode")) && "document".equals(http.header("Sec-Fetch-Dest"));
    }

    /// Of `https://HOST[:PORT]`; the ports that are meant where none is said are left out.
    private static String host(String origin) {
        var rest = origin.substring(origin.indexOf("//") + 2).toLowerCase(Locale.ROOT);
        return rest.endsWith(":443") || rest.endsWith(":80") ? rest.substring(0, rest.lastIndexOf(':')) : rest;
    }
}
