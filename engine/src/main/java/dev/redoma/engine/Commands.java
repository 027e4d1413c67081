// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.ledger.Ledger;
import dev.redoma.store.Store;
import java.nio.file.Path;

/// The command and file side of the engine, and what the lifecycle tells it.
record Commands(Execs execs, Files files, ExecLifecycle lifecycle) {

    static Commands open(LiveBoxes boxes, Store store, Ledger ledger, Path dataDir) {
        throw new IllegalStateException("wired when the command side is there: " + boxes + store + ledger + dataDir);
    }
}
