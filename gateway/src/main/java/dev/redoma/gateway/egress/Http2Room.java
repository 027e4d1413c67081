// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// What a program lets be sent to it over one connection of HTTP/2 (RFC 9113, 5.2). The origin believes that all of it is its own; refusals of the gateway take of the same. What they took
/// is kept back from the next that the program lets come, and where both together are more than it takes, the origin waits. Refusals for which there is no room wait here. Guarded by
/// the lock of what goes to the program.
final class Http2Room {
    private static final int STANDARD = 65_535;
    private static final long MOST = Integer.MAX_VALUE;
    /// Refusals that wait: of more the program, which takes nothing, gets the status alone.
    private static final int WAITING = 64;

    private final ReentrantLock lock;
    private final Condition more;
    private long connection = STANDARD;
    private long ofStreams = STANDARD;
    /// What refusals took, until the program has given it back.
    private long owed;
    private boolean over;
    private final Map<Integer, Waiting> waiting = new LinkedHashMap<>();

    /// `more`: what the program lets come on its stream beyond what it lets come on all.
    private record Waiting(Frame body, boolean reset, long more) {}

    Http2Room(ReentrantLock lock) {
        this.lock = lock;
        this.more = lock.newCondition();
    }

    /// For so much of the origin's. Throws when the connection has ended.
    void await(int bytes) throws IOException {
        try {
            while (!over && connection < bytes) {
                more.await(); // ends: the program lets more come, or whoever watches over idle connections ends this one
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", stopped);
        }
        if (over) {
            throw new IOException("the program has gone");
        }
        connection -= bytes;
    }

    /// Whether a refusal's body could go now or, `mayWait`, later.
    boolean takes(int bytes, boolean mayWait) {
        return waiting.isEmpty() && fits(bytes, 0) || mayWait && waiting.size() < WAITING;
    }

    /// What is to be sent now of a refusal that `takes` let in.
    List<Frame> body(Frame body, boolean reset) {
        waiting.put(body.stream(), new Waiting(body, reset, 0));
        return ready();
    }

    private boolean fits(int bytes, long more) {
        return connection >= bytes && ofStreams + more >= bytes;
    }

    private List<Frame> ready() {
        var ready = new ArrayList<Frame>();
        waiting.values().removeIf(w -> {
            int bytes = w.body.payload().length;
            if (!fits(bytes, w.more)) {
                return false;
            }
            connection -= bytes;
            owed += bytes;
            ready.add(w.body);
            if (w.reset) {
                ready.add(reset(w.body.stream()));
            }
            return true;
        });
        return ready;
    }

    static Frame reset(int stream) {
        return Frame.number(Frame.RST_STREAM, stream, 0);
    }

    /// The program lets more come on the whole connection: how much of it is for the origin to know.
    long grown(int bytes) throws Frame.Broken {
        connection += bytes;
        if (connection > MOST) {
            throw new Frame.Broken("a window without measure");
        }
        long kept = Math.min(owed, bytes);
        owed -= kept;
        return bytes - kept;
    }

    /// The program lets more come on one stream, which has a refusal that waits.
    void grown(int stream, int bytes) {
        waiting.computeIfPresent(stream, (id, w) -> new Waiting(w.body, w.reset, Math.min(MOST, w.more + bytes)));
    }

    void ofStreams(long bytes) {
        ofStreams = bytes;
    }

    /// What may go now that there is more room.
    List<Frame> regained() {
        List<Frame> ready = ready();
        more.signalAll();
        return ready;
    }

    /// The program does not want it any more.
    void gone(int stream) {
        waiting.remove(stream);
    }

    void end() {
        lock.lock();
        try {
            over = true;
            more.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
