// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import dev.redoma.ledger.Ledger;
import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.wire.AuditRecord;
import dev.redoma.model.wire.CreateKey;
import dev.redoma.model.wire.Key;
import dev.redoma.model.wire.NewKey;
import dev.redoma.protocols.e2b.Office;
import dev.redoma.server.keys.Keys;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Keys and the ledger as E2B's control plane asks for them. Thread-safe.
record E2bOffice(Keys keys, Ledger ledger) implements Office {

    @Override
    public List<Key> keys(Caller caller) {
        return keys.list().stream().filter(k -> k.tenant().equals(caller.tenant().value()) && k.revokedAt() == null).toList();
    }

    @Override
    public NewKey makeKey(Caller caller, String name) {
        return keys.create(caller, new CreateKey(name, null, caller.scopes().stream().map(s -> s.name().toLowerCase(Locale.ROOT)).sorted().toList(), keys.person(caller.key()).orElse(null)));
    }

    @Override
    public void revokeKey(Caller caller, String id) {
        if (keys(caller).stream().noneMatch(k -> k.id().equals(id))) {
            throw Problem.of(Code.KEY_NOT_FOUND, "There is no such key.", "List them: GET /api-keys.").raise();
        }
        keys.revoke(caller, id);
    }

    @Override
    public List<AuditRecord> happened(Caller caller, @Nullable String sandbox) {
        return ledger.newest(caller.tenant().value(), sandbox, "sandbox", MOST);
    }
}
