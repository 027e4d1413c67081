// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import dev.redoma.policy.EgressClass;
import dev.redoma.policy.EgressDecision;
import dev.redoma.policy.Reason;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What is recorded of one thing that wanted out: what it was (`action`), to which host or address and port (0: none), which rule of which class decided, and
/// why. `verified`: what the gateway itself established.
record Fact(
        String action,
        @Nullable String host,
        @Nullable String address,
        int port,
        @Nullable String egressClass,
        @Nullable String rule,
        @Nullable String reason,
        Map<String, Object> more) {
    static final int LONGEST_METHOD = 32;
    private static final int SHOWN = 1024;
    private static final String PATH = "path";

    Fact {
        more = Map.copyOf(more);
    }

    static Fact of(String action, @Nullable String host, int port, EgressDecision decision) {
        String about = decision instanceof EgressDecision.Deny deny && deny.reason() != Reason.PORT ? deny.about() : null; // of a port it is the port, which is told anyway
        return new Fact(action, host, about, port, decision.inClass().map(EgressClass::wire).orElse(null), decision.rule(), decision.allowed() ? null : decision.reason().wire(), Map.of());
    }

    /// The same, by another rule.
    Fact by(String other) {
        return new Fact(action, host, address, port, egressClass, other, reason, more);
    }

    /// Refused by the gateway, where the rules alone would not.
    Fact because(String why) {
        return new Fact(action, host, address, port, egressClass, rule, why, more);
    }

    Fact as(String other) {
        return new Fact(other, host, address, port, egressClass, rule, reason, more);
    }

    Fact at(@Nullable String where) {
        return new Fact(action, host, where, port, egressClass, rule, reason, more);
    }

    /// Without what more was told of it.
    Fact bare() {
        return new Fact(action, host, address, port, egressClass, rule, reason, Map.of());
    }

    /// What a request was. `path`: without its query.
    Fact asked(String method, String path) {
        var all = new LinkedHashMap<>(more);
        all.put("method", method.length() > LONGEST_METHOD ? method.substring(0, LONGEST_METHOD) : method);
        all.put(PATH, path.length() > SHOWN ? path.substring(0, SHOWN) : path);
        return new Fact(action, host, address, port, egressClass, rule, reason, all);
    }

    Fact with(String key, Object value) {
        var all = new LinkedHashMap<>(more);
        all.put(key, value);
        return new Fact(action, host, address, port, egressClass, rule, reason, all);
    }

    Map<String, Object> open() {
        var all = new LinkedHashMap<String, Object>(more);
        all.remove(PATH);
        put(all, "class", egressClass);
        put(all, "rule", rule);
        put(all, "reason", reason);
        if (port > 0) {
            all.put("port", port);
        }
        return all;
    }

    /// Names, addresses and paths may tell of persons: they go with the sandbox's key.
    Map<String, Object> sealed() {
        var all = new LinkedHashMap<String, Object>();
        put(all, "host", host);
        put(all, "address", address);
        put(all, PATH, more.get(PATH));
        return all;
    }

    private static void put(Map<String, Object> to, String key, @Nullable Object value) {
        if (value != null) {
            to.put(key, value);
        }
    }
}
