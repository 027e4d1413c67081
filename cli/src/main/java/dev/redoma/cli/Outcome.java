// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaApiException;
import dev.redoma.client.SandboxHandle;
import dev.redoma.model.wire.Exec;
import dev.redoma.model.wire.StopReason;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What an ended command means for our exit code, and what to say about it on stderr.
final class Outcome {
    private Outcome() {}

    /// Our exit code for it; said as an event too, where all goes as JSON.
    static int told(Exec exec, SandboxHandle box, Io io, boolean json) {
        int code = code(exec, box, io);
        if (json) {
            Events.line(io, "exited", Map.of("code", code, "exec", exec));
        }
        return code;
    }

    /// The command's own code; 124 when a time limit of ours ended it; 125 when its exit was never seen.
    static int code(Exec exec, SandboxHandle box, Io io) {
        if (exec.timedOut()) {
            io.err().println("redoma: the command was ended after its time limit" + limit(exec));
            return Exit.TIME;
        }
        var code = exec.exitCode();
        if (code != null && !exec.killed()) {
            notes(exec, io);
            return code;
        }
        return ended(exec, reason(box), io);
    }

    private static String limit(Exec exec) {
        var millis = exec.timeoutMs();
        return millis == null ? "" : " of " + Durations.text(millis);
    }

    private static void notes(Exec exec, Io io) {
        if (exec.oomKilled()) {
            io.err().println("redoma: a process of the command was killed at the memory limit of the sandbox");
        }
        if (exec.droppedBytes() > 0) {
            io.err().println("redoma: " + Text.size(exec.droppedBytes()) + " of output beyond the limit were dropped");
        }
    }

    private static int ended(Exec exec, @Nullable StopReason reason, Io io) {
        if (reason != null && (reason.kind().equals("timeout") || reason.kind().equals("idle"))) {
            io.err().println("redoma: the sandbox ended with the command: " + reason.kind() + " limit " + Text.or(reason.limit()));
            return Exit.TIME;
        }
        var code = exec.exitCode();
        if (exec.killed() && code != null) {
            io.err().println("redoma: the command was killed" + (reason == null ? "" : ": " + reason.kind()));
            return code;
        }
        io.err().println("redoma: the command's exit was not seen: " + Text.or(exec.reason()));
        return Exit.OURS;
    }

    private static @Nullable StopReason reason(SandboxHandle box) {
        try {
            return box.state().reason();
        } catch (RedomaApiException gone) {
            return null;
        }
    }
}
