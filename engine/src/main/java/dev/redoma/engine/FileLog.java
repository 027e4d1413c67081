// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.ledger.Entry;
import dev.redoma.ledger.Ledger;
import dev.redoma.model.Caller;
import dev.redoma.model.RedomaException;
import dev.redoma.store.Store;
import java.util.HashMap;
import java.util.List;
import java.util.function.Supplier;

/// The ledger's records of what the API changes in files, and of content that it hands out. A record is durable before its effect can begin: what cannot be recorded is
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
    record Act(Caller caller, Live live, FileAct what) {}

    /// Recorded as asked for; its effect may begin, or its content go out.
    void begin(Act act) {
        append(act, act.what(), "", List.of());
    }

    /// With the bytes that are to take effect.
    void begin(Act act, FileStreams.Sent sent) {
        append(act, act.what().sent(sent.size(), sent.sha256()), "", List.of());
    }

    /// All of an archive is in place.
    void done(Act act, FileStreams.Sent sent) {
        append(act, act.what().sent(sent.size(), sent.sha256()), ".done", List.of());
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
            append(act, act.what().failed(code), ".failed", GUESTS);
        } catch (RedomaException unrecorded) {
            why.addSuppressed(unrecorded);
        }
    }

    private void append(Act act, FileAct what, String more, List<String> fromGuest) {
        var live = act.live();
        var facts = new HashMap<>(what.open());
        facts.put("digest", live.version());
        var entry = new Entry(live.tenant().value(), act.caller().key(), live.id().value(), null, CATEGORY, what.action() + more, facts, what.sealed(), fromGuest);
        store.write(tx -> ledger.append(tx, entry));
    }
}
