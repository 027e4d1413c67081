// SPDX-License-Identifier: Apache-2.0
package dev.redoma.http;

import java.nio.channels.SelectableChannel;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.SelectorManager;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.websocket.core.WebSocketConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Bounds how many connections are open at a time: at the limit new ones wait unaccepted, and those that are in no request are let go after a short idleness.
/// Unlike Jetty's own limit this reaches a connection that was still being set up when the limit was met, and goes on until there is room again rather
/// than giving the others their long patience back as soon as the first has left.
final class ConnectionLimit implements SelectorManager.AcceptListener, Connection.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionLimit.class);

    private final ServerConnector connector;
    private final int most;
    private final int roomy;
    private final long patience;
    private final ReentrantLock lock = new ReentrantLock();
    private int open;
    private boolean full;
    private boolean sweeping;
    private boolean swept;
    private volatile boolean pressed;

    ConnectionLimit(int most, Duration patience, ServerConnector connector) {
        this.connector = connector;
        this.most = most;
        this.roomy = most - Math.max(1, most / 4);
        this.patience = patience.toMillis();
    }

    @Override
    public void onAccepting(SelectableChannel channel) {
        count(1);
    }

    @Override
    public void onAcceptFailed(SelectableChannel channel, Throwable cause) {
        count(-1);
    }

    @Override
    public void onClosed(SelectableChannel channel) {
        count(-1);
    }

    /// It is in the connector's set by now: either the sweep that pressing starts meets it there, or it sees here that pressing has begun.
    @Override
    public void onOpened(Connection connection) {
        if (pressed) {
            press(connection.getEndPoint());
        }
    }

    private void count(int change) {
        lock.lock();
        try {
            open += change;
            if (full != (open >= most)) {
                full = !full;
                connector.setAccepting(!full);
                LOG.debug("{} of {} connections", open, most);
            }
            if (full) {
                pressed = true;
            } else if (open <= roomy) {
                pressed = false;
            }
            if (sweeping || swept == pressed) {
                return;
            }
            sweeping = true;
        } finally {
            lock.unlock();
        }
        sweep();
    }

    /// Without the lock: a connection that is let go comes back to the count. One sweep at a time, until nothing else is wanted.
    private void sweep() {
        while (sweepOn()) {
            boolean press = pressed;
            for (var endPoint : connector.getConnectedEndPoints()) {
                if (press) {
                    press(endPoint);
                } else if (endPoint.getIdleTimeout() == patience) {
                    endPoint.setIdleTimeout(connector.getIdleTimeout());
                }
            }
        }
    }

    private boolean sweepOn() {
        lock.lock();
        try {
            sweeping = swept != pressed;
            swept = pressed;
            return sweeping;
        } finally {
            lock.unlock();
        }
    }

    /// A WebSocket may be silent for as long as it likes: whoever has one has shown a key.
    private void press(EndPoint endPoint) {
        if (!(endPoint.getConnection() instanceof WebSocketConnection)) {
            endPoint.setIdleTimeout(Math.min(patience, connector.getIdleTimeout()));
        }
    }
}
