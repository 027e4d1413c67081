// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.engine.proto.Attach;
import dev.redoma.engine.proto.ExecInput;
import dev.redoma.engine.proto.Exited;
import dev.redoma.engine.proto.Reply;
import dev.redoma.engine.proto.Request;
import dev.redoma.engine.proto.Started;
import dev.redoma.model.Amounts;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// Carries one exec's output from the guest into its spool and its end to the record; one thread, from the first request to the end
/// of output, over as many connections as it takes.
final class ExecPump {
    static final Duration REACH = Duration.ofSeconds(10);
    private static final int ACK_EVERY = ExecOrder.WINDOW / 4;
    /// The guest remembers 4,096 changes of stream at most: a command that alternates must not wait for ACK_EVERY bytes to come together.
    private static final int ACK_PIECES = 1024;
    private static final int WRONG_AT_MOST = 3;
    private static final Duration STEADY = Duration.ofSeconds(5);

    private final ExecRun run;
    private final ExecEnding ending;
    private final Spool spool;
    private long acked;
    private int unacked;
    private @Nullable Exited exited;
    private int wrong;

    ExecPump(ExecRun run, ExecEnding ending) {
        this.run = run;
        this.ending = ending;
        this.spool = run.spool();
    }

    /// Starts it and stays with it. `record` returns when what is asked for is durable, and approves it.
    void begin(Request request, Runnable record) {
        try (var announced = run.live().guest().expect(run.facts().id().value(), run::admit)) {
            if (first(request, record)) {
                return;
            }
            if (run.begun()) {
                again();
            } else {
                run.refuse(GuestErrors.unreachable("The guest broke off before the command started."));
            }
        } finally {
            spool.close();
        }
    }

    private boolean first(Request request, Runnable record) {
        try (var op = asked(request, record)) {
            return follow(op);
        } catch (RedomaException e) {
            if (!run.begun()) {
                run.refuse(e.problem());
                return true;
            }
            note(e.problem());
            return false;
        }
    }

    /// What the guest cannot be asked is on record as well.
    private GuestOp asked(Request request, Runnable record) {
        GuestOp op;
        try {
            op = run.live().guest().open(request, REACH);
        } catch (RedomaException e) {
            record.run();
            throw e;
        }
        try {
            record.run();
            return op;
        } catch (RuntimeException e) {
            op.close();
            throw e;
        }
    }

    /// Takes over what an earlier server left running.
    void resume() {
        try {
            again();
        } finally {
            spool.close();
        }
    }

    /// True when nothing is left to do.
    private boolean follow(GuestOp op) {
        run.connected(op);
        while (true) {
            var kind = op.next(null);
            run.heard();
            if (kind != GuestOp.Kind.STDOUT && kind != GuestOp.Kind.STDERR) {
                spool.tell();
            }
            if (exited != null && !closes(kind, op)) {
                ending.exited(run, exited, false);
                exited = null;
            }
            switch (kind) {
                case STDOUT -> output(op, 1);
                case STDERR -> output(op, 2);
                case EOF -> {
                    return run.abandoned();
                }
                case CONTROL -> {
                    if (control(op, op.reply())) {
                        return true;
                    }
                }
                default -> throw protocol("a frame that an exec does not send");
            }
        }
    }

    private void output(GuestOp op, int stream) {
        run.output().append(stream, op.data());
        if (!op.ready()) {
            spool.tell(); // readers are woken once for what came together
        }
        if (++unacked >= ACK_PIECES || spool.total() - acked >= ACK_EVERY) {
            acked = spool.total();
            unacked = 0;
            op.send(ExecInput.newBuilder().setAck(acked).build());
        }
    }

    private boolean control(GuestOp op, Reply reply) {
        switch (reply.getKindCase()) {
            case ERROR -> throw GuestErrors.problem(reply.getError(), subject(reply)).raise();
            case STARTED -> started(reply.getStarted());
            case EXITED -> exited(op, reply.getExited());
            case CLOSED -> {
                closed(op);
                return true;
            }
            default -> throw protocol("an answer to something else");
        }
        return false;
    }

    private String subject(Reply reply) {
        return switch (reply.getError().getCode()) {
            case NO_CWD -> "cwd " + run.facts().cwd();
            case NO_USER -> "user " + run.facts().user();
            default -> run.facts().spec().argv().getFirst();
        };
    }

    private void started(Started started) {
        long gap = started.getOffset() - spool.total();
        if (gap < 0) {
            throw protocol("output that it had sent before");
        }
        if (gap > 0) {
            run.output().skip(gap);
        }
        acked = spool.total();
        run.started(started.getPid(), started.getBoot());
    }

    /// Mostly the pipes end with the process, and Closed comes right behind: then one commit tells both.
    private void exited(GuestOp op, Exited reply) {
        if (run.neverBegan()) {
            throw GuestErrors.unreachable("The command did not start: its process ended before it was let go.").raise();
        }
        if (op.ready()) {
            exited = reply;
        } else {
            ending.exited(run, reply, false);
        }
    }

    private static boolean closes(GuestOp.Kind kind, GuestOp op) {
        return kind == GuestOp.Kind.CONTROL && op.reply().hasClosed();
    }

    private void closed(GuestOp op) {
        if (exited != null) {
            ending.exited(run, exited, true);
        } else if (run.ended()) {
            ending.outputClosed(run);
        } else if (!run.abandoned()) {
            throw protocol("the end of output before the end of the process");
        }
        if (run.ended()) {
            op.send(ExecInput.newBuilder().setForget(true).build());
            op.reuse();
        }
    }

    // ---- when the connection broke

    private void again() {
        long end = System.nanoTime() + REACH.toNanos();
        for (long pause = 10; !run.abandoned(); pause = Math.min(1000, pause * 2)) {
            long before = System.nanoTime();
            if (run.live().instance().frozen()) {
                end = before + REACH.toNanos();
            } else if (hopeless(before > end) || attach()) {
                return;
            }
            if (System.nanoTime() - before > STEADY.toNanos() && run.silence().compareTo(STEADY) < 0) {
                end = System.nanoTime() + REACH.toNanos();
                pause = 10;
            }
            if (!sleep(pause)) {
                return;
            }
        }
    }

    private boolean hopeless(boolean late) {
        var gone = run.gone();
        if (gone != null) {
            return give(gone);
        }
        if (late) {
            return give("the guest did not come back within " + Amounts.time(REACH));
        }
        return wrong > WRONG_AT_MOST && give("the guest broke the protocol again and again");
    }

    private boolean give(String reason) {
        if (run.ended()) {
            ending.outputClosed(run);
        } else {
            ending.lost(run, reason);
        }
        return true;
    }

    private boolean attach() {
        run.output().flush(); // it goes on where what is kept ends
        var attach = Attach.newBuilder().setId(run.facts().id().value()).setFrom(spool.total());
        try (var op = run.live().guest().open(Request.newBuilder().setAttach(attach).build(), Duration.ofSeconds(1))) {
            return follow(op);
        } catch (RedomaException e) {
            note(e.problem());
            return e.code() == Code.WRONG_STATE && give("the guest does not know it");
        }
    }

    private void note(Problem problem) {
        if (problem.code() == Code.GUEST_PROTOCOL) {
            wrong++;
        }
    }

    private static boolean sleep(long millis) {
        try {
            Thread.sleep(millis);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static RedomaException protocol(String what) {
        return Problem.of(Code.GUEST_PROTOCOL, "The guest sent " + what + ".", "The sandbox may be hostile or broken.").raise();
    }
}
