// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model.wire;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// A port of a sandbox that is let be reached. `state`: `open` or `expired`. `token` is told once, to whoever exposed it, where the audience is `token`. `url`: where browsers and clients reach it by a name of its
/// own; null where this server has no domain. `pathUrl`: where clients reach it without any name.
public record Exposure(String id, String sandbox, int port, String audience, String state, Instant createdAt, String createdBy, Instant expiresAt, @Nullable String token,
        @Nullable String url, @Nullable String pathUrl) {

    public Exposure with(@Nullable String newUrl, @Nullable String newPathUrl) {
        return new Exposure(id, sandbox, port, audience, state, createdAt, createdBy, expiresAt, token, newUrl, newPathUrl);
    }
}
