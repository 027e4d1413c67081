// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/// A name and password for the registry of one image, as whoever orders a build has them; kept in memory until the build ends, and nowhere else.
public record RegistryLogin(String username, String password) {
    /// The header of a request that carries one, as `Basic`.
    public static final String HEADER = "X-Registry-Authorization";

    private static final String BASIC = "Basic ";

    public RegistryLogin {
        if (username.isEmpty() || username.indexOf(':') >= 0 || username.length() > 255 || username.chars().anyMatch(Character::isISOControl)) {
            throw Problem.field("username", "cannot be one of a registry", "1 to 255 characters without ':'");
        }
    }

    public String header() {
        return BASIC + Base64.getEncoder().encodeToString((username + ':' + password).getBytes(StandardCharsets.UTF_8));
    }

    /// Null where there is no header.
    public static @Nullable RegistryLogin parse(@Nullable String header) {
        if (header == null) {
            return null;
        }
        try {
            if (!header.regionMatches(true, 0, BASIC, 0, BASIC.length())) {
                throw new IllegalArgumentException("another scheme");
            }
            var pair = new String(Base64.getDecoder().decode(header.substring(BASIC.length()).strip()), StandardCharsets.UTF_8);
            int colon = pair.indexOf(':');
            if (colon < 0) {
                throw new IllegalArgumentException("no colon");
            }
            return new RegistryLogin(pair.substring(0, colon), pair.substring(colon + 1));
        } catch (IllegalArgumentException odd) {
            throw Problem.field(HEADER, "is not of that form", "Basic, and NAME:PASSWORD in Base64");
        }
    }

    @Override
    public String toString() {
        return username + ":…";
    }
}
