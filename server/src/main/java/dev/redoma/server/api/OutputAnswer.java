// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.api;

import dev.redoma.engine.Execs;
import dev.redoma.model.RedomaException;
import dev.redoma.model.wire.Exec;
import java.io.IOException;
import java.time.Duration;

/// Streams the output of an exec as it comes. A client that leaves ends the stream, never the exec.
final class OutputAnswer {
    static final String FRAMES = "application/vnd.redoma.output";
    static final String EVENTS = "text/event-stream";
    /// The end of a short command goes out with its beginning.
    private static final Duration LINGER = Duration.ofMillis(3);
    private static final Duration STEP = Duration.ofSeconds(1);
    private static final Duration KEEP_ALIVE = Duration.ofSeconds(15);

    private final Execs execs;

    OutputAnswer(Execs execs) {
        this.execs = execs;
    }

    static boolean wanted(Call call) {
        return call.http().accepts(FRAMES) || call.http().accepts(EVENTS);
    }

    void send(Call call, Exec exec, long offset, boolean follow, boolean untilClosed) throws IOException, InterruptedException {
        try (var output = execs.output(call.caller(), exec.sandbox(), exec.id(), offset, follow, untilClosed)) {
            var form = call.http().accepts(EVENTS) && !call.http().accepts(FRAMES)
                    ? OutputForm.events(call.http().events(), offset)
                    : OutputForm.frames(call.http().stream(200, FRAMES, -1));
            try {
                new Pump(call, output, form, exec).run(untilClosed);
            } catch (RedomaException ended) {
                form.problem(ended.problem());
            }
        }
    }

    /// One stream on its way.
    private final class Pump {
        private final Call call;
        private final Execs.Output output;
        private final OutputForm form;
        private Exec exec;
        private boolean exitTold;
        private long told = System.nanoTime();

        Pump(Call call, Execs.Output output, OutputForm form, Exec exec) {
            this.call = call;
            this.output = output;
            this.form = form;
            this.exec = exec;
        }

        void run(boolean untilClosed) throws IOException, InterruptedException {
            form.exec("started", exec);
            var chunk = output.next(LINGER);
            if (chunk != null && chunk.isEmpty()) {
                form.flush();
                chunk = output.next(STEP);
            }
            while (chunk != null) {
                if (!chunk.isEmpty()) {
                    chunk = forward(chunk);
                } else {
                    quiet(untilClosed);
                    chunk = output.next(STEP);
                }
                call.guard().check();
            }
            refresh();
            form.exec(ExecRoutes.ended(exec) ? "exited" : "running", exec);
        }

        /// Sends this chunk and those that are there already, then flushes; returns the next one.
        private Execs.@org.jspecify.annotations.Nullable Chunk forward(Execs.Chunk first) throws IOException, InterruptedException {
            Execs.Chunk chunk = first;
            while (chunk != null && !chunk.isEmpty()) {
                form.output(chunk);
                call.guard().check();
                chunk = output.next(Duration.ZERO);
            }
            form.flush();
            told = System.nanoTime();
            return chunk == null ? null : output.next(STEP);
        }

        private void quiet(boolean untilClosed) throws IOException {
            if (untilClosed && !exitTold) {
                refresh();
                if (ExecRoutes.ended(exec)) {
                    exitTold = true;
                    form.exec("exited", exec);
                    form.flush();
                }
            }
            if (System.nanoTime() - told > KEEP_ALIVE.toNanos()) {
                form.keepAlive();
                form.flush();
                told = System.nanoTime();
            }
        }

        private void refresh() {
            exec = execs.get(call.caller(), exec.sandbox(), exec.id());
        }
    }
}
