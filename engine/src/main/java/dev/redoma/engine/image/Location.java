// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine.image;

import dev.redoma.engine.image.Outgoing.Origin;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// An address of the web: where, and what there. No user, no fragment.
record Location(Origin origin, String target) {

    static Location parse(String text) {
        return parse(null, text);
    }

    /// As seen from another (a relative one is there too).
    static Location parse(@Nullable Location base, String text) {
        try {
            var uri = text.length() > 8192 ? null : new URI(text);
            if (uri == null || uri.getRawUserInfo() != null) {
                throw wrong(text);
            }
            if (uri.isAbsolute()) {
                return absolute(uri, text);
            }
            if (base == null) {
                throw wrong(text);
            }
            return absolute(base.uri().resolve(uri), text);
        } catch (URISyntaxException | IllegalArgumentException e) {
            throw wrong(text);
        }
    }

    private static RuntimeException wrong(String text) {
        return Refusal.registry("The registry sends to '" + Refusal.shown(text) + "', which is no address that can be gone to.").raise();
    }

    private URI uri() {
        return URI.create((origin.tls() ? "https" : "http") + "://" + origin.authority() + target);
    }

    private static Location absolute(URI uri, String text) {
        boolean tls = "https".equalsIgnoreCase(uri.getScheme());
        if (uri.getHost() == null || !tls && !"http".equalsIgnoreCase(uri.getScheme())) {
            throw wrong(text);
        }
        var host = uri.getHost().toLowerCase(Locale.ROOT);
        host = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
        var path = uri.getRawPath() == null || uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
        return new Location(new Origin(tls, host, uri.getPort() < 0 ? tls ? 443 : 80 : uri.getPort()),
                path + (uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery()));
    }
}
