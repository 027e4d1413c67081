// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.model.wire.Exec;
import java.util.List;

/// The problem of a step whose command did not end well: which, how it ended, and what it printed last.
final class StepFailure {
    private static final int SHOWN = 500;

    private StepFailure() {}

    static RedomaException of(int step, int steps, List<String> argv, Exec exec, List<String> lines) {
        String command = String.join(" ", argv);
        String shown = (command.length() > SHOWN ? command.substring(0, SHOWN) + "…" : command).replaceAll("\\p{Cntrl}", "?");
        var problem = Problem.of(Code.STEP_FAILED, "Step " + step + " of " + steps + " failed, " + how(exec) + ": " + shown,
                        (byItself(exec) ? "See its last lines. This build had no network (policy none): what needs one fails. " : "See its last lines. ") + "The template is as it was before.")
                .with("step", step).with("steps", steps).with("command", shown).with("output", lines).with("network", "none");
        problem = exec.exitCode() == null ? problem : problem.with("exitCode", exec.exitCode());
        return (exec.signal() == null ? problem : problem.with("signal", exec.signal())).raise();
    }

    /// Nothing of ours ended it: what it lacked may be the reason.
    private static boolean byItself(Exec exec) {
        return exec.exitCode() != null && !exec.oomKilled() && !exec.timedOut() && !exec.killed();
    }

    static String how(Exec exec) {
        if (exec.oomKilled()) {
            return "it ran out of memory (exit code " + exec.exitCode() + ")";
        }
        if (exec.timedOut()) {
            return "it took longer than it may";
        }
        return exec.exitCode() == null ? "how it ended was not seen (" + exec.reason() + ")" : "exit code " + exec.exitCode();
    }
}
