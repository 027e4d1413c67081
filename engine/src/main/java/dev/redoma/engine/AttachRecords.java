// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.ledger.Entry;
import dev.redoma.ledger.Ledger;
import dev.redoma.model.wire.AttachGrant;
import dev.redoma.model.wire.Attachment;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/// Category `attach`: granted, revoked, attached, typing (before the first byte goes in), write-refused, refused, detached. All of it is what the host saw.
final class AttachRecords {
    private final Ledger ledger;

    AttachRecords(Ledger ledger) {
        this.ledger = ledger;
    }

    void granted(Handle tx, String tenant, AttachGrant g) {
        append(tx, tenant, g.createdBy(), g.sandbox(), g.exec(), "granted", facts(g), Map.of());
    }

    void revoked(Handle tx, String tenant, String actor, AttachGrant g) {
        append(tx, tenant, actor, g.sandbox(), g.exec(), "revoked", facts(g), Map.of());
    }

    private static Map<String, Object> facts(AttachGrant g) {
        var open = new LinkedHashMap<String, Object>(Map.of("grant", g.id(), "mode", g.mode(), "expiresAt", g.expiresAt().toString()));
        put(open, "toPerson", g.person());
        put(open, "toKey", g.key());
        return open;
    }

    void refused(Handle tx, String tenant, String actor, String sandbox, String exec, String mode, String code) {
        append(tx, tenant, actor, sandbox, exec, "refused", Map.of("mode", mode, "code", code), Map.of());
    }

    void attached(Handle tx, String tenant, Attachment a) {
        append(tx, tenant, a.key(), a.sandbox(), a.exec(), "attached", facts(a), Map.of());
    }

    void typing(Handle tx, String tenant, Attachment a) {
        append(tx, tenant, a.key(), a.sandbox(), a.exec(), "typing", facts(a), Map.of());
    }

    void writeRefused(Handle tx, String tenant, Attachment a) {
        append(tx, tenant, a.key(), a.sandbox(), a.exec(), "write-refused", facts(a), Map.of());
    }

    /// `seen` null: the server that knew how much it was died.
    void detached(Handle tx, String tenant, Attachment a, String why, @Nullable Seen seen) {
        var open = facts(a);
        open.put("why", why);
        open.put("counted", seen != null);
        var sealed = new LinkedHashMap<String, Object>();
        if (seen != null) {
            open.put("inputBytes", seen.inputBytes());
            open.put("outputBytes", seen.outputBytes());
            open.put("refusedWrites", seen.refusedWrites());
            put(sealed, "inputSha256", seen.inputSha256());
        }
        append(tx, tenant, a.key(), a.sandbox(), a.exec(), "detached", open, sealed);
    }

    /// What went either way. `inputSha256` null: nothing was typed.
    record Seen(long inputBytes, @Nullable String inputSha256, long outputBytes, long refusedWrites) {}

    private static Map<String, Object> facts(Attachment a) {
        var open = new LinkedHashMap<String, Object>(Map.of("attachment", a.id(), "mode", a.mode(), "by", a.grant() == null ? "use" : "grant"));
        put(open, "grant", a.grant());
        return open;
    }

    private static void put(Map<String, Object> to, String name, @Nullable Object value) {
        if (value != null) {
            to.put(name, value);
        }
    }

    private void append(Handle tx, String tenant, String actor, String sandbox, @Nullable String exec, String action, Map<String, Object> open, Map<String, Object> sealed) {
        ledger.append(tx, new Entry(tenant, actor, sandbox, exec, "attach", action, open, sealed, List.of()));
    }
}
