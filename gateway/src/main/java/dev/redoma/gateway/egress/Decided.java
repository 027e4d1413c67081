// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import dev.redoma.policy.EgressDecision;
import dev.redoma.policy.EgressDecision.Allow;
import java.util.Optional;

/// Requests on one intercepted connection: each is decided, counted and recorded before anything of it goes on. Thread-safe.
final class Decided {
    private final SandboxEgress sandbox;
    private final Site site;
    private final Passing passing;

    Decided(SandboxEgress sandbox, Site site, Passing passing) {
        this.sandbox = sandbox;
        this.site = site;
        this.passing = passing;
    }

    Site site() {
        return site;
    }

    /// What allows the connection now.
    Grounds connection() {
        return passing.by();
    }

    Link link() {
        return passing.link();
    }

    /// A request that may go on, until `end`; or what is to be answered instead, which is on record.
    sealed interface Outcome {
        record Go(Requests.Ongoing request) implements Outcome {}

        record Stay(Refused refused) implements Outcome {}
    }

    Outcome begin(RequestHead head) {
        String method = head.method();
        String path = head.path();
        var request = new Requests.Ongoing(method, path);
        EgressDecision decision = sandbox.begin(passing, request);
        if (!(decision instanceof Allow allow)) {
            return refuse(403, at(Fact.of("request.denied", name(), site.port(), decision)), method, path, decision.reason().text());
        }
        EgressDecision renamed = head.decided(allow);
        if (!renamed.allowed()) {
            end(request);
            return refuse(403, at(Fact.of("request.denied", name(), site.port(), renamed)), method, path, "one of its fields names another method, and of that " + renamed.reason().text());
        }
        Optional<Outcome> objection = objection(allow, request);
        objection.ifPresent(o -> end(request));
        return objection.orElseGet(() -> new Outcome.Go(request));
    }

    private Optional<Outcome> objection(Allow by, Requests.Ongoing request) {
        String method = request.method();
        String path = request.path();
        var more = sandbox.budgets().oneMore(by);
        Budgets.Spent spent = more.spent();
        if (spent != null) {
            Fact told = spent.told(at(Fact.of("request.denied", name(), site.port(), by)));
            sandbox.records().refused(told.asked(method, path));
            return Optional.of(new Outcome.Stay(spent.answer(told, site.host())));
        }
        Allow allow = more.by();
        request.by().count(by, allow);
        Fact fact = at(Fact.of("request", name(), site.port(), allow)).with("method", method);
        if (sandbox.records().request(fact.asked(method, path), fact) == EgressRecords.Told.TOO_MANY) {
            return Optional.of(refuse(403, at(Fact.of("request.denied", name(), site.port(), allow)).because("too-many"), method, path, "more was asked for at once than can be recorded"));
        }
        return Optional.empty();
    }

    void end(Requests.Ongoing request) {
        java.util.Objects.requireNonNull(passing.requests()).end(request);
    }

    /// What the request itself must not be, whatever rules say.
    Refused fault(int status, RequestFault fault, String method, String path, String why) {
        Allow by = passing.by().now();
        return refuse(status, at(Fact.of("request.denied", name(), site.port(), by)).because(fault.wire()), method, path, why).refused();
    }

    private Outcome.Stay refuse(int status, Fact fact, String method, String path, String why) {
        sandbox.records().refused(fact.asked(method, path));
        return new Outcome.Stay(Refused.of(status, fact, site.host(), why));
    }

    /// It was allowed and recorded, and the origin did not do its part.
    Refused failed(String reason, String why) {
        Fact fact = at(Fact.of("connect.failed", name(), site.port(), passing.by().now())).because(reason);
        sandbox.records().refused(fact);
        return Refused.of(502, fact, site.host(), why);
    }

    private @org.jspecify.annotations.Nullable String name() {
        return site.address() ? null : site.host();
    }

    private Fact at(Fact fact) {
        return site.address() ? fact.at(site.host()) : fact;
    }
}
