// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import dev.redoma.engine.Execs;
import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.ExecId;
import dev.redoma.model.Problem;
import dev.redoma.model.wire.Exec;
import dev.redoma.model.wire.ExecSpec;
import dev.redoma.model.wire.Page;
import dev.redoma.model.wire.Tty;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// `echo X` prints and exits 0; `bytes N` prints N bytes; `sleep` runs until killed; `cat` prints what is typed.
final class FakeExecs implements Execs {
    private final FakeRedoma redoma;
    final Map<String, Run> runs = new ConcurrentHashMap<>();

    FakeExecs(FakeRedoma redoma) {
        this.redoma = redoma;
    }

    static final class Run {
        final String id = ExecId.mint().value();
        final String sandbox;
        final ExecSpec spec;
        final ByteArrayOutputStream printed = new ByteArrayOutputStream();
        @Nullable Integer code;
        volatile @Nullable Tty size;

        Run(String sandbox, ExecSpec spec) {
            this.sandbox = sandbox;
            this.spec = spec;
        }

        synchronized void print(byte[] bytes, int length) {
            printed.write(bytes, 0, length);
            notifyAll();
        }

        synchronized void exit(int with) {
            if (code == null) {
                code = with;
            }
            notifyAll();
        }

        synchronized Exec wire() {
            return new Exec(id, sandbox, spec.argv(), "/", "user", spec.tty(), code == null ? "running" : "exited", 7, spec.label(), Instant.now(), null, code, null,
                    false, false, false, null, spec.timeoutMs(), null, null, null, printed.size(), 0, code != null);
        }
    }

    private Run find(Caller caller, String sandbox, String exec) {
        redoma.get(caller, sandbox);
        var run = runs.get(exec);
        if (run == null) {
            throw Problem.of(Code.EXEC_NOT_FOUND, "There is no such exec.", "List them.").raise();
        }
        return run;
    }

    @Override
    public Exec start(Caller caller, String sandbox, ExecSpec spec) {
        var run = new Run(redoma.get(caller, sandbox).id(), spec);
        runs.put(run.id, run);
        var argv = spec.argv();
        switch (argv.getFirst()) {
            case "echo" -> {
                var text = (argv.get(1) + "\n").getBytes(java.nio.charset.StandardCharsets.UTF_8);
                run.print(text, text.length);
                run.exit(0);
            }
            case "bytes" -> Thread.ofVirtual().start(() -> {
                long left = Long.parseLong(argv.get(1));
                while (left > 0) {
                    int n = (int) Math.min(65_536, left);
                    run.print(new byte[n], n);
                    left -= n;
                }
                run.exit(3);
            });
            default -> {}
        }
        return run.wire();
    }

    @Override
    public Exec get(Caller caller, String sandbox, String exec) {
        return find(caller, sandbox, exec).wire();
    }

    @Override
    public Page<Exec> list(Caller caller, String sandbox, @Nullable String cursor, int limit) {
        redoma.get(caller, sandbox);
        return new Page<>(List.of(), null);
    }

    @Override
    public List<Exec> running(Caller caller, String sandbox) {
        redoma.get(caller, sandbox);
        return runs.values().stream().map(Run::wire).filter(e -> e.sandbox().equals(sandbox) && e.state().equals("running")).toList();
    }

    @Override
    public Exec await(Caller caller, String sandbox, String exec, Duration atMost) {
        var run = find(caller, sandbox, exec);
        synchronized (run) {
            if (run.code == null) {
                try {
                    run.wait(Math.max(1, atMost.toMillis()));
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        }
        return run.wire();
    }

    @Override
    public Output output(Caller caller, String sandbox, String exec, long offset, boolean follow, boolean untilClosed) {
        var run = find(caller, sandbox, exec);
        return new Output() {
            private long at = offset;

            @Override
            public @Nullable Chunk next(Duration keepAlive) throws InterruptedException {
                synchronized (run) {
                    if (at >= run.printed.size() && run.code == null && follow && !keepAlive.isZero()) {
                        run.wait(keepAlive.toMillis());
                    }
                    if (at >= run.printed.size()) {
                        return run.code != null || !follow ? null : new Chunk(1, at, java.nio.ByteBuffer.allocate(0));
                    }
                    int n = (int) Math.min(65_536, run.printed.size() - at);
                    var bytes = java.util.Arrays.copyOfRange(run.printed.toByteArray(), (int) at, (int) at + n);
                    at += n;
                    return new Chunk(1, at - n, java.nio.ByteBuffer.wrap(bytes));
                }
            }

            @Override
            public void close() {}
        };
    }

    @Override
    public void stdin(Caller caller, String sandbox, String exec, InputStream data, boolean close) throws IOException {
        var run = find(caller, sandbox, exec);
        var buffer = new byte[4096];
        for (int n = data.read(buffer); n >= 0; n = data.read(buffer)) {
            run.print(buffer, n);
            if (n > 0 && buffer[n - 1] == 4) {
                run.exit(0);
                return;
            }
        }
        if (close) {
            run.exit(0);
        }
    }

    @Override
    public void resize(Caller caller, String sandbox, String exec, Tty size) {
        if (size.cols() < 1 || size.rows() < 1) {
            throw Problem.field("cols", "is 0", "1 to 1000");
        }
        find(caller, sandbox, exec).size = size;
    }

    @Override
    public boolean signal(Caller caller, String sandbox, String exec, int signal) {
        return find(caller, sandbox, exec).wire().exitCode() == null;
    }

    @Override
    public boolean kill(Caller caller, String sandbox, String exec) {
        var run = find(caller, sandbox, exec);
        boolean alive = run.wire().exitCode() == null;
        run.exit(137);
        return alive;
    }
}
