// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RunningExec;
import dev.redoma.client.TerminalSession;
import java.io.IOException;

/// Joins a command beside others: what it prints as it comes, and with `write` what is typed here. A connection that is ended is not taken up again: that may have been somebody's decision.
final class AttachJoin {
    private final Io io;
    private final RunningExec exec;
    private final boolean write;

    AttachJoin(Io io, RunningExec exec, boolean write) {
        this.io = io;
        this.exec = exec;
        this.write = write;
    }

    int run(long offset) throws IOException {
        try (var session = exec.join(offset, write)) {
            if (!write) {
                return show(session);
            }
            if (exec.state().tty() == null || !Io.terminal(0) || !Io.terminal(1)) {
                type(session);
                return show(session);
            }
            try (var here = LocalTerminal.open()) {
                here.onResize(() -> resize(session, here));
                resize(session, here);
                type(session);
                return show(session);
            }
        }
    }

    private int show(TerminalSession session) {
        try {
            for (var bytes = session.receive(); bytes != null; bytes = session.receive()) {
                io.out().write(bytes);
                io.out().flush();
            }
        } catch (IOException ended) {
            throw new Failed(Exit.OURS, Text.safe(String.valueOf(ended.getMessage())), "The command runs on. See 'redoma attach list SANDBOX' for who may join.");
        }
        if (session.takenOver()) {
            throw new Failed(Exit.OURS, "Another client attached to this terminal.", "Attach again to take it back.");
        }
        return session.exitCode() < 0 ? Exit.OURS : session.exitCode();
    }

    private static void resize(TerminalSession session, LocalTerminal here) {
        try {
            var size = here.size();
            session.resize(size.cols(), size.rows());
        } catch (IOException ended) {
            // The one who receives sees it.
        }
    }

    /// A daemon: a read of our stdin cannot be interrupted.
    private void type(TerminalSession session) {
        Thread.ofPlatform().daemon().name("attach-in").start(() -> {
            var buffer = new byte[8192];
            try {
                for (int n = io.in().read(buffer); n >= 0; n = io.in().read(buffer)) {
                    session.send(buffer, 0, n);
                }
            } catch (IOException ended) {
                // As above.
            }
        });
    }
}
