// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.ingress;

import dev.redoma.gateway.HttpAnswer;
import dev.redoma.gateway.ingress.Doors.Door;
import dev.redoma.http.Exchange;
import dev.redoma.http.Tunnel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Optional;
import org.eclipse.jetty.http.HttpCompliance;
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
    private final SocketChannel app;
    private final Lookout lookout;
    private final Optional<SocketChannel> client;

    Passage(Exchange http, Target target, Door door, SocketChannel app, Lookout lookout) {
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
        try {
            boolean upgrade = http.wantsUpgrade();
            write(ByteBuffer.wrap(Heads.request(http, target, door, upgrade)));
            upload.start();
            handedOver = answer(new HttpAnswer(app::read, buffer, HttpCompliance.RFC7230), upgrade);
        } finally {
            lookout.release(this);
            if (!handedOver) {
                hangUp();
                upload.end();
            }
            Buffers.giveBack(buffer);
        }
    }

    private boolean answer(HttpAnswer answer, boolean upgrade) throws IOException {
        if (http.head()) {
            answer.withoutContent();
        }
        try {
            if (!answer.finalHead()) {
                throw new IOException("it closed the connection without an answer");
            }
        } catch (IOException broken) {
            new Refusal(502, "The app's answer cannot be passed on", target, true).send(http);
            LOG.debug("{}: {}", target, broken.toString());
            return false;
        }
        if (answer.status() == 101) {
            return switchOver(answer, upgrade);
        }
        pass(answer);
        return false;
    }

    private void pass(HttpAnswer answer) throws IOException {
        var head = Heads.answer(answer);
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
            if (!answer.ready()) {
                out.flush(); // nothing more has come yet: events must not wait for the next one
            }
            try {
                piece = answer.piece();
            } catch (IOException broken) {
                throw Exchange.brokenOff(broken);
            }
        }
    }

    private boolean switchOver(HttpAnswer answer, boolean asked) throws IOException {
        if (!asked) {
            new Refusal(502, "The app's answer cannot be passed on", target, true).send(http);
            return false;
        }
        var ahead = ByteBuffer.allocate(answer.rest().remaining()).put(answer.rest()).flip();
        http.tunnel(Heads.switching(answer), tunnel -> both(tunnel, ahead));
        return true;
    }

    /// Until both ends have said their last.
    private void both(Tunnel tunnel, ByteBuffer ahead) throws IOException {
        var up = Thread.ofVirtual().name("tunnel-up").start(() -> up(tunnel));
        try {
            client.ifPresent(socket -> lookout.watch(this, socket, () -> {
                tunnel.close();
                hangUp();
            }));
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

    private void hangUp() {
        try {
            app.close();
        } catch (IOException gone) {
            LOG.debug("{}: {}", target, gone.toString());
        }
    }
}
