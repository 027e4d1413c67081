// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// Path and query of a request; every variable part is percent-encoded.
final class Target {
    private final StringBuilder text = new StringBuilder();
    private char before = '?';

    /// Even elements are fixed, odd ones are encoded: `of("/v1/sandboxes/", id, "/files")`.
    static Target of(String... parts) {
        var target = new Target();
        for (int i = 0; i < parts.length; i++) {
            target.text.append(i % 2 == 0 ? parts[i] : encode(parts[i]));
        }
        return target;
    }

    /// Nothing is added for a null.
    Target with(String name, @Nullable Object value) {
        if (value != null) {
            text.append(before).append(name).append('=').append(encode(value.toString()));
            before = '&';
        }
        return this;
    }

    private static String encode(String raw) {
        return URLEncoder.encode(raw, StandardCharsets.UTF_8).replace("+", "%20");
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
