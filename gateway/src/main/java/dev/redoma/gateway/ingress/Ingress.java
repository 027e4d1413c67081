// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.ingress;

import dev.redoma.engine.Exposures;
import dev.redoma.engine.Exposures.Visit;
import dev.redoma.engine.Ports;
import dev.redoma.gateway.ingress.Doors.Door;
import dev.redoma.http.Endpoint;
import dev.redoma.http.Exchange;
import dev.redoma.ledger.Ledger;
import dev.redoma.model.Code;
import dev.redoma.model.RedomaException;
import dev.redoma.store.Store;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/// The router: finds the sandbox and port that a request is for and lets it through, or says why not. Thread-safe.
public final class Ingress implements Endpoint, AutoCloseable {
    private static final int SIGNED = 49_983;

    private final Doors doors;
    private final Ports ports;
    private final Exposures exposures;
    private final Entrance entrance;
    private final VisitRecords visits;
    private final Lookout lookout = new Lookout();
    private final Tries tries = new Tries();

    public Ingress(Doors doors, Ports ports, Exposures exposures, Store store, Ledger ledger) {
        this.visits = new VisitRecords(store, ledger);
        this.doors = doors;
        this.ports = ports;
        this.exposures = exposures;
        this.entrance = new Entrance(doors, exposures);
    }

    @Override
    public void handle(Exchange http) throws Exception {
        Target target;
        try {
            target = Target.of(http);
            if (target == null) {
                target = signed(http);
            }
        } catch (Target.NoTarget odd) {
            new Refusal(odd.status(), "the request cannot be routed: " + odd.getMessage()).send(http);
            return;
        }
        if (target == null) {
            new Refusal(400, "the request names no sandbox: use a host such as 3000-ID.DOMAIN, the headers E2b-Sandbox-Id and E2b-Sandbox-Port, or the path /preview/ID/PORT/").send(http);
            return;
        }
        if (!Inward.plain(http)) {
            Refusal.ofPort(target, 400, Code.BAD_REQUEST, "The request cannot be written as HTTP/1.1, which apps speak: blanks or controls in its method or target, or a transfer coding that is not chunked").send(http);
            return;
        }
        if (PlatformKeys.in(http.target(), doors)) {
            Refusal.ofPort(target, 400, Code.INVALID_FIELD, "The address holds a key of this installation, which the app would see; send it in the header X-API-Key").send(http);
            return;
        }
        if (Shown.misplaced(http)) {
            Refusal.ofPort(target, 400, Code.INVALID_FIELD, "The address holds the token of a preview where the app would see it; send it in the header " + Shown.HEADER).send(http);
            return;
        }
        var door = doors.find(target.sandbox(), target.port());
        if (door == null) {
            notFound(target).send(http);
            return;
        }
        enter(http, target, door);
    }

    private static Refusal notFound(Target target) {
        return Refusal.of(target, 502, Code.SANDBOX_NOT_FOUND, "The sandbox was not found");
    }

    private void enter(Exchange http, Target target, Door door) throws Exception {
        var inside = door.inside().get(target.port());
        if (inside != null) {
            if (door.runs()) {
                inside.handle(http);
            } else {
                notFound(target).send(http);
            }
            return;
        }
        switch (entrance.decide(http, target, door)) {
            case Entrance.Refused refused -> {
                var kind = refused.refusal().kind();
                visits.refused(door.caller().tenant().value(), target.sandbox(), target.port(), refused.who(), kind == null ? "refused" : kind.wire(), http.remote());
                refused.refusal().send(http);
            }
            case Entrance.Sent sent -> http.stream(sent.status(), sent.headers(), 0);
            case Entrance.Passed passed -> {
                if (!door.runs()) {
                    new Refusal(502, "The sandbox is " + door.state(), target, false, Code.WRONG_STATE, door.state()).send(http);
                } else if (!door.asleep() || woken(http, target, door)) {
                    forward(http, passed, door);
                }
            }
        }
    }

    /// The engine's waits have ends. What it refuses by is told as the code of the problem, not in its words: whoever asks has no key.
    private boolean woken(Exchange http, Target target, Door door) throws Exception {
        try {
            ports.awake(door.caller(), target.sandbox());
            return true;
        } catch (RedomaException refused) {
            int status = refused.code().status();
            Refusal.of(target, status == 409 || status == 429 || status == 503 ? status : 502, refused.code(), "The sandbox sleeps and could not be resumed (" + refused.code().wire() + ")").send(http);
            return false;
        }
    }

    private void forward(Exchange http, Entrance.Passed passed, Door door) throws Exception {
        var target = passed.target();
        var exposure = passed.exposure();
        SocketChannel app;
        try {
            app = ports.connect(door.caller(), target.sandbox(), target.port());
        } catch (RedomaException refused) {
            if (refused.code() == Code.NOTHING_LISTENS) {
                Refusal.ofPort(target, 502, Code.NOTHING_LISTENS, "The sandbox is running but port is not open").send(http);
            } else {
                Refusal.of(target, refused.code().status() == 429 ? 429 : 502, refused.code().status() == 429 ? refused.code() : Code.SANDBOX_NOT_FOUND, "The sandbox was not found").send(http);
            }
            return;
        }
        try {
            visits.visited(door.caller().tenant().value(), target.sandbox(), target.port(), exposure, passed.who(), http.remote());
        } catch (RedomaException failed) {
            app.close();
            Refusal.of(target, 503, Code.RECORD_FAILED, "The visit could not be recorded, so nothing was passed on").send(http);
            return;
        }
        new Passage(http, target, door, doors, app, lookout, cutOff -> visit(passed, cutOff)).run();
    }

    /// It is cut off when its exposure ends, and when the key that was shown does not stand any more.
    private Visit visit(Entrance.Passed passed, Runnable cutOff) {
        var exposure = passed.exposure();
        Visit visit = exposure == null ? () -> {} : exposures.visit(exposure, cutOff);
        var by = passed.by();
        if (by == null) {
            return visit;
        }
        var watch = new Object();
        lookout.watch(watch, () -> doors.stands(by), cutOff);
        return () -> {
            lookout.release(watch);
            visit.close();
        };
    }

    private @Nullable Target signed(Exchange http) throws Exception {
        if (http.query().get("signature") == null || !http.path().equals("/files")) {
            return null;
        }
        if (!tries.take()) {
            http.set("Retry-After", "1");
            throw new Target.NoTarget(429, "too many signatures were tried; wait a second");
        }
        var sandbox = doors.signed(http);
        if (sandbox == null) {
            throw new Target.NoTarget(401, "the signature fits no sandbox that runs");
        }
        tries.found();
        return new Target(sandbox, SIGNED, Target.Form.HEADERS, http.target());
    }

    @Override
    public void close() {
        lookout.close();
        visits.close();
    }
}
