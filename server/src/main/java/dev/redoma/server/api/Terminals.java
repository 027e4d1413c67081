// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.api;

import dev.redoma.engine.Execs;
import dev.redoma.http.Json;
import dev.redoma.http.Problems;
import dev.redoma.http.WebSocket;
import dev.redoma.model.RedomaException;
import dev.redoma.model.wire.Exec;
import dev.redoma.model.wire.Tty;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// Terminals over WebSocket: one attached client for each exec; the next one takes over. Leaving ends nothing. Thread-safe.
final class Terminals {
    private static final int TAKEN_OVER = 4001;
    private static final Duration STEP = Duration.ofSeconds(1);

    private final Execs execs;
    private final Map<String, WebSocket> attached = new ConcurrentHashMap<>();

    Terminals(Execs execs) {
        this.execs = execs;
    }

    void attach(Call call) {
        long offset = call.query().number("offset", 0, 0, Long.MAX_VALUE);
        var exec = execs.get(call.caller(), call.sandbox(), call.parameter("exec"));
        call.http().webSocket(socket -> talk(call, exec, offset, socket));
    }

    private void talk(Call call, Exec exec, long offset, WebSocket socket) throws IOException, InterruptedException {
        var before = attached.put(exec.id(), socket);
        if (before != null) {
            before.close(TAKEN_OVER, "another attach took over");
        }
        var pump = Thread.ofVirtual().name("terminal-out").start(() -> output(call, exec, offset, socket));
        try {
            execs.stdin(call.caller(), exec.sandbox(), exec.id(), new Keyboard(call, exec, socket), false);
            pump.join();
        } catch (RedomaException ended) {
            // The exec ended or takes no input: its output goes on until the end, or until the client leaves.
            while (!(socket.receive(STEP) instanceof WebSocket.Closed) && pump.isAlive()) {
                Thread.onSpinWait();
            }
        } finally {
            attached.remove(exec.id(), socket);
            pump.interrupt();
        }
    }

    private void output(Call call, Exec exec, long offset, WebSocket socket) {
        try (var output = execs.output(call.caller(), exec.sandbox(), exec.id(), offset, true, false)) {
            for (var chunk = output.next(STEP); chunk != null; chunk = output.next(STEP)) {
                call.guard().check();
                if (!chunk.isEmpty()) {
                    var bytes = chunk.copy();
                    socket.send(bytes, 0, bytes.length);
                }
            }
            var end = execs.get(call.caller(), exec.sandbox(), exec.id());
            if (end.exitCode() != null) {
                socket.close(1000, end.exitCode().toString());
            } else {
                socket.close(1011, end.reason() == null ? "lost" : end.reason());
            }
        } catch (RedomaException ended) {
            socket.close(4000 + ended.code().status(), ended.problem().message());
        } catch (IOException gone) {
            socket.close(1001, "");
        } catch (InterruptedException left) {
            Thread.currentThread().interrupt();
        }
    }

    /// What the client types, as the process reads it; sizes are taken out on the way.
    private final class Keyboard extends InputStream {
        private final Call call;
        private final Exec exec;
        private final WebSocket socket;
        private byte[] typed = new byte[0];
        private int at;

        Keyboard(Call call, Exec exec, WebSocket socket) {
            this.call = call;
            this.exec = exec;
            this.socket = socket;
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
                execs.resize(call.caller(), exec.sandbox(), exec.id(), Json.read(json.getBytes(StandardCharsets.UTF_8), Tty.class));
            } catch (RedomaException refused) {
                socket.send(Json.text(Problems.wire(refused.problem())));
            }
        }
    }
}
