// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Caller;
import dev.redoma.model.wire.TemplateUse;
import dev.redoma.store.Sql;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/// Who stands on template versions: sandboxes that have not ended and snapshots (deleted ones that something still stands on, too).
/// Stateless; a call runs in its caller's transaction.
final class TemplateUses {
    private static final int SHOWN = 20;
    private static final TemplateUse NONE = new TemplateUse(0, 0, List.of(), List.of());

    private TemplateUses() {}

    private record User(String digest, String id, String tenant) {}

    static TemplateUse of(Handle tx, String digest) {
        return use(sandboxes(tx, digest), snapshots(tx, digest));
    }

    /// By digest, of all versions; another tenant's are nobody's business.
    static Map<String, TemplateUse> all(Handle tx, Caller caller) {
        var sandboxes = byDigest(sandboxes(tx, null), caller);
        var snapshots = byDigest(snapshots(tx, null), caller);
        var uses = new HashMap<String, TemplateUse>();
        sandboxes.forEach((digest, users) -> uses.put(digest, use(users, snapshots.getOrDefault(digest, List.of()))));
        snapshots.forEach((digest, users) -> uses.putIfAbsent(digest, use(List.of(), users)));
        return uses;
    }

    static TemplateUse of(Map<String, TemplateUse> all, String digest) {
        return Objects.requireNonNullElse(all.get(digest), NONE);
    }

    private static Map<String, List<User>> byDigest(List<User> users, Caller caller) {
        var sorted = new HashMap<String, List<User>>();
        users.stream().filter(u -> caller.operator() || u.tenant().equals(caller.tenant().value()))
                .forEach(u -> sorted.computeIfAbsent(u.digest(), d -> new ArrayList<>()).add(u));
        return sorted;
    }

    private static List<User> sandboxes(Handle tx, @Nullable String digest) {
        return users(tx, "SELECT template_digest, id, tenant FROM sandbox WHERE state <> 'ended'" + (digest == null ? "" : " AND template_digest = ?"), digest);
    }

    private static List<User> snapshots(Handle tx, @Nullable String digest) {
        return users(tx, "SELECT template_digest, id, tenant FROM snapshot" + (digest == null ? "" : " WHERE template_digest = ?"), digest);
    }

    private static List<User> users(Handle tx, String sql, @Nullable String digest) {
        Sql.Mapper<User> user = rs -> new User(rs.getString(1), rs.getString(2), rs.getString(3));
        return digest == null ? Sql.list(tx, user, sql + " ORDER BY created_at, id") : Sql.list(tx, user, sql + " ORDER BY created_at, id", digest);
    }

    private static TemplateUse use(List<User> sandboxes, List<User> snapshots) {
        return new TemplateUse(sandboxes.size(), snapshots.size(), first(sandboxes), first(snapshots));
    }

    private static List<String> first(List<User> users) {
        return users.stream().limit(SHOWN).map(User::id).toList();
    }
}
