// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.api;

import dev.redoma.engine.Sandboxes;
import dev.redoma.http.Exchange;
import dev.redoma.http.Route;
import dev.redoma.http.Router;
import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.Scope;
import dev.redoma.model.TenantId;
import dev.redoma.model.wire.CreateSandbox;
import dev.redoma.protocols.e2b.Door;
import dev.redoma.server.keys.Keys;
import dev.redoma.server.keys.Rates;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The edge of the API: key, rate, scope and parameters are checked here, before an operation runs. Thread-safe.
public final class Api implements Door {
    private static final Caller NOBODY = new Caller("nobody", TenantId.DEFAULT, Set.of());
    private static final String HINT = "This server offers /v1 (see GET /v1/openapi.json), and the routes of E2B's SDKs 2.45 to 2.63.";

    private final List<Operation> operations;
    private final Keys keys;
    private final Rates rates;
    private volatile boolean stopping;

    public Api(List<Operation> operations, Keys keys, Rates rates) {
        this.operations = List.copyOf(operations);
        this.keys = keys;
        this.rates = rates;
    }

    /// `more`: routes of protocol adapters. What all of them refuse is told to `denials`.
    public Router router(List<Route> more, Denials denials) {
        return new Router(Stream.concat(operations.stream().map(o -> new Route(o.method(), o.path(), x -> handle(o, x))), more.stream()).map(denials::watching).toList(), HINT);
    }

    public List<Operation> operations() {
        return operations;
    }

    private void handle(Operation operation, Exchange exchange) throws Exception {
        if (stopping) {
            throw stopping();
        }
        var caller = operation.open() ? NOBODY : admit(exchange, operation.scope());
        exchange.query().only(known(operation));
        operation.action().run(new Call(exchange, caller, () -> check(caller)));
    }

    @Override
    public Caller admit(Exchange exchange, @Nullable Scope scope) {
        if (stopping) {
            throw stopping();
        }
        var caller = keys.authenticate(token(exchange));
        rates.take(caller.key());
        if (scope == Scope.OPERATE && !caller.operator()) {
            throw Problem.of(Code.FORBIDDEN, "Only operators may do this.", "Use an operator's key.").with("scope", "operate").raise();
        }
        if (scope != null) {
            caller.need(scope);
        }
        return caller;
    }

    @Override
    public void create(Exchange http, Caller caller, Sandboxes sandboxes, CreateSandbox request, Door.Telling telling) throws IOException {
        var key = Making.idempotencyKey(http);
        new Making(sandboxes).make(http, caller, key, () -> sandboxes.create(caller, request, key), telling::tell);
    }

    static @Nullable String token(Exchange exchange) {
        var bearer = exchange.header("Authorization");
        if (bearer != null && bearer.regionMatches(true, 0, "Bearer ", 0, 7)) {
            return bearer.substring(7).strip();
        }
        return exchange.header("X-API-Key");
    }

    private static Set<String> known(Operation operation) {
        return operation.parameters().stream().filter(p -> p.in().equals("query")).map(Operation.Parameter::name).collect(Collectors.toSet());
    }

    private void check(Caller caller) {
        if (stopping) {
            throw stopping();
        }
        if (!keys.alive(caller)) {
            throw Problem.of(Code.UNAUTHENTICATED, "This key was revoked or rotated, or its person's role changed.", "Use a key that holds.").raise();
        }
    }

    private static dev.redoma.model.RedomaException stopping() {
        return Problem.of(Code.STOPPING, "The server is stopping; sandboxes live on.", "Try again when it is back.").with("retryAfterSeconds", 2).raise();
    }

    /// From now on refuses what comes and ends what lasts.
    public void stop() {
        stopping = true;
    }
}
