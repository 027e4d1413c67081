// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.keys;

import dev.redoma.ledger.Entry;
import dev.redoma.ledger.Ledger;
import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.KeyId;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.model.Scope;
import dev.redoma.model.TenantId;
import dev.redoma.model.wire.CreateKey;
import dev.redoma.model.wire.Key;
import dev.redoma.model.wire.NewKey;
import dev.redoma.store.Store;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// The keys of this installation. All live ones are in memory, so that a check costs one hash and a revocation counts at once.
/// Thread-safe.
public final class Keys {
    private final Store store;
    private final Ledger ledger;
    private final Clock clock;
    private final Map<String, Live> byHash = new ConcurrentHashMap<>();

    private final Set<String> alive = ConcurrentHashMap.newKeySet();

    private record Live(Key key, byte[] hash, Caller caller) {}

    public Keys(Store store, Ledger ledger, Clock clock) {
        this.store = store;
        this.ledger = ledger;
        this.clock = clock;
        store.read(KeyRows::all).stream().filter(row -> row.key().revokedAt() == null).forEach(this::remember);
    }

    private void remember(KeyRows.Row row) {
        var key = row.key();
        var caller = new Caller(key.id(), new TenantId(key.tenant()), KeyRows.scopes(key));
        alive.add(key.id());
        byHash.put(HexFormat.of().formatHex(row.hash()), new Live(key, row.hash(), caller));
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
        if (!KeyValue.looksLike(value)) {
            return Optional.empty();
        }
        var hash = new KeyValue(value).hash();
        var live = byHash.get(HexFormat.of().formatHex(hash));
        return live == null || !MessageDigest.isEqual(live.hash(), hash) ? Optional.empty() : Optional.of(live.caller());
    }

    private static RedomaException refused(String why) {
        return Problem.of(Code.UNAUTHENTICATED, why, "Send 'Authorization: Bearer KEY' or 'X-API-Key: KEY' with a key of this installation.").raise();
    }

    /// True while the key of this caller is not revoked.
    public boolean alive(Caller caller) {
        return alive.contains(caller.key());
    }

    public List<Key> list() {
        return store.read(KeyRows::all).stream().map(KeyRows.Row::key).toList();
    }

    public NewKey create(Caller by, CreateKey request) {
        return create(by.key(), name(request.name()), new TenantId(request.tenant() == null ? by.tenant().value() : request.tenant()),
                scopes(request.scopes()));
    }

    /// The key of the operator who started the server.
    public NewKey createOperator(String name) {
        return create("server", name, TenantId.DEFAULT, List.of("operate"));
    }

    private NewKey create(String actor, String name, TenantId tenant, List<String> scopes) {
        var value = KeyValue.mint();
        var key = new Key(KeyId.mint().value(), name, tenant.value(), scopes, clock.instant().truncatedTo(ChronoUnit.MICROS), null);
        var row = new KeyRows.Row(key, value.hash());
        store.write(tx -> {
            KeyRows.insert(tx, row);
            return ledger.append(tx, entry(actor, key, "key-created"));
        });
        remember(row);
        return new NewKey(key, value.secret());
    }

    public void revoke(Caller by, String id) {
        var key = list().stream().filter(k -> k.id().equals(id)).findFirst().orElseThrow(() -> notFound(id));
        store.write(tx -> KeyRows.revoke(tx, id, clock.instant()) ? ledger.append(tx, entry(by.key(), key, "key-revoked")) : 0L);
        alive.remove(id);
        byHash.values().removeIf(live -> live.key().id().equals(id));
    }

    private static RedomaException notFound(String id) {
        return Problem.of(Code.KEY_NOT_FOUND, "There is no key " + (KeyId.looksLike(id) ? id : "of that id") + ".", "List them: GET /v1/keys.").raise();
    }

    private static Entry entry(String actor, Key key, String action) {
        return new Entry(key.tenant(), actor, null, null, "admin", action, Map.of("key", key.id(), "scopes", key.scopes()), Map.of("name", key.name()), List.of());
    }

    private static String name(String name) {
        if (name.isBlank() || name.length() > 64 || name.chars().anyMatch(c -> c < 0x20 || c == 0x7f)) {
            throw Problem.field("name", "cannot be a key's name", "1 to 64 printable characters");
        }
        return name;
    }

    /// `approve` is never held together with what could act on the approval.
    private static List<String> scopes(List<String> words) {
        for (var word : words) {
            if (KeyRows.scope(word) == null) {
                throw Problem.field("scopes", "'" + word + "' is no scope", "some of read, create, exec, approve, operate");
            }
        }
        if (words.isEmpty()) {
            throw Problem.field("scopes", "is empty", "some of read, create, exec, approve, operate");
        }
        if (words.contains("approve") && words.stream().anyMatch(w -> acts(KeyRows.scope(w)))) {
            throw Problem.field("scopes", "'approve' cannot be together with create, exec or operate", "approve alone or with read");
        }
        return words.stream().map(w -> w.toLowerCase(Locale.ROOT)).distinct().toList();
    }

    private static boolean acts(@Nullable Scope scope) {
        return scope == Scope.CREATE || scope == Scope.EXEC || scope == Scope.OPERATE;
    }
}
