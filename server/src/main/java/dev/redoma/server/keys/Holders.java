// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.keys;

import dev.redoma.engine.Approvals;
import dev.redoma.model.Caller;
import dev.redoma.model.Role;
import dev.redoma.model.Scope;
import dev.redoma.model.TenantId;
import dev.redoma.model.wire.Key;
import dev.redoma.model.wire.User;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// Keys and people in memory, those that hold and those that held: a check costs one hash, and what was taken away counts at once. Looking is thread-safe; changes are made one at a time (`Keys.changing`).
final class Holders {
    private final Map<String, User> users = new ConcurrentHashMap<>();
    private final Map<String, Live> all = new ConcurrentHashMap<>();
    private final Map<String, Live> byHash = new ConcurrentHashMap<>();

    record Live(Key key, byte[] hash, Caller caller) {

        @Override
        public boolean equals(@Nullable Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    /// In place of what was known of it; whoever came by what it was before is there no more.
    void put(KeyRows.Row row) {
        var key = row.key();
        var live = new Live(key, row.hash(), new Caller(key.id(), new TenantId(key.tenant()), scopes(key)));
        drop(all.put(key.id(), live));
        if (key.revokedAt() == null) {
            byHash.put(name(row.hash()), live);
        }
    }

    private void drop(@Nullable Live before) {
        if (before != null) {
            byHash.remove(name(before.hash()), before);
        }
    }

    /// What it was made with, as far as its person's role goes.
    private Set<Scope> scopes(Key key) {
        var scopes = new TreeSet<>(KeyRows.scopes(key));
        if (key.user() != null) {
            var user = users.get(key.user());
            scopes.retainAll(user == null || user.disabledAt() != null ? Set.of() : Role.of(user.role()).map(Role::scopes).orElse(Set.of()));
        }
        return scopes;
    }

    /// With all keys of that person, which are then as the new role says.
    void put(User user) {
        users.put(user.id(), user);
        of(user.id()).forEach(live -> put(new KeyRows.Row(live.key(), live.hash())));
    }

    private List<Live> of(String user) {
        return all.values().stream().filter(l -> user.equals(l.key().user())).toList();
    }

    @Nullable Live find(byte[] hash) {
        var live = byHash.get(name(hash));
        return live != null && Arrays.equals(live.hash(), hash) ? live : null;
    }

    @Nullable Key key(String id) {
        var live = all.get(id);
        return live == null ? null : live.key();
    }

    /// Whoever holds that id now.
    Optional<Approvals.Persons.Holder> holder(String id) {
        var live = all.get(id);
        if (live != null && live.key().revokedAt() == null && !live.caller().scopes().isEmpty()) {
            return Optional.of(new Approvals.Persons.Holder(live.caller().tenant(), live.caller().scopes()));
        }
        return Optional.ofNullable(users.get(id)).filter(u -> u.disabledAt() == null).map(u -> new Approvals.Persons.Holder(new TenantId(u.tenant()), Role.of(u.role()).map(Role::scopes).orElse(Set.of())));
    }

    @Nullable User user(String id) {
        return users.get(id);
    }

    /// Whether that key stands as it did when this caller came.
    boolean holds(Caller caller) {
        var live = all.get(caller.key());
        return live != null && live.key().revokedAt() == null && live.caller() == caller;
    }

    private static String name(byte[] hash) {
        return HexFormat.of().formatHex(hash);
    }
}
