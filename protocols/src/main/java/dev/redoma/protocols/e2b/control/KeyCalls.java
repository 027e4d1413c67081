// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.control;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.redoma.http.Route;
import dev.redoma.model.Scope;
import dev.redoma.protocols.e2b.Office;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The team that a key belongs to (a tenant), and the team's keys.
final class KeyCalls {
    private static final String PREFIX = "e2b_";
    private static final int VALUE = 40;

    private final Endpoints on;
    private final Office office;

    KeyCalls(Endpoints on, Office office) {
        this.on = on;
        this.office = office;
    }

    public record Team(String teamID, String name, @Nullable String apiKey, boolean isDefault) {}

    public record NewName(@Nullable String name) {}

    /// Nothing of a key's value is kept that could be shown in a mask.
    public record Mask(String prefix, int valueLength, String maskedValuePrefix, String maskedValueSuffix) {}

    public record ApiKey(
            String id,
            @Nullable String key,
            Mask mask,
            String name,
            Instant createdAt,
            @JsonInclude(JsonInclude.Include.ALWAYS) @Nullable String createdBy,
            @JsonInclude(JsonInclude.Include.ALWAYS) @Nullable Instant lastUsed) {}

    List<Route> routes() {
        return List.of(
                on.get("/teams", null, this::teams),
                on.get("/api-keys", Scope.OPERATE, c -> c.http().json(200, office.keys(c.caller()).stream().map(k -> shown(k, null)).toList())),
                on.post("/api-keys", Scope.OPERATE, this::make),
                on.patch("/api-keys/{key}", Scope.OPERATE, c -> {
                    throw Egress.notOffered("name", "a key keeps the name that it was made with.", "Make another key, and delete this one.");
                }),
                on.delete("/api-keys/{key}", Scope.OPERATE, c -> {
                    office.revokeKey(c.caller(), c.parameter("key"));
                    c.http().nothing();
                }));
    }

    /// The key is the one that asks.
    private void teams(Asked c) throws IOException {
        var tenant = c.caller().tenant().value();
        var bearer = c.http().header("Authorization");
        var key = bearer != null && bearer.startsWith("Bearer ") ? bearer.substring(7).strip() : c.http().header("X-API-Key");
        c.http().set("Cache-Control", "no-store").json(200, List.of(new Team(tenant, tenant, key, true)));
    }

    private void make(Asked c) throws IOException {
        var name = Requests.body(c.http(), NewName.class).name();
        var made = office.makeKey(c.caller(), name == null ? "" : name);
        c.http().set("Cache-Control", "no-store").json(201, shown(made.key(), made.value()));
    }

    private static ApiKey shown(dev.redoma.model.wire.Key key, @Nullable String value) {
        return new ApiKey(key.id(), value, new Mask(PREFIX, VALUE, "", ""), key.name(), key.createdAt(), null, null);
    }
}
