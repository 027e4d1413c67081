// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.ledger.Entry;
import dev.redoma.ledger.Ledger;
import dev.redoma.model.Caller;
import dev.redoma.model.RedomaException;
import dev.redoma.store.Store;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The ledger's records of what the API changes in files. A record is durable before its effect can begin: what cannot be recorded is
/// not done. What then was not done after all is told by a second one, `….failed`.
final class FileLog {
    private static final String CATEGORY = "file";
    private static final List<String> GUESTS = List.of("code");

    private final Store store;
    private final Ledger ledger;

    FileLog(Store store, Ledger ledger) {
        this.store = store;
        this.ledger = ledger;
    }

    /// What the API changes, by whom and where.
    record Act(Caller caller, Live live, String action, String path, @Nullable String other) {
        private Map<String, Object> sealed() {
            return other == null ? Map.of("path", path) : Map.of("path", path, "to", other);
        }
    }

    /// Recorded as asked for; its effect may begin.
    void begin(Act act) {
        append(act, act.action(), Map.of(), act.sealed(), List.of());
    }

    /// With the bytes that are to take effect.
    void begin(Act act, FileStreams.Sent sent) {
        append(act, act.action(), Map.of("bytes", sent.size()), Map.of("path", act.path(), "sha256", sent.sha256()), List.of());
    }

    /// All of an archive is in place.
    void done(Act act, FileStreams.Sent sent) {
        append(act, act.action() + ".done", Map.of("bytes", sent.size()), Map.of("path", act.path(), "sha256", sent.sha256()), List.of());
    }

    /// Runs what was recorded as begun; a refusal is recorded too, and thrown.
    <T> T confirmed(Act act, Supplier<T> effect) {
        try {
            return effect.get();
        } catch (RedomaException refused) {
            failed(act, refused.code().wire(), refused);
            throw refused;
        }
    }

    /// Some of an archive may be in place.
    void failed(Act act, String code, Exception why) {
        try {
            append(act, act.action() + ".failed", Map.of("code", code), act.sealed(), GUESTS);
        } catch (RedomaException unrecorded) {
            why.addSuppressed(unrecorded);
        }
    }

    private void append(Act act, String action, Map<String, Object> open, Map<String, Object> sealed, List<String> fromGuest) {
        var live = act.live();
        var facts = new HashMap<>(open);
        facts.put("digest", live.version());
        var entry = new Entry(live.tenant().value(), act.caller().key(), live.id().value(), null, CATEGORY, action, facts, sealed, fromGuest);
        store.write(tx -> ledger.append(tx, entry));
    }
}
