// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.ClientException;
import dev.redoma.client.Command;
import dev.redoma.client.OutputSink;
import dev.redoma.client.RunningExec;
import dev.redoma.client.SandboxHandle;
import dev.redoma.model.wire.Exec;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Consumer;

/// Runs a command in front of the user: plain, with stdin forwarded, or on a terminal.
final class Foreground {
    private final Io io;
    private final SandboxHandle box;
    private final OutputSink sink;
    private final Consumer<Exec> started;
    private final ApprovalWait wait;

    /// `started` hears of the exec as soon as it has an id.
    Foreground(Io io, SandboxHandle box, boolean json, Consumer<Exec> started) {
        this(io, box, json, started, new ApprovalWait(io, Duration.ZERO));
    }

    Foreground(Io io, SandboxHandle box, boolean json, Consumer<Exec> started, ApprovalWait wait) {
        this.wait = wait;
        this.io = io;
        this.box = box;
        this.started = started;
        this.sink = new Events(io, json, started);
    }

    Exec run(Command command, boolean stdin, boolean tty) throws IOException {
        if (tty) {
            return onTerminal(command);
        }
        return stdin ? withStdin(wait.call(() -> box.execs().start(command.stdin()))) : wait.call(() -> box.execs().run(command, sink));
    }

    Exec withStdin(RunningExec exec) {
        forward(exec);
        return exec.follow(0, sink);
    }

    /// A daemon: a read of our stdin cannot be interrupted, and must not keep us alive when the command is done.
    void forward(RunningExec exec) {
        Thread.ofPlatform().daemon().name("stdin").start(() -> {
            try {
                exec.pipe(io.in());
            } catch (IOException unreadable) {
                closeQuietly(exec);
            } catch (ClientException ended) {
                // The command ended before it took all of our stdin: nothing is wrong with that.
            }
        });
    }

    private static void closeQuietly(RunningExec exec) {
        try {
            exec.stdin(new byte[0], true);
        } catch (ClientException ended) {
            // As above.
        }
    }

    private Exec onTerminal(Command command) throws IOException {
        if (!Io.terminal(0)) {
            throw new Failed(Exit.USAGE, "A terminal is needed, and stdin is none.", "Call from a terminal, or use 'redoma exec' without -t.");
        }
        try (var here = LocalTerminal.open()) {
            var exec = wait.call(() -> box.execs().start(command.stdin().terminal(here.size())));
            started.accept(exec.state());
            return new TerminalBridge(io, here, exec).run(0);
        }
    }
}
