// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client;

import dev.redoma.client.http.WebSocket;
import dev.redoma.client.json.Json;
import dev.redoma.model.wire.Problem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// One attach to a command's terminal. One thread receives; any may send, resize or close.
public final class TerminalSession implements AutoCloseable {
    private static final Duration PING = Duration.ofSeconds(20);
    /// Several of our pings went unanswered.
    private static final Duration SILENCE = Duration.ofSeconds(90);
    private static final int EXITED = 1000;
    private static final int TAKEN_OVER = 4001;

    private final WebSocket socket;
    private final Thread pinging;
    private int exitCode = -1;
    private boolean takenOver;
    private @Nullable Problem refused;

    TerminalSession(WebSocket socket) {
        this.socket = socket;
        this.pinging = Thread.ofVirtual().name("terminal-ping").start(this::ping);
    }

    private void ping() {
        try {
            while (true) {
                Thread.sleep(PING);
                socket.ping();
            }
        } catch (InterruptedException | IOException closed) {
            // The one who receives sees it.
        }
    }

    public void send(byte[] bytes, int off, int len) throws IOException {
        socket.send(bytes, off, len);
    }

    public void resize(int cols, int rows) throws IOException {
        socket.send("{\"cols\":" + cols + ",\"rows\":" + rows + "}");
    }

    /// The next bytes; null at the end, of which `exitCode` and `takenOver` tell. An IOException means the connection broke: attach again.
    public byte @Nullable [] receive() throws IOException {
        while (true) {
            switch (socket.receive(SILENCE)) {
                case WebSocket.Binary b -> {
                    return b.bytes();
                }
                case WebSocket.Text refusal -> refused = Json.read(refusal.text().getBytes(StandardCharsets.UTF_8), Problem.class);
                case WebSocket.Closed c -> {
                    close(c);
                    return null;
                }
            }
        }
    }

    private void close(WebSocket.Closed closed) throws IOException {
        takenOver = closed.code() == TAKEN_OVER;
        if (closed.code() == EXITED && closed.reason().matches("[0-9]{1,9}")) {
            exitCode = Integer.parseInt(closed.reason());
        } else if (!takenOver && closed.code() != EXITED) {
            throw new IOException("the terminal was closed: " + closed.code() + " " + closed.reason());
        }
    }

    /// -1 while not known.
    public int exitCode() {
        return exitCode;
    }

    /// Why something that was sent last was refused, where it was: a size that no terminal has, or anything at all by one who joined to read.
    public Optional<Problem> refused() {
        return Optional.ofNullable(refused);
    }

    /// Another client attached instead of this one.
    public boolean takenOver() {
        return takenOver;
    }

    @Override
    public void close() {
        pinging.interrupt();
        socket.close();
    }
}
