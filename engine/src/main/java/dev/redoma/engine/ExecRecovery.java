// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.ExecId;
import dev.redoma.model.SandboxId;
import dev.redoma.store.Store;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Predicate;

/// Execs that an earlier server left unfinished. Their guest knows what became of them: it has kept all that was not acknowledged.
final class ExecRecovery {
    private final Store store;
    private final Spools spools;
    private final ExecEnding ending;
    private final Consumer<ExecRun> takeOver;
    private final BiFunction<ExecFacts, Spool, MaskedOutput> output;

    ExecRecovery(Store store, Spools spools, ExecEnding ending, Consumer<ExecRun> takeOver, BiFunction<ExecFacts, Spool, MaskedOutput> output) {
        this.output = output;
        this.store = store;
        this.spools = spools;
        this.ending = ending;
        this.takeOver = takeOver;
    }

    /// Attaches to each; whom the guest does not know is lost.
    void recover(Live live) {
        for (var row : store.read(h -> ExecRows.unfinished(h, live.id()))) {
            takeOver.accept(ExecRun.recovered(row, live, output.apply(row.facts(), spools.recover(row))));
        }
    }

    /// Nothing of this sandbox runs any more: what no run in memory stood for ends as lost.
    void lose(SandboxId sandbox, String reason, Predicate<ExecId> here) {
        for (var row : store.read(h -> ExecRows.unfinished(h, sandbox))) {
            if (!here.test(row.facts().id())) {
                ending.lostBefore(row, spools.recover(row), reason);
            }
        }
    }
}
