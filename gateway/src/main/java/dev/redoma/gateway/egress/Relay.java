// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CountDownLatch;

/// Carries bytes both ways between a program inside and what it reached, in constant memory. The end of one way ends that way only.
final class Relay {
    private final Link link;
    private final Spacious spacious;
    private final Grounds by;
    private final SocketChannel inside;
    private final SocketChannel outside;
    private volatile boolean upStays;
    /// The program has said that it sends no more, and the other end that it does not.
    private volatile boolean upEnded;
    private volatile boolean downEnded;

    /// `by`: what allows it, whose budgets it spends.
    Relay(Link link, Spacious spacious, Grounds by) {
        this.link = link;
        this.spacious = spacious;
        this.by = by;
        this.inside = link.inside();
        this.outside = link.outside();
    }

    /// The end of what the program sends is not told to the other end, which some servers take for the end of all.
    void keepUpOpen() {
        upStays = true;
    }

    /// What the program said is none of what it may: that is on record.
    void refused() {
        link.end("refused");
    }

    void sendUp(ByteBuffer bytes) throws IOException {
        link.goingUp(bytes.remaining(), by);
        send(bytes, outside);
    }

    private void sendDown(ByteBuffer bytes) throws IOException {
        link.goingDown(bytes.remaining(), by);
        try {
            send(bytes, inside);
        } catch (IOException gone) {
            throw new ProgramGone(gone);
        }
    }

    private static final class ProgramGone extends IOException {
        private static final long serialVersionUID = 1L;

        ProgramGone(IOException why) {
            super(why);
        }
    }

    private void send(ByteBuffer bytes, SocketChannel to) throws IOException {
        while (bytes.hasRemaining()) {
            to.write(bytes);
            link.active();
        }
    }

    /// Returns when both ways have ended. `first`: what the program sends goes through it; it may refuse by throwing.
    void run(UpStream first) {
        var downDone = new CountDownLatch(1);
        Thread.ofVirtual().name("egress-down").start(() -> {
            try {
                downward();
            } finally {
                downDone.countDown();
            }
        });
        upward(first);
        while (true) {
            try {
                downDone.await(); // ends: whoever watches over idle connections closes this one
                return;
            } catch (InterruptedException e) {
                link.end("stopped");
            }
        }
    }

    /// Sends up what the program says.
    interface UpStream {
        void carry(InputStream from) throws IOException;
    }

    private void upward(UpStream stream) {
        try {
            stream.carry(inside.socket().getInputStream());
            upEnded = !upStays;
            if (upEnded) {
                tellEnd(outside);
            }
        } catch (IOException gone) {
            broken(downEnded);
        } catch (RuntimeException failed) {
            link.end("failed");
            throw failed;
        }
    }

    /// Whoever is gone already needs not be told.
    private static void tellEnd(SocketChannel to) {
        try {
            to.shutdownOutput();
        } catch (IOException gone) {
            // it is closed, or was reset when all had been said
        }
    }

    /// `left`: the end to which nothing can be brought any more had ended its own way properly: what was on its way then it did not wait for.
    private void broken(boolean left) {
        if (left) {
            link.finish();
        } else {
            link.end("broken");
        }
    }

    /// As it comes.
    void copyUp() throws IOException {
        new Flow(spacious).carry(inside, this::sendUp);
    }

    private void downward() {
        try {
            new Flow(spacious).carry(outside, this::sendDown);
            downEnded = true;
            tellEnd(inside);
        } catch (ProgramGone gone) {
            broken(upEnded);
        } catch (IOException gone) {
            link.end("broken");
        }
    }
}
