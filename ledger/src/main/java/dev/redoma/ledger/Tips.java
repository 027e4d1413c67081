// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger;

import dev.redoma.store.Store;
import org.jdbi.v3.core.Handle;

/// The last record of each chain, remembered from one append to the next: looking it up costs a third of an append. Called by units that write.
final class Tips {
    private final Remembered<String, Tip> known;

    Tips(Store store) {
        known = new Remembered<>(store);
    }

    Tip of(Handle tx, String tenant) {
        var tip = known.of(tenant);
        return tip != null ? tip : Tip.of(tx, tenant);
    }

    /// It was written in this unit.
    void now(String tenant, Tip tip) {
        known.now(tenant, tip);
    }
}
