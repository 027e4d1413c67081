// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.keys;

import dev.redoma.ledger.Entry;
import dev.redoma.ledger.Ledger;
import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.TenantId;
import dev.redoma.model.UserId;
import dev.redoma.model.wire.CreateUser;
import dev.redoma.model.wire.Key;
import dev.redoma.model.wire.User;
import dev.redoma.store.Store;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;

/// The people of this installation. They come in by keys that are theirs; a role bounds all of them. Nobody is ever forgotten: records name them. Thread-safe.
public final class Users {
    private final Store store;
    private final Ledger ledger;
    private final Clock clock;
    private final Holders holders;
    private final Keys keys;

    Users(Store store, Ledger ledger, Clock clock, Holders holders, Keys keys) {
        this.store = store;
        this.ledger = ledger;
        this.clock = clock;
        this.holders = holders;
        this.keys = keys;
    }

    public List<User> list() {
        return store.read(UserRows::all);
    }

    public User create(Caller by, CreateUser request) {
        keys.needAdmin(by, "add people");
        return keys.changing(() -> made(by, request));
    }

    private User made(Caller by, CreateUser request) {
        var tenant = new TenantId(request.tenant() == null ? by.tenant().value() : request.tenant());
        var user = new User(UserId.mint().value(), KeyRules.name("person", request.name()), tenant.value(), KeyRules.role(request.role()).wire(), now(), null);
        store.write(tx -> {
            if (UserRows.named(tx, user.tenant(), user.name())) {
                throw Problem.of(Code.NAME_TAKEN, "Somebody of that name is there already.", "Choose another name.").with("field", "name").raise();
            }
            UserRows.insert(tx, user);
            return ledger.append(tx, entry(by, user, "user-created", Map.of()));
        });
        holders.put(user);
        return user;
    }

    private Instant now() {
        return clock.instant().truncatedTo(ChronoUnit.MICROS);
    }

    /// In force at once; what is open by this person's keys ends.
    public User role(Caller by, String id, String word) {
        keys.needAdmin(by, "change roles");
        var role = KeyRules.role(word).wire();
        return keys.changing(() -> changed(id, tx -> UserRows.role(tx, id, role), user -> entry(by, user, "user-role", Map.of("before", KeyRules.present(holders.user(id), id).role()))));
    }

    /// Revokes all keys of a person for good, with what is open by them.
    public User disable(Caller by, String id) {
        keys.needAdmin(by, "disable people");
        return keys.changing(() -> disabled(by, id));
    }

    private User disabled(Caller by, String id) {
        var at = now();
        var theirs = keys.list().stream().filter(k -> id.equals(k.user()) && k.revokedAt() == null).toList();
        var user = changed(id, tx -> {
            boolean done = UserRows.disable(tx, id, at);
            theirs.stream().filter(k -> done && KeyRows.revoke(tx, k.id(), at)).forEach(k -> ledger.append(tx, Keys.entry(by.key(), k, "key-revoked")));
            return done;
        }, after -> entry(by, after, "user-disabled", Map.of()));
        keys.reload(theirs.stream().map(Key::id).toList());
        return user;
    }

    private User changed(String id, Function<Handle, Boolean> change, Function<User, Entry> entry) {
        User after = store.write(tx -> {
            if (!change.apply(tx)) {
                throw KeyRules.notFound(id);
            }
            User now = UserRows.all(tx).stream().filter(u -> u.id().equals(id)).findFirst().orElseThrow();
            ledger.append(tx, entry.apply(now));
            return now;
        });
        holders.put(after);
        return after;
    }

    /// Of a key that belongs to somebody.
    public Optional<User> of(Caller caller) {
        return keys.person(caller.key()).map(holders::user);
    }

    private static Entry entry(Caller by, User user, String action, Map<String, Object> more) {
        var open = new java.util.LinkedHashMap<String, Object>(more);
        open.put("user", user.id());
        open.put("role", user.role());
        return new Entry(user.tenant(), by.key(), null, null, "admin", action, open, Map.of("name", user.name()), List.of());
    }
}
