// SPDX-License-Identifier: Apache-2.0
package dev.redoma.tiers.oci;

import dev.redoma.kernel.BlockingCalls;
import dev.redoma.model.Amounts;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// The launcher as a process that stands by (`redoma-launcher serve`, which documents the messages): to fork from it costs a fraction of what
/// starting a program from a JVM does. It ends with this server; starts that are under way then go on, and are found by their
/// cgroups. One that died is replaced at the next start. Thread-safe.
final class StandingLauncher implements AutoCloseable {
    private static final byte START = 0;
    private static final byte END = 1;
    private static final int HEAD = 9;
    private static final int ANSWER_HEAD = 12;
    private static final int OUTPUT_LIMIT = 16 * 1024;
    private static final long LAST_SECONDS = 5;

    private final Path program;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Desk desk;
    private int lastId;

    StandingLauncher(Path program) {
        this.program = program;
    }

    /// One process with those who wait for its answers.
    private record Desk(Process process, Map<Integer, CompletableFuture<Spawn.Result>> waiting) {}

    /// Runs `redoma-launcher run` with these arguments to its end, for a bounded time.
    Spawn.Result start(List<String> arguments) {
        var answer = new CompletableFuture<Spawn.Result>();
        int id = ask(answer, text(arguments));
        try {
            return answer.get(Spawn.AT_MOST.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException slow) {
            end(id);
            throw failed("did not end within " + Amounts.time(Spawn.AT_MOST), null);
        } catch (InterruptedException e) {
            end(id);
            Thread.currentThread().interrupt();
            throw failed("was interrupted", e);
        } catch (ExecutionException broken) {
            throw failed("ended by itself", broken);
        }
    }

    private int ask(CompletableFuture<Spawn.Result> answer, byte[] arguments) {
        lock.lock();
        try {
            int id = ++lastId;
            var at = desk == null || !desk.process.isAlive() ? open() : desk;
            at.waiting.put(id, answer);
            try {
                send(at, id, START, arguments);
            } catch (IOException e) {
                at.waiting.remove(id);
                at.process.destroyForcibly();
                throw failed("ended by itself", e);
            }
            return id;
        } finally {
            lock.unlock();
        }
    }

    private Desk open() {
        var builder = new ProcessBuilder(program.toString(), "serve");
        builder.environment().clear();
        try {
            var opened = new Desk(BlockingCalls.call(builder::start), new ConcurrentHashMap<>());
            Thread.ofPlatform().daemon().name("launcher-answers").start(() -> listen(opened));
            desk = opened;
            return opened;
        } catch (IllegalStateException e) {
            throw failed("cannot be started", e);
        }
    }

    private static void send(Desk at, int id, byte kind, byte[] arguments) throws IOException {
        var message = ByteBuffer.allocate(HEAD + arguments.length).order(ByteOrder.LITTLE_ENDIAN);
        message.putInt(id).put(kind).putInt(arguments.length).put(arguments);
        OutputStream out = at.process.getOutputStream();
        out.write(message.array());
        out.flush();
    }

    private static byte[] text(List<String> arguments) {
        var all = new StringBuilder();
        arguments.forEach(a -> all.append(a).append('\0'));
        return all.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static void listen(Desk at) {
        try (var in = new DataInputStream(at.process.getInputStream())) {
            while (true) {
                var head = ByteBuffer.wrap(in.readNBytes(ANSWER_HEAD)).order(ByteOrder.LITTLE_ENDIAN);
                if (head.remaining() < ANSWER_HEAD) {
                    throw new IOException("the launcher closed its output");
                }
                int id = head.getInt();
                int code = head.getInt();
                var said = in.readNBytes(Math.clamp(head.getInt(), 0, OUTPUT_LIMIT));
                var answer = at.waiting.remove(id);
                if (answer != null) {
                    answer.complete(new Spawn.Result(code, new String(said, StandardCharsets.UTF_8).strip()));
                }
            }
        } catch (IOException ended) {
            at.process.destroyForcibly();
            new ArrayList<>(at.waiting.values()).forEach(a -> a.completeExceptionally(ended));
        }
    }

    /// Nobody waits for it any more.
    private void end(int id) {
        lock.lock();
        try {
            var at = desk;
            if (at != null && at.waiting.remove(id) != null) {
                endIn(at, id);
            }
        } finally {
            lock.unlock();
        }
    }

    private static void endIn(Desk at, int id) {
        try {
            send(at, id, END, new byte[0]);
        } catch (IOException gone) {
            at.process.destroyForcibly();
        }
    }

    private RuntimeException failed(String how, @Nullable Throwable cause) {
        var problem = Problem.of(
                Code.RUNTIME_FAILED,
                program.getFileName() + " " + how,
                "Try again; if it stays so, ask the operator to run `redoma doctor`.");
        return cause == null ? problem.raise() : problem.raise(cause);
    }

    @Override
    public void close() {
        lock.lock();
        try {
            var at = desk;
            desk = null;
            if (at != null) {
                close(at.process);
            }
        } finally {
            lock.unlock();
        }
    }

    private static void close(Process process) {
        try {
            process.getOutputStream().close();
            process.waitFor(LAST_SECONDS, TimeUnit.SECONDS);
        } catch (IOException gone) {
            return; // it has ended
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            process.destroyForcibly();
        }
    }
}
