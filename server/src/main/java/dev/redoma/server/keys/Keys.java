// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.keys;

import dev.redoma.engine.Approvals;
import dev.redoma.ledger.Entry;
import dev.redoma.ledger.Ledger;
import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.KeyId;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.model.Role;
import dev.redoma.model.Scope;
import dev.redoma.model.TenantId;
import dev.redoma.model.wire.CreateKey;
import dev.redoma.model.wire.Key;
import dev.redoma.model.wire.NewKey;
import dev.redoma.model.wire.User;
import dev.redoma.store.Store;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The keys of this installation, programs' and people's. All live ones are in memory, so that a check costs one hash and a revocation counts at once.
/// Thread-safe.
public final class Keys implements Approvals.Persons {
    private final Store store;
    private final Ledger ledger;
    private final Clock clock;
    private final Holders holders = new Holders();
    private final Users users;
    /// What the database has and what memory has never differ for whoever holds it.
    private final ReentrantLock changes = new ReentrantLock();

    public Keys(Store store, Ledger ledger, Clock clock) {
        this.store = store;
        this.ledger = ledger;
        this.clock = clock;
        this.users = new Users(store, ledger, clock, holders, this);
        store.read(UserRows::all).forEach(holders::put);
        store.read(KeyRows::all).forEach(holders::put);
    }

    /// A change of keys or people, one at a time.
    <T> T changing(Supplier<T> change) {
        changes.lock();
        try {
            return change.get();
        } finally {
            changes.unlock();
        }
    }

    public Users users() {
        return users;
    }

    /// The caller of a key; UNAUTHENTICATED for anything else, whatever is wrong with it.
    public Caller authenticate(@Nullable String value) {
        if (value == null || !KeyValue.looksLike(value)) {
            throw refused(value == null ? "No key was sent." : "This is not a key.");
        }
        return find(value).orElseThrow(() -> refused("This key is not known, or was revoked."));
    }

    /// The same where it may as well be something else.
    public Optional<Caller> find(String value) {
        return KeyValue.looksLike(value) ? Optional.ofNullable(holders.find(new KeyValue(value).hash())).map(Holders.Live::caller) : Optional.empty();
    }

    private static RedomaException refused(String why) {
        return Problem.of(Code.UNAUTHENTICATED, why, "Send 'Authorization: Bearer KEY' or 'X-API-Key: KEY' with a key of this installation.").raise();
    }

    /// True while the key of this caller is what it was when `authenticate` gave the caller: not revoked, not rotated, its person's role not changed.
    public boolean alive(Caller caller) {
        return holders.holds(caller);
    }

    /// Whose a key is or was: ids, never reused; empty for a program's and for what is no key.
    @Override
    public Optional<String> person(String key) {
        return Optional.ofNullable(holders.key(key)).map(Key::user);
    }

    @Override
    public Optional<String> issuer(String key) {
        return Optional.ofNullable(holders.key(key)).map(Key::issuedBy);
    }

    @Override
    public boolean decides(String person) {
        var user = holders.user(person);
        return user != null && user.disabledAt() == null && KeyRules.role(user.role()).scopes().contains(Scope.APPROVE);
    }

    @Override
    public Optional<Holder> holder(String id) {
        return holders.holder(id);
    }

    public List<Key> list() {
        return store.read(KeyRows::all).stream().map(KeyRows.Row::key).toList();
    }

    public NewKey create(Caller by, CreateKey request) {
        return changing(() -> made(by, request));
    }

    private NewKey made(Caller by, CreateKey request) {
        var scopes = KeyRules.scopes(request.scopes());
        var name = KeyRules.name("key", request.name());
        var user = request.user() == null ? null : KeyRules.present(holders.user(request.user()), request.user());
        mayMake(by, scopes, user);
        var tenant = request.tenant() != null ? request.tenant() : user != null ? user.tenant() : by.tenant().value();
        if (user != null) {
            KeyRules.within(KeyRules.role(user.role()), scopes);
            if (!user.tenant().equals(tenant)) {
                throw Problem.field("tenant", "is not that of the person", "'" + user.tenant() + "', or nothing");
            }
        }
        return create(by.key(), name, new TenantId(tenant), scopes, request.user());
    }

    /// Operators who are not admins make keys of their own, and narrow ones for programs: none by which somebody else would be spoken for.
    private void mayMake(Caller by, List<String> scopes, @Nullable User user) {
        if (admin(by)) {
            return;
        }
        boolean own = user != null && person(by.key()).filter(user.id()::equals).isPresent();
        if (!own && (user != null || scopes.contains("operate") || scopes.contains("approve"))) {
            throw onlyAdmins("make keys of other people, or of programs that operate or approve");
        }
    }

