// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.wire.Exec;
import org.jspecify.annotations.Nullable;

/// Execs in memory as the API shows them.
final class ExecView {
    private ExecView() {}

    static Exec running(ExecFacts f, boolean begun, @Nullable Integer pid, Spool spool) {
        return new Exec(
                f.id().value(), f.sandbox().value(), f.spec().argv(), ExecRows.shown(f.cwd()), f.user(), f.spec().tty(),
                begun ? "running" : "starting", pid, f.spec().label(), f.startedAt(), null, null, null, false, false, false, null,
                f.spec().timeoutMs(), null, null, null, spool.kept(), spool.dropped(), false);
    }

    static Exec ended(ExecFacts f, @Nullable Integer pid, ExecOutcome o, Spool spool, boolean outputClosed) {
        return new Exec(
                f.id().value(), f.sandbox().value(), f.spec().argv(), ExecRows.shown(f.cwd()), f.user(), f.spec().tty(), o.state(), pid,
                f.spec().label(), f.startedAt(), o.endedAt(), o.exitCode(), o.signal(), o.timedOut(), o.killed(), o.oomKilled(),
                o.reason(), f.spec().timeoutMs(), o.wallMicros() / 1000, millis(o.cpuMicros()), o.peakBytes(), spool.kept(),
                spool.dropped(), outputClosed || spool.closed());
    }

    private static @Nullable Long millis(@Nullable Long micros) {
        return micros == null ? null : micros / 1000;
    }
}
