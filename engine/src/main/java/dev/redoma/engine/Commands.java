// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.ledger.Ledger;
import dev.redoma.store.Store;
import java.nio.file.Path;
import java.time.Clock;

/// The side of commands, files and ports of the engine, and what the lifecycle tells it. Closed after the last verb and before the channels.
record Commands(Execs execs, FileService files, Ports ports, ExecLifecycle lifecycle, Runnable closing) {

    static Commands open(LiveBoxes boxes, Store store, Ledger ledger, Path dataDir, Path waiting, long outputBudget, ExecGate gate, Clock clock, Masking masking) {
        var execs = new ExecService(boxes, store, ledger, dataDir, outputBudget, gate, clock, masking);
        return new Commands(execs, new FileService(boxes, store, ledger, waiting), new PortService(boxes), execs, execs::close);
    }
}
