// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.api;

import dev.redoma.engine.Attachments;
import dev.redoma.engine.Execs;
import dev.redoma.http.Json;
import dev.redoma.http.Problems;
import dev.redoma.http.WebSocket;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.model.wire.Exec;
import dev.redoma.model.wire.Tty;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// Terminals over WebSocket: of those who use the sandbox one at a time types into an exec, and the next one takes over; whoever joins by a grant, or to read, is beside them. Leaving ends nothing. Thread-safe.
final class Terminals {
    private static final int TAKEN_OVER = 4001;
    private static final Duration STEP = Duration.ofSeconds(1);

    private final Execs execs;
    private final Attachments attachments;
    private final Map<String, Seat> attached = new ConcurrentHashMap<>();

    Terminals(Execs execs, Attachments attachments) {
        this.execs = execs;
        this.attachments = attachments;
    }

    void attach(Call call) {
        long offset = call.query().number("offset", 0, 0, Long.MAX_VALUE);
        var asked = call.query().get("mode");
        var mode = asked == null ? "write" : asked;
        var exec = execs.get(call.caller(), call.sandbox(), call.parameter("exec"));
        attachments.check(call.caller(), exec.sandbox(), exec.id(), mode);
        call.http().webSocket(socket -> join(call, exec, offset, mode, socket));
    }

    private void join(Call call, Exec exec, long offset, String mode, WebSocket socket) throws IOException, InterruptedException {
        try (var joined = attachments.join(call.caller(), exec.sandbox(), exec.id(), mode, why -> closed(socket, why))) {
            talk(call, new Seat(exec, joined, socket), offset);
        } catch (RedomaException refused) {
            closed(socket, refused.problem());
        }
    }

    private static void closed(WebSocket socket, Problem why) {
        socket.close(4000 + why.code().status(), why.message());
    }

    /// Somebody at an exec.
    private record Seat(Exec exec, Attachments.Joined joined, WebSocket socket) {
        boolean alone() {
            return joined.own() && joined.writes();
        }
    }

    private void talk(Call call, Seat seat, long offset) throws IOException, InterruptedException {
        var before = seat.alone() ? attached.put(seat.exec.id(), seat) : null;
        if (before != null) {
            before.joined.because("taken-over");
            before.socket.close(TAKEN_OVER, "another attach took over");
        }
        var pump = Thread.ofVirtual().name("terminal-out").start(() -> output(call, seat, offset));
        try {
            var keyboard = new Keyboard(call, seat);
            if (seat.joined.writes()) {
                seat.joined.type(keyboard);
            } else {
                keyboard.refused();
            }
        } catch (RedomaException ended) {
            seat.joined.because(ended.code().wire());
            // The exec ended or takes no input: its output goes on until the end, or until the client leaves.
            while (!(seat.socket.receive(STEP) instanceof WebSocket.Closed) && pump.isAlive()) {
                Thread.onSpinWait();
            }
        } finally {
            attached.remove(seat.exec.id(), seat);
            pump.interrupt();
        }
    }

    private void output(Call call, Seat seat, long offset) {
        var exec = seat.exec;
        var socket = seat.socket;
        try (var output = seat.joined.output(offset)) {
            for (var chunk = output.next(STEP); chunk != null; chunk = output.next(STEP)) {
                call.guard().check();
                if (!chunk.isEmpty()) {
                    var bytes = chunk.copy();
                    socket.send(bytes, 0, bytes.length);
                }
            }
            seat.joined.because("exec-ended");
            var end = execs.get(call.caller(), exec.sandbox(), exec.id());
            if (end.exitCode() != null) {
                socket.close(1000, end.exitCode().toString());
            } else {
                socket.close(1011, end.reason() == null ? "lost" : end.reason());
            }
        } catch (RedomaException ended) {
            seat.joined.because(ended.code().wire());
            closed(socket, ended.problem());
        } catch (IOException gone) {
            socket.close(1001, "");
        } catch (InterruptedException left) {
            Thread.currentThread().interrupt();
        }
    }

    /// What the client types, as the process reads it; sizes are taken out on the way.
    private final class Keyboard extends InputStream {
        private final Call call;
        private final Attachments.Joined joined;
        private final WebSocket socket;
        private byte[] typed = new byte[0];
        private int at;

        Keyboard(Call call, Seat seat) {
            this.call = call;
            this.joined = seat.joined;
            this.socket = seat.socket;
        }

        /// Until the client left: each message is refused by name.
        void refused() throws IOException {
            while (receive()) {
                if (at < typed.length) {
                    at = typed.length;
                    socket.send(Json.text(Problems.wire(joined.readsOnly())));
                }
            }
        }

        @Override
        public int read() throws IOException {
            var one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] to, int offset, int length) throws IOException {
            while (at == typed.length) {
                if (!receive()) {
                    return -1;
                }
            }
            int n = Math.min(length, typed.length - at);
            System.arraycopy(typed, at, to, offset, n);
            at += n;
            return n;
        }

        @Override
        public int available() {
            return typed.length - at;
        }

        /// False when the client left.
        private boolean receive() throws IOException {
            try {
                call.guard().check();
                switch (socket.receive(STEP)) {
                    case WebSocket.Binary binary -> {
                        typed = binary.bytes();
                        at = 0;
                    }
                    case WebSocket.Text text -> resize(text.text());
                    case WebSocket.Closed closed -> {
                        return false;
                    }
                    case null -> {}
                }
                return true;
            } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
                return false;
            }
        }

        private void resize(String json) throws IOException {
            try {
                joined.resize(Json.read(json.getBytes(StandardCharsets.UTF_8), Tty.class));
            } catch (RedomaException refused) {
                socket.send(Json.text(Problems.wire(refused.problem())));
            }
        }
    }
}
