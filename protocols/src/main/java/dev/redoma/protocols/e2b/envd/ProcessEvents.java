// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.envd;

import dev.redoma.engine.Execs;
import dev.redoma.engine.Sandboxes;
import dev.redoma.http.Exchange;
import dev.redoma.http.connect.Frames;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.model.wire.Exec;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/// Output and end of a process as events. When the sandbox goes away in the middle, the stream is broken off without an end: that is how
/// these clients learn that it was killed.
final class ProcessEvents {
    private static final Duration LINGER = Duration.ofMillis(3);
    private static final Duration STEP = Duration.ofSeconds(1);
    private static final Duration SETTLING = Duration.ofSeconds(5);
    private static final Duration BETWEEN = Duration.ofMillis(20);

    private final Execs execs;
    private final Sandboxes sandboxes;

    ProcessEvents(Execs execs, Sandboxes sandboxes) {
        this.execs = execs;
        this.sandboxes = sandboxes;
    }

    void follow(Exchange http, Box box, Exec exec, long offset, Frames out) throws Exception {
        try (var output = execs.output(box.caller(), box.id(), exec.id(), offset, true, false)) {
            out.put(event(Map.of("start", Map.of("pid", exec.pid() == null ? 0 : exec.pid()))));
            pump(output, exec.tty() != null, new Quiet(http, out), out);
            end(box, execs.get(box.caller(), box.id(), exec.id()), out);
        } catch (RedomaException ended) {
            if (ended.code() == Code.STOPPING) {
                throw Exchange.brokenOff(ended); // the server stops, the sandbox does not
            }
            throw gone(ended.code()) ? brokenOff(box, ended) : ended;
        }
    }

    /// Clients ask for the daemon's health as soon as the stream breaks: by then it must be told that the sandbox does not run.
    private IOException brokenOff(Box box, Throwable cause) throws InterruptedException {
        long end = System.nanoTime() + SETTLING.toNanos();
        while (running(box) && System.nanoTime() < end) {
            Thread.sleep(BETWEEN);
        }
        return Exchange.brokenOff(cause);
    }

    private boolean running(Box box) {
        try {
            return sandboxes.get(box.caller(), box.id()).state().equals("running");
        } catch (RedomaException gone) {
            return false;
        }
    }

    private static boolean gone(Code code) {
        return switch (code) {
            case SANDBOX_ENDED, SANDBOX_NOT_FOUND, GUEST_UNREACHABLE, EXEC_NOT_FOUND -> true;
            default -> false;
        };
    }

    private static void pump(Execs.Output output, boolean terminal, Quiet quiet, Frames out) throws IOException, InterruptedException {
        var chunk = output.next(LINGER);
        while (chunk != null) {
            if (chunk.isEmpty()) {
                out.flush();
                quiet.tick();
                chunk = output.next(STEP);
            } else {
                out.put(event(Map.of("data", Map.of(terminal ? "pty" : chunk.stream() == 2 ? "stderr" : "stdout", chunk.copy()))));
                quiet.broken();
                chunk = output.next(Duration.ZERO);
            }
        }
    }

    private void end(Box box, Exec exec, Frames out) throws IOException, InterruptedException {
        if (exec.timedOut()) {
            throw Problem.of(Code.REQUEST_TIMEOUT, "the process was killed after its " + exec.timeoutMs() + " ms", "Allow it more time.").raise();
        }
        if (exec.state().equals("lost") || exec.signal() != null && exec.signal() == 9 && !running(box)) {
            out.flush();
            throw brokenOff(box, new IOException("the sandbox ended: " + exec.reason()));
        }
        if (exec.state().equals("exited")) {
            out.put(event(Exits.event(exec)));
        }
    }

    private static Map<String, Object> event(Map<String, Object> event) {
        return Map.of("event", event);
    }

    /// Tells a client that asks for it that silence is only that.
    static final class Quiet {
        private static final Duration USUAL = Duration.ofSeconds(90);

        private final Frames out;
        private final Duration interval;
        private final boolean bare;
        private long since = System.nanoTime();

        Quiet(Exchange http, Frames out) {
            this(http, out, false);
        }

        /// `bare`: the keepalive is the message itself, not an event in one.
        Quiet(Exchange http, Frames out, boolean bare) {
            var asked = http.header("Keepalive-Ping-Interval");
            this.interval = asked != null && asked.matches("[1-9][0-9]{0,4}") ? Duration.ofSeconds(Long.parseLong(asked)) : USUAL;
            this.out = out;
            this.bare = bare;
        }

        void broken() {
            since = System.nanoTime();
        }

        void tick() throws IOException {
            if (System.nanoTime() - since >= interval.toNanos()) {
                Map<String, Object> alive = new LinkedHashMap<>(Map.of("keepalive", Map.of()));
                out.send(bare ? alive : event(alive));
                broken();
            }
        }
    }
}