    /// Whoever looks after people: the installation's own operator keys, and people of that role who hold one.
    boolean admin(Caller caller) {
        var person = person(caller.key());
        return caller.operator() && (person.isEmpty() || person.map(holders::user).filter(u -> u.role().equals(Role.ADMIN.wire())).isPresent());
    }

    void needAdmin(Caller caller, String to) {
        if (!admin(caller)) {
            throw onlyAdmins(to);
        }
    }

    private static RedomaException onlyAdmins(String to) {
        return Problem.of(Code.FORBIDDEN, "Only admins may " + to + ".", "Ask an admin (redoma users list).").with("role", "admin").raise();
    }

    /// The key of the operator who started the server.
    public NewKey createOperator(String name) {
        return changing(() -> create("server", KeyRules.name("key", name), TenantId.DEFAULT, List.of("operate"), null));
    }

    private NewKey create(String actor, String name, TenantId tenant, List<String> scopes, @Nullable String user) {
        var value = KeyValue.mint();
        var key = new Key(KeyId.mint().value(), name, tenant.value(), scopes, now(), null, user, actor, null);
        var row = new KeyRows.Row(key, value.hash());
        store.write(tx -> {
            KeyRows.insert(tx, row);
            return ledger.append(tx, entry(actor, key, "key-created"));
        });
        holders.put(row);
        return new NewKey(key, value.secret());
    }

    private Instant now() {
        return clock.instant().truncatedTo(ChronoUnit.MICROS);
    }

    /// Another value for a key: its id, and with it what it made, stays. The old value ends at once, with all that is open by it. Anybody may do that to the key that asks, and to others of the same person.
    public NewKey rotate(Caller by, String id) {
        return changing(() -> rotated(by, id));
    }

    private NewKey rotated(Caller by, String id) {
        var key = known(id);
        boolean own = by.key().equals(id) || person(by.key()).filter(p -> p.equals(key.user())).isPresent();
        if (!own && !admin(by)) {
            throw by.operator() ? onlyAdmins("rotate keys of others") : notFound(id);
        }
        var value = KeyValue.mint();
        var at = now();
        var issuer = by.key().equals(id) ? key.issuedBy() : by.key(); // whoever made the value could use it
        boolean done = store.write(tx -> {
            boolean alive = KeyRows.rotate(tx, id, value.hash(), issuer, at);
            if (alive) {
                ledger.append(tx, entry(by.key(), key, "key-rotated"));
            }
            return alive;
        });
        if (!done) {
            throw notFound(id);
        }
        var now = new Key(id, key.name(), key.tenant(), key.scopes(), key.createdAt(), null, key.user(), issuer, at);
        holders.put(new KeyRows.Row(now, value.hash()));
        return new NewKey(now, value.secret());
    }

    public void revoke(Caller by, String id) {
        var key = known(id);
        if (key.user() != null && !person(by.key()).filter(key.user()::equals).isPresent()) {
            needAdmin(by, "revoke keys of other people");
        }
        if (key.user() == null && !by.key().equals(id) && (key.scopes().contains("operate") || key.scopes().contains("approve"))) {
            needAdmin(by, "revoke keys of programs that operate or approve, the installation's own among them");
        }
        changing(() -> {
            store.write(tx -> KeyRows.revoke(tx, id, now()) ? ledger.append(tx, entry(by.key(), key, "key-revoked")) : 0L);
            reload(List.of(id));
            return true;
        });
    }

    /// From what the database has now.
    void reload(List<String> ids) {
        store.read(KeyRows::all).stream().filter(row -> ids.contains(row.key().id())).forEach(holders::put);
    }

    private Key known(String id) {
        return Optional.ofNullable(holders.key(id)).orElseThrow(() -> notFound(id));
    }

    private static RedomaException notFound(String id) {
        return Problem.of(Code.KEY_NOT_FOUND, "There is no key " + (KeyId.looksLike(id) ? id : "of that id") + ".", "List them: GET /v1/keys.").raise();
    }

    static Entry entry(String actor, Key key, String action) {
        var open = new LinkedHashMap<String, Object>(Map.of("key", key.id(), "scopes", key.scopes()));
        if (key.user() != null) {
            open.put("user", key.user());
        }
        return new Entry(key.tenant(), actor, null, null, "admin", action, open, Map.of("name", key.name()), List.of());
    }
}
