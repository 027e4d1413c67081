// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.api;

import static dev.redoma.server.api.Operation.delete;
import static dev.redoma.server.api.Operation.get;
import static dev.redoma.server.api.Operation.post;

import dev.redoma.model.Scope;
import dev.redoma.model.wire.CreateKey;
import dev.redoma.model.wire.Key;
import dev.redoma.model.wire.NewKey;
import dev.redoma.server.keys.Keys;
import java.util.List;

/// API keys, by operators.
final class KeyRoutes {
    private final Keys keys;

    KeyRoutes(Keys keys) {
        this.keys = keys;
    }

    List<Operation> operations() {
        return List.of(
                get("/v1/keys", "listKeys", "All keys, without their values").needs(Scope.OPERATE).answersItems(Key.class)
                        .by(c -> c.json(new Items<>(keys.list()))),
                post("/v1/keys", "createKey", "A new key; its value is shown this once").needs(Scope.OPERATE).takes(CreateKey.class).answers(201, NewKey.class)
                        .by(c -> c.http().set("Cache-Control", "no-store").json(201, keys.create(c.caller(), c.http().json(CreateKey.class)))),
                post("/v1/keys/{key}/rotate", "rotateKey", "A new value for a key, shown this once; the old one ends at once, open streams included. Any key may do it to itself").answers(200, NewKey.class)
                        .by(c -> c.http().set("Cache-Control", "no-store").json(200, keys.rotate(c.caller(), c.parameter("key")))),
                delete("/v1/keys/{key}", "revokeKey", "Revokes a key, open streams included").needs(Scope.OPERATE).answersNothing().by(c -> {
                    keys.revoke(c.caller(), c.parameter("key"));
                    c.http().nothing();
                }));
    }
}
