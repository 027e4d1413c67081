// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.ingress;

import dev.redoma.engine.Exposures.Visit;
import dev.redoma.gateway.HttpAnswer;
import dev.redoma.gateway.ingress.Doors.Door;
import dev.redoma.http.Exchange;
import dev.redoma.http.Tunnel;
import dev.redoma.model.Code;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Optional;
import java.util.function.Function;
import org.eclipse.jetty.http.HttpCompliance;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One request on its way to an app in a sandbox and the answer on its way back, both as they come and in constant memory. What the app
/// answers is hostile: its head is bounded and parsed, and what is broken is told as a bad gateway.
final class Passage {
    private static final Logger LOG = LoggerFactory.getLogger(Passage.class);
    private static final int BUFFER = 128 << 10;

    private final Exchange http;
    private final Target target;
    private final Door door;
    private final Doors doors;
    private final SocketChannel app;
    private final Lookout lookout;
    private final Function<Runnable, Visit> visiting;
    private final Optional<SocketChannel> client;
    /// It may be there no longer; and something of the answer is on its way. Whoever sets one looks at the other after.
    private volatile boolean over;
    private volatile boolean answering;
    private volatile @Nullable Tunnel tunnelled;

    /// `visiting`: takes what cuts this off as soon as its visitor may no longer be there.
    Passage(Exchange http, Target target, Door door, Doors doors, SocketChannel app, Lookout lookout, Function<Runnable, Visit> visiting) {
        this.doors = doors;
        this.visiting = visiting;
        this.http = http;
        this.target = target;
        this.door = door;
        this.app = app;
        this.lookout = lookout;
        this.client = http.socket();
    }

    void run() throws Exception {
        boolean handedOver = false;
        http.onFailure(this::hangUp);
        client.ifPresent(socket -> lookout.watch(this, socket, this::hangUp));
        var buffer = Buffers.take();
        var upload = new Upload(http, app);
        var visit = visiting.apply(this::cutOff);
        try {
            boolean upgrade = http.wantsUpgrade();
            ask(new Inward(http, target, door, doors).head(upgrade));
            upload.start();
            handedOver = answer(new HttpAnswer(app::read, buffer, HttpCompliance.RFC7230), upgrade, visit);
        } finally {
            lookout.release(this);
            if (!handedOver) {
                visit.close();
                hangUp();
                upload.end();
            }
            Buffers.giveBack(buffer);
        }
    }

    private boolean answer(HttpAnswer answer, boolean upgrade, Visit visit) throws IOException {
        if (http.head()) {
            answer.withoutContent();
        }
        try {
            if (!answer.finalHead()) {
                throw new IOException("it closed the connection without an answer");
            }
        } catch (IOException broken) {
            (over ? ended() : unfit()).send(http);
            LOG.debug("{}: {}", target, broken.toString());
            return false;
        }
        if (answer.status() == 101) {
            return switchOver(answer, upgrade, visit);
        }
        pass(answer);
        return false;
    }

    /// One that takes no request may have answered all the same.
    private void ask(byte[] head) {
        try {
            write(ByteBuffer.wrap(head));
        } catch (IOException refused) {
            LOG.debug("{}: {}", target, refused.toString());
        }
    }

    private void pass(HttpAnswer answer) throws IOException {
        answering = true;
        if (over) {
            ended().send(http);
            return;
        }
        var head = Outward.of(answer, target);
        var out = http.stream(answer.status(), head.fields(), head.length());
        ByteBuffer piece;
        try {
            piece = answer.piece();
            if (piece == null) {
                return;
            }
        } catch (IOException broken) {
            throw Exchange.brokenOff(broken);
        }
        while (piece != null) {
            out.write(piece);
            try {
                if (!answer.ready()) {
                    out.flush(); // nothing more has come yet: events must not wait for the next one
                }
                piece = answer.piece();
            } catch (IOException broken) {
                throw Exchange.brokenOff(broken);
            }
        }
    }

    private Refusal unfit() {
        return Refusal.ofPort(target, 502, Code.BAD_ANSWER, "The app's answer cannot be passed on");
    }

    private Refusal ended() {
        return Refusal.ofPort(target, 403, Code.PORT_NOT_EXPOSED, "This port is not exposed any more.");
    }

    private boolean switchOver(HttpAnswer answer, boolean asked, Visit visit) throws IOException {
        if (!asked) {
            unfit().send(http);
            return false;
        }
        var ahead = ByteBuffer.allocate(answer.rest().remaining()).put(answer.rest()).flip();
        http.tunnel(Outward.switching(answer, target), tunnel -> both(tunnel, ahead, visit));
        return true;
    }

    /// Until both ends have said their last.
    private void both(Tunnel tunnel, ByteBuffer ahead, Visit visit) throws IOException {
        tunnelled = tunnel;
        var up = Thread.ofVirtual().name("tunnel-up").start(() -> up(tunnel));
        try {
            client.ifPresent(socket -> lookout.watch(this, socket, () -> {
                tunnel.close();
                hangUp();
            }));
            if (over) {
                return; // it ended while it was handed over
            }
            if (ahead.hasRemaining()) {
                tunnel.write(ahead);
            }
            var buffer = ByteBuffer.allocateDirect(BUFFER / 4);
            while (app.read(buffer.clear()) >= 0) {
                tunnel.write(buffer.flip());
            }
            tunnel.shutdownOutput();
            up.join();
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        } finally {
            visit.close();
            lookout.release(this);
            tunnel.close();
            hangUp();
        }
    }

    private void up(Tunnel tunnel) {
        try {
            var buffer = ByteBuffer.allocateDirect(BUFFER / 4);
            while (tunnel.read(buffer.clear()) >= 0) {
                write(buffer.flip());
            }
            app.shutdownOutput();
        } catch (IOException ended) {
            hangUp();
        }
    }

    private void write(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            app.write(bytes);
        }
    }

    /// Whatever is under way ends now, on both sides: what the app has sent and the client has not read yet is not sent on.
    private void cutOff() {
        over = true;
        hangUp();
        var tunnel = tunnelled;
        if (tunnel != null) {
            tunnel.close();
        } else if (answering) {
            http.breakOff();
        }
    }

    private void hangUp() {
        try {
            app.close();
        } catch (IOException gone) {
            LOG.debug("{}: {}", target, gone.toString());
        }
    }
}
