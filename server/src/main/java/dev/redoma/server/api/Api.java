// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.api;

import dev.redoma.http.Exchange;
import dev.redoma.http.Route;
import dev.redoma.http.Router;
import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.Scope;
import dev.redoma.model.TenantId;
import dev.redoma.server.keys.Keys;
import dev.redoma.server.keys.Rates;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The edge of the API: key, rate, scope and parameters are checked here, before an operation runs. Thread-safe.
public final class Api {
    private static final Caller NOBODY = new Caller("nobody", TenantId.DEFAULT, Set.of());
    private static final String HINT = "This server offers /v1 (see GET /v1/openapi.json).";

    private final List<Operation> operations;
    private final Keys keys;
    private final Rates rates;
    private volatile boolean stopping;

    public Api(List<Operation> operations, Keys keys, Rates rates) {
        this.operations = List.copyOf(operations);
        this.keys = keys;
        this.rates = rates;
    }

    public Router router() {
        return new Router(operations.stream().map(o -> new Route(o.method(), o.path(), x -> handle(o, x))).toList(), HINT);
    }

    public List<Operation> operations() {
        return operations;
    }

    private void handle(Operation operation, Exchange exchange) throws Exception {
        if (stopping) {
            throw stopping();
        }
        var caller = operation.open() ? NOBODY : admit(operation, exchange);
        exchange.query().only(known(operation));
        operation.action().run(new Call(exchange, caller, () -> check(caller)));
    }

    private Caller admit(Operation operation, Exchange exchange) {
        var caller = keys.authenticate(token(exchange));
        rates.take(caller.key());
        if (operation.scope() == Scope.OPERATE && !caller.operator()) {
            throw Problem.of(Code.FORBIDDEN, "Only operators may do this.", "Use an operator's key.").with("scope", "operate").raise();
        }
        if (operation.scope() != null) {
            caller.need(operation.scope());
        }
        return caller;
    }

    private static @Nullable String token(Exchange exchange) {
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
            throw Problem.of(Code.UNAUTHENTICATED, "This key was revoked.", "Use another key.").raise();
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
