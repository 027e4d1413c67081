// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Caller;
import dev.redoma.model.RedomaException;
import dev.redoma.store.Store;
import java.util.Collection;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Records what somebody does to a command after its start, before it is done: whoever does it need not be the one who started it.
final class ExecActs {
    private static final Logger LOG = LoggerFactory.getLogger(ExecActs.class);

    private final Store store;
    private final ExecLog log;

    ExecActs(Store store, ExecLog log) {
        this.store = store;
        this.log = log;
    }

    /// Before the first byte of this key; how much it was follows in `input.total`.
    void input(ExecRun run, Caller caller) {
        run.input().begin(caller.key(), () -> record(run, caller, "input", Map.of()));
    }

    void signal(ExecRun run, Caller caller, int number) {
        record(run, caller, "signal", Map.of("signal", number));
    }

    /// Nothing where nothing of it is alive.
    void kill(ExecRun run, Caller caller) {
        var group = run.group();
        if (!run.ended() || group != null && group.populated()) {
            record(run, caller, "kill", Map.of());
        }
    }

    /// It has ended; what it left behind is killed.
    void killLeftBehind(Live live, String exec, Caller caller) {
        store.write(tx -> {
            log.acted(tx, live, exec, caller.key(), "kill", Map.of("leftBehind", true));
            return true;
        });
    }

    private void record(ExecRun run, Caller caller, String action, Map<String, Object> open) {
        store.write(tx -> {
            log.acted(tx, run.live(), run.facts().id().value(), caller.key(), action, open);
            return true;
        });
    }

    /// The server stops: what each key wrote until now; the next one counts anew.
    void stopping(Collection<ExecRun> runs) {
        for (var run : runs) {
            var totals = run.input().settle();
            try {
                if (!totals.isEmpty()) {
                    store.write(tx -> {
                        log.inputs(tx, run.facts(), totals, run.recovered(), "server-stop");
                        return true;
                    });
                }
            } catch (RedomaException e) {
                LOG.error("what was written into {} is not recorded: {}", run.facts().id(), e.getMessage());
            }
        }
    }
}
