// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client;

import dev.redoma.client.http.Body;
import dev.redoma.model.wire.Exec;
import dev.redoma.model.wire.Tty;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;

/// A command in a sandbox, running or ended. Thread-safe; following it several times at once is fine.
public final class RunningExec {
    static final String OUTPUT = "application/vnd.redoma.output";
    private static final Duration LONGEST_POLL = Duration.ofSeconds(30);

    private final Api api;
    private final String sandbox;
    private final String id;

    RunningExec(Api api, String sandbox, String id) {
        this.api = api;
        this.sandbox = sandbox;
        this.id = id;
    }

    public String id() {
        return id;
    }

    public Exec state() {
        return api.get(at(""), Exec.class);
    }

    /// Waits for the exit, at most that long; the present state either way.
    public Exec await(Duration atMost) {
        long end = System.nanoTime() + atMost.toNanos();
        while (true) {
            long left = Math.max(0, end - System.nanoTime());
            var wait = Math.min(left / 1_000_000, LONGEST_POLL.toMillis());
            var exec = api.get(at("").with("waitMs", wait), Exec.class);
            if (!exec.state().equals("running") && !exec.state().equals("starting") || left == 0) {
                return exec;
            }
        }
    }

    /// All output from `offset`, until the exit; a broken connection is taken up again without loss or doubling.
    public Exec follow(long offset, OutputSink sink) {
        return new Follower(api, this, new OutputReader(sink, offset), false).follow();
    }

    /// As `follow`, but goes on until the last process that holds the command's pipes is gone.
    public Exec followUntilClosed(long offset, OutputSink sink) {
        return new Follower(api, this, new OutputReader(sink, offset), true).follow();
    }

    /// What there is from `offset`, without waiting for more.
    public Exec printed(long offset, OutputSink sink) {
        return new Follower(api, this, new OutputReader(sink, offset), false).once();
    }

    /// Copies the stream to the process's stdin, each part as it can be read, and closes it at the end. Returns when all is taken.
    public void pipe(InputStream from) throws IOException {
        var buffer = new byte[128 * 1024];
        for (int n = from.read(buffer); n >= 0; n = from.read(buffer)) {
            stdin(Arrays.copyOf(buffer, n), false);
        }
        stdin(new byte[0], true);
    }

    /// Waits until the process has room for it.
    public void stdin(byte[] bytes, boolean close) {
        var request = api.plain("POST", at("/stdin").with("close", close)).body(new Body.Bytes("application/octet-stream", bytes))
                .patience(Duration.ofDays(1));
        try (var answer = api.open(request)) {
            answer.bytes();
        } catch (IOException e) {
            throw api.lost(e);
        }
    }

    public void resize(int cols, int rows) {
        api.send("POST", at("/resize"), new Tty(cols, rows, null));
    }

    /// To the process group; false if it has ended.
    public boolean signal(int number) {
        return api.post(at("/signal"), Map.of("signal", number), Delivered.class).delivered();
    }

    /// Ends the whole tree; true if anything was alive.
    public boolean kill() {
        return api.delete(at(""), Killed.class).killed();
    }

    private record Delivered(boolean delivered) {}

    private record Killed(boolean killed) {}

    Target at(String rest) {
        return Target.of("/v1/sandboxes/", sandbox, "/execs/", id, rest);
    }

    /// Joins it beside others, from `offset` on: by a grant, or as one who uses the sandbox. Without `write` nothing can be sent.
    public TerminalSession join(long offset, boolean write) throws IOException {
        return new TerminalSession(api.webSocket(at("/terminal").with("offset", offset).with("mode", write ? "write" : "read")));
    }

    /// Bytes both ways from `offset` on; for a command that was started with a terminal.
    public TerminalSession terminal(long offset) throws IOException {
        return new TerminalSession(api.webSocket(at("/terminal").with("offset", offset)));
    }
}
