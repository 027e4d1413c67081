// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.control;

import dev.redoma.engine.Policies;
import dev.redoma.engine.Sandboxes;
import dev.redoma.http.Exchange;
import dev.redoma.http.Route;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.Scope;
import dev.redoma.model.wire.Sandbox;
import dev.redoma.protocols.e2b.Door;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/// Life of sandboxes.
final class SandboxCalls {
    private static final long OLD_TIMEOUT = 15;
    private static final long TIMEOUT = 300;

    private final Endpoints on;
    private final Door door;
    private final Sandboxes sandboxes;
    private final Answers answers;
    private final Orders orders;
    private final Policies policies;

    SandboxCalls(Endpoints on, Door door, Sandboxes sandboxes, Answers answers, Orders orders, Policies policies) {
        this.on = on;
        this.door = door;
        this.sandboxes = sandboxes;
        this.answers = answers;
        this.orders = orders;
        this.policies = policies;
    }

    List<Route> routes() {
        return List.of(
                on.post("/sandboxes", Scope.CREATE, c -> create(c, OLD_TIMEOUT, false)),
                on.post("/v2/sandboxes", Scope.CREATE, c -> create(c, TIMEOUT, true)),
                on.get("/v2/sandboxes", Scope.READ, this::list),
                on.get("/sandboxes", Scope.READ, c -> c.http().json(200, everything(c))),
                on.get("/sandboxes/{id}", Scope.READ, this::detail),
                on.delete("/sandboxes/{id}", Scope.CREATE, this::kill),
                on.post("/sandboxes/{id}/timeout", Scope.CREATE, this::timeout),
                on.post("/sandboxes/{id}/refreshes", Scope.CREATE, this::refresh),
                on.post("/sandboxes/{id}/connect", Scope.CREATE, this::connect),
                on.post("/v2/sandboxes/{id}/connect", Scope.CREATE, this::connect),
                on.post("/sandboxes/{id}/pause", Scope.CREATE, this::pause),
                on.post("/sandboxes/{id}/resume", Scope.CREATE, this::resume));
    }

    private void create(Asked c, long otherwise, boolean secured) throws IOException {
        var request = Requests.body(c.http(), Requests.NewSandbox.class);
        door.create(c.http(), c.caller(), sandboxes, orders.of(c.caller(), request, otherwise, secured), made -> c.http().json(201, answers.made(made)));
    }

    private void detail(Asked c) throws IOException {
        var sandbox = living(c);
        c.http().json(200, answers.detail(sandbox, policies.network(c.caller(), sandbox.id())));
    }

    private void list(Asked c) throws IOException {
        var page = sandboxes.list(c.caller(), ListQuery.of(c.caller(), c.http().query()));
        if (page.next() != null) {
            c.http().set("X-Next-Token", page.next());
        }
        c.http().json(200, page.items().stream().map(Answers::listed).toList());
    }

    /// The old list has no pages.
    private List<Answers.Listed> everything(Asked c) {
        var all = new java.util.ArrayList<Answers.Listed>();
        var query = ListQuery.old(c.http().query());
        while (true) {
            var page = sandboxes.list(c.caller(), query);
            page.items().forEach(s -> all.add(Answers.listed(s)));
            if (page.next() == null) {
                return all;
            }
            query = new Sandboxes.Query(query.states(), query.labels(), null, page.next(), query.limit());
        }
    }

    /// One that has ended is not found, and the message says what ended it and when.
    private Sandbox living(Asked c) {
        var sandbox = sandboxes.get(c.caller(), c.sandbox());
        if (sandbox.state().equals("ended")) {
            var reason = sandbox.reason();
            throw Problem.of(Code.SANDBOX_ENDED, "The sandbox " + sandbox.id() + " ended at " + sandbox.endedAt() + (reason == null ? "." : " (" + reason.kind() + ")."),
                    "Make a new one.").with("reason", reason == null ? "killed" : reason.kind()).raise();
        }
        return sandbox;
    }

