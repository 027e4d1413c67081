// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.ingress;

import dev.redoma.engine.Ports;
import dev.redoma.gateway.ingress.Doors.Door;
import dev.redoma.http.Endpoint;
import dev.redoma.http.Exchange;
import dev.redoma.model.Code;
import dev.redoma.model.RedomaException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import org.jspecify.annotations.Nullable;

/// The router: finds the sandbox and port that a request is for and lets it through, or says why not. Thread-safe.
public final class Ingress implements Endpoint, AutoCloseable {
    private static final String TOKEN = "e2b-traffic-access-token";

    private final Doors doors;
    private final Ports ports;
    private final Lookout lookout = new Lookout();
    private final Tries tries = new Tries();

    public Ingress(Doors doors, Ports ports) {
        this.doors = doors;
        this.ports = ports;
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
            new Refusal(odd.status(), "the request cannot be routed: " + odd.getMessage(), null, false).send(http);
            return;
        }
        if (target == null) {
            new Refusal(400, "the request names no sandbox: use a host such as 3000-ID.DOMAIN, or the headers E2b-Sandbox-Id and E2b-Sandbox-Port", null, false).send(http);
            return;
        }
        var door = doors.find(target.sandbox());
        if (door == null) {
            new Refusal(502, "The sandbox was not found", target, false).send(http);
            return;
        }
        enter(http, target, door);
    }

    private void enter(Exchange http, Target target, Door door) throws Exception {
        var inside = door.inside().get(target.port());
        if (inside == null && door.token() != null && !same(door.token(), http.header(TOKEN))) {
            new Refusal(403, "The traffic access token is missing or wrong (header " + TOKEN + ")", target, false).send(http);
        } else if (inside != null) {
            inside.handle(http);
        } else if (!door.asleep() || woken(http, target, door)) {
            forward(http, target, door);
        }
    }

    /// The engine's waits have ends. What it refuses by is told as the code of the problem, not in its words: whoever asks has no key.
    private boolean woken(Exchange http, Target target, Door door) throws Exception {
        try {
            ports.awake(door.caller(), target.sandbox());
            return true;
        } catch (RedomaException refused) {
            int status = refused.code().status();
            new Refusal(status == 409 || status == 429 || status == 503 ? status : 502, "The sandbox sleeps and could not be resumed (" + refused.code().wire() + ")", target, false).send(http);
            return false;
        }
    }

    private void forward(Exchange http, Target target, Door door) throws Exception {
        SocketChannel app;
        try {
            app = ports.connect(door.caller(), target.sandbox(), target.port());
        } catch (RedomaException refused) {
            new Refusal(refused.code() == Code.NOTHING_LISTENS ? 502 : refused.code().status() == 429 ? 429 : 502,
                    refused.code() == Code.NOTHING_LISTENS ? "The sandbox is running but port is not open" : "The sandbox was not found", target,
                    refused.code() == Code.NOTHING_LISTENS).send(http);
            return;
        }
        new Passage(http, target, door, app, lookout).run();
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
        return new Target(sandbox, SIGNED);
    }

    private static final int SIGNED = 49_983;

    private static boolean same(String expected, @Nullable String given) {
        return given != null && MessageDigest.isEqual(expected.getBytes(StandardCharsets.UTF_8), given.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void close() {
        lookout.close();
    }
}
