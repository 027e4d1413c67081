// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client.http;

import dev.redoma.model.Amounts;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// Exchanges with one origin over kept-alive connections. Thread-safe; every call blocks its own thread.
public final class Transport implements AutoCloseable {
    private static final Duration KEEP = Duration.ofSeconds(20);
    private static final int KEEP_MOST = 64;

    private final URI origin;
    private final Duration connectPatience;
    private final Map<String, String> standing;

    private final ReentrantLock lock = new ReentrantLock();
    private final ArrayDeque<Connection> idle = new ArrayDeque<>();
    private boolean closed;

    /// `headers` go with every request.
    public Transport(URI origin, Map<String, String> headers, Duration connectPatience) {
        this.origin = origin;
        this.connectPatience = connectPatience;
        this.standing = new LinkedHashMap<>();
        standing.put("Host", origin.getPort() < 0 ? origin.getHost() : origin.getHost() + ":" + origin.getPort());
        standing.putAll(headers);
    }

    /// Returns when the head of the answer is there, whatever its status.
    public Answer send(Request request) throws IOException {
        var kept = request.body() instanceof Body.Stream ? null : takeIdle();
        if (kept == null) {
            return exchange(open(), request);
        }
        try {
            return exchange(kept, request);
        } catch (Failure.Broken dead) {
            if (!request.repeatable() || dead.getCause() instanceof SocketTimeoutException) {
                throw dead;
            }
            return exchange(open(), request);
        }
    }

    /// A WebSocket at `target`; `patience` bounds the handshake.
    public WebSocket webSocket(String target, Duration patience) throws IOException {
        return WebSocket.open(this, standing, target, patience);
    }

    Connection open() throws Failure {
        return Connection.open(origin, connectPatience);
    }

    private Answer exchange(Connection connection, Request request) throws IOException {
        try {
            connection.patience(request.patience());
            boolean whole = write(connection, request);
            var head = finalHead(connection);
            var body = AnswerBody.of(connection.in(), head, request.method().equals("HEAD"));
            return new Answer(head, body, connection, this, whole);
        } catch (RequestWriter.LocalFault local) {
            connection.close();
            throw local.getCause() instanceof IOException cause ? cause : local;
        } catch (SocketTimeoutException slow) {
            connection.close();
            throw new Failure.Broken("no answer within " + Amounts.time(request.patience()), slow);
        } catch (IOException e) {
            connection.close();
            throw new Failure.Broken("the connection broke: " + e.getMessage(), e);
        }
    }

    /// A write that fails may only mean that the other side answered and hung up: the answer decides.
    private boolean write(Connection connection, Request request) throws IOException {
        try {
            return new RequestWriter(connection, standing).write(request);
        } catch (RequestWriter.LocalFault local) {
            throw local;
        } catch (IOException broken) {
            if (request.body() == null || !connection.somethingToRead()) {
                throw broken;
            }
            return false;
        }
    }

    private static Head finalHead(Connection connection) throws IOException {
        for (int i = 0; i < 8; i++) {
            var head = Head.read(connection.in());
            if (head.status() >= 200 || head.status() == 101) {
                return head;
            }
        }
        throw new IOException("one interim answer after the other");
    }

    private @Nullable Connection takeIdle() {
        while (true) {
            Connection last;
            lock.lock();
            try {
                last = idle.pollLast();
            } finally {
                lock.unlock();
            }
            if (last == null || last.fresh(KEEP)) {
                return last;
            }
            last.close();
        }
    }

    void giveBack(Connection connection) {
        connection.rest();
        lock.lock();
        try {
            if (!closed && idle.size() < KEEP_MOST) {
                idle.addLast(connection);
                return;
            }
        } finally {
            lock.unlock();
        }
        connection.close();
    }

    void drop(Connection connection) {
        connection.close();
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            idle.forEach(Connection::close);
            idle.clear();
        } finally {
            lock.unlock();
        }
    }
}
