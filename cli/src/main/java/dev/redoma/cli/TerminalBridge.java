// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.ClientException;
import dev.redoma.client.RunningExec;
import dev.redoma.client.TerminalSession;
import dev.redoma.model.wire.Exec;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// Joins the user's terminal with a command's; a broken connection is taken up again where it broke.
final class TerminalBridge {
    private static final Duration RECONNECT = Duration.ofMinutes(1);

    private final Io io;
    private final LocalTerminal here;
    private final RunningExec exec;
    private volatile @Nullable TerminalSession session;
    private volatile boolean ended;
    private long offset;

    TerminalBridge(Io io, LocalTerminal here, RunningExec exec) {
        this.io = io;
        this.here = here;
        this.exec = exec;
    }

    /// Until the command ends or another client takes over.
    Exec run(long from) throws IOException {
        offset = from;
        here.onResize(this::resize);
        Thread.ofPlatform().daemon().name("terminal-in").start(this::keys);
        long giveUp = System.nanoTime() + RECONNECT.toNanos();
        while (true) {
            long before = offset;
            var broken = attempt();
            if (broken == null) {
                ended = true;
                return exec.await(Duration.ofSeconds(10));
            }
            giveUp = offset > before ? System.nanoTime() + RECONNECT.toNanos() : giveUp;
            if (System.nanoTime() > giveUp) {
                throw broken;
            }
            pause(300);
        }
    }

    private @Nullable IOException attempt() throws IOException {
        try (var attached = exec.terminal(offset)) {
            session = attached;
            resize();
            for (var bytes = attached.receive(); bytes != null; bytes = attached.receive()) {
                io.out().write(bytes);
                io.out().flush();
                offset += bytes.length;
            }
            if (attached.takenOver()) {
                throw new Failed(Exit.OURS, "Another client attached to this terminal.", "Attach again to take it back.");
            }
            return null;
        } catch (IOException broken) {
            return broken;
        } catch (dev.redoma.client.ServerUnreachableException | dev.redoma.client.ConnectionLostException away) {
            return new IOException(away.getMessage(), away);
        } finally {
            session = null;
        }
    }

    private void keys() {
        var buffer = new byte[8192];
        try {
            for (int n = io.in().read(buffer); n >= 0; n = io.in().read(buffer)) {
                send(buffer, n);
            }
        } catch (IOException gone) {
            // Without our terminal there is nothing to send.
        }
    }

    /// What is typed while there is no connection waits for one; what a breaking one took is not sent twice.
    private void send(byte[] bytes, int n) {
        var now = session;
        while (now == null && !ended) {
            pause(20);
            now = session;
        }
        try {
            if (now != null) {
                now.send(bytes, 0, n);
            }
        } catch (IOException broken) {
            // The receiving side sees it too and attaches again.
        }
    }

    private void resize() {
        var size = here.size();
        var now = session;
        try {
            if (now != null) {
                now.resize(size.cols(), size.rows());
            }
        } catch (IOException | ClientException broken) {
            // As above.
        }
    }

    private static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
