// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.ledger.Entry;
import dev.redoma.ledger.Ledger;
import dev.redoma.model.Caller;
import dev.redoma.store.Store;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The ledger's records of what the API changed in files: after the guest confirmed it, durable before the caller hears of it.
final class FileLog {
    private static final String CATEGORY = "file";

    private final Store store;
    private final Ledger ledger;

    FileLog(Store store, Ledger ledger) {
        this.store = store;
        this.ledger = ledger;
    }

    void write(Caller caller, Live live, String action, String path, FileStreams.Sent sent) {
        append(caller, live, action, Map.of("bytes", sent.size()), Map.of("path", path, "sha256", sent.sha256()));
    }

    void change(Caller caller, Live live, String action, String path, @Nullable String other) {
        append(caller, live, action, Map.of(), other == null ? Map.of("path", path) : Map.of("path", path, "to", other));
    }

    private void append(Caller caller, Live live, String action, Map<String, Object> open, Map<String, Object> sealed) {
        var entry = new Entry(live.tenant().value(), caller.key(), live.id().value(), null, CATEGORY, action, open, sealed, List.of());
        store.write(tx -> ledger.append(tx, entry));
    }
}