    private void kill(Asked c) throws IOException {
        sandboxes.kill(c.caller(), living(c).id());
        c.http().nothing();
    }

    private void timeout(Asked c) throws IOException {
        var wanted = Requests.body(c.http(), Requests.Timeout.class).timeout();
        sandboxes.setLifetime(c.caller(), running(c).id(), Orders.seconds("timeout", wanted));
        c.http().nothing();
    }

    /// Never takes anything away.
    private void refresh(Asked c) throws IOException {
        var asked = Requests.body(c.http(), Requests.Refresh.class).duration();
        prolong(c, running(c), Orders.seconds("duration", asked == null ? OLD_TIMEOUT : asked));
        c.http().nothing();
    }

    private Sandbox prolong(Asked c, Sandbox sandbox, Duration atLeast) {
        var end = sandbox.endsAt();
        return end != null && end.isAfter(Instant.now().plus(atLeast)) ? sandbox : sandboxes.setLifetime(c.caller(), sandbox.id(), atLeast);
    }

    private Sandbox running(Asked c) {
        var sandbox = living(c);
        if (!Answers.state(sandbox).equals("running")) {
            throw Problem.of(Code.SANDBOX_NOT_FOUND, "The sandbox " + sandbox.id() + " is paused.", "Connect to it first.").raise();
        }
        return sandbox;
    }

    private void connect(Asked c) throws IOException {
        var asked = Requests.body(c.http(), Requests.Waking.class);
        Requests.unguarded(asked.secure(), asked.allowPublicTraffic(), asked.network());
        var sandbox = living(c);
        var atLeast = Orders.seconds("timeout", asked.timeout() == null ? TIMEOUT : asked.timeout());
        if (Answers.state(sandbox).equals("running")) {
            c.http().json(200, answers.made(asked.timeout() == null ? sandbox : prolong(c, sandbox, atLeast)));
        } else {
            c.http().json(201, answers.made(woken(c, sandbox, asked, atLeast)));
        }
    }

    /// What kept its processes is thawed, unless the caller wants it without them; what kept its disk is started.
    private Sandbox woken(Asked c, Sandbox sandbox, Requests.Waking asked, Duration atLeast) {
        boolean frozen = sandbox.state().equals("paused");
        if (frozen && Boolean.FALSE.equals(asked.memory())) {
            sandboxes.stop(c.caller(), sandbox.id());
            frozen = false;
        }
        var woken = frozen ? sandboxes.resume(c.caller(), sandbox.id()) : sandboxes.start(c.caller(), sandbox.id());
        return sandboxes.setLifetime(c.caller(), woken.id(), atLeast);
    }

    private void resume(Asked c) throws IOException {
        var asked = Requests.body(c.http(), Requests.Waking.class);
        var sandbox = living(c);
        if (Answers.state(sandbox).equals("running")) {
            throw Problem.of(Code.WRONG_STATE, "The sandbox " + sandbox.id() + " is running already.", "Connect to it.").raise();
        }
        if (Boolean.TRUE.equals(asked.autoPause()) && sandbox.onTimeout().equals("kill")) {
            throw Egress.notOffered("autoPause", "what happens at a sandbox's end is fixed when it is made.", "Give it to create.");
        }
        c.http().json(201, answers.made(woken(c, sandbox, asked, Orders.seconds("timeout", asked.timeout() == null ? OLD_TIMEOUT : asked.timeout()))));
    }

    /// Without memory it is stopped: the disk stays, processes end.
    private void pause(Asked c) throws IOException {
        var asked = Requests.body(c.http(), Requests.Waking.class);
        var sandbox = living(c);
        if (!Answers.state(sandbox).equals("running")) {
            throw Problem.of(Code.WRONG_STATE, "The sandbox " + sandbox.id() + " is paused already.", "Connect to it to resume it.").raise();
        }
        if (Boolean.FALSE.equals(asked.memory())) {
            sandboxes.stop(c.caller(), sandbox.id());
        } else {
            sandboxes.pause(c.caller(), sandbox.id());
        }
        c.http().nothing();
    }
}
