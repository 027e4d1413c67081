// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client;

import dev.redoma.model.wire.CreateKey;
import dev.redoma.model.wire.Key;
import dev.redoma.model.wire.NewKey;
import dev.redoma.model.wire.Page;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// API keys; operators only. Thread-safe.
public final class Keys {
    private final Api api;

    Keys(Api api) {
        this.api = api;
    }

    public List<Key> list() {
        Page<Key> page = api.getList(Target.of("/v1/keys"), Page.class, Key.class);
        return page.items();
    }

    /// The value is in the answer, and nowhere else ever after.
    public NewKey create(String name, @Nullable String tenant, List<String> scopes) {
        return api.post(Target.of("/v1/keys"), new CreateKey(name, tenant, scopes), NewKey.class);
    }

    /// Of a person.
    public NewKey create(String name, @Nullable String tenant, List<String> scopes, @Nullable String user) {
        return api.post(Target.of("/v1/keys"), new CreateKey(name, tenant, scopes, user), NewKey.class);
    }

    /// A new value for a key; the old one ends at once.
    public NewKey rotate(String id) {
        return api.post(Target.of("/v1/keys/", id, "/rotate"), null, NewKey.class);
    }

    public void revoke(String id) {
        api.send("DELETE", Target.of("/v1/keys/", id), null);
    }
}
