// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client;

import dev.redoma.model.wire.Cache;
import dev.redoma.model.wire.Page;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Caches of package tools. Thread-safe.
public final class Caches {
    private final Api api;

    Caches(Api api) {
        this.api = api;
    }

    public List<Cache> list() {
        Page<Cache> page = api.getList(Target.of("/v1/caches"), Page.class, Cache.class);
        return page.items();
    }

    /// Makes the copy that a sandbox has what later sandboxes of its tenant and template get copies of; operators only.
    public Cache promote(String sandbox, String name) {
        return api.post(Target.of("/v1/sandboxes/", sandbox, "/caches/", name, "/promote"), null, Cache.class);
    }

    /// A null is any. Returns how many.
    public int clear(@Nullable String template, @Nullable String name) {
        return api.delete(Target.of("/v1/caches").with("template", template).with("name", name), Cleared.class).cleared();
    }

    private record Cleared(int cleared) {}
}
