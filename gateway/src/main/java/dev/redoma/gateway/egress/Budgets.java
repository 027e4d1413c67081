// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import dev.redoma.model.SandboxId;
import dev.redoma.policy.Rate;
import dev.redoma.policy.Rule;
import dev.redoma.store.Store;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/// What a sandbox has spent of its rules' rates and byte budgets. Bytes count over its whole life: they are written down every second and at the end of each
/// connection, so that a server that is killed forgets the last second at most. Rates begin anew with each start of the server. Thread-safe.
final class Budgets {
    private final Store store;
    private final SandboxId sandbox;
    private final Map<String, Bucket> rates = new ConcurrentHashMap<>();
    private final Map<String, AtomicLong> spent = new ConcurrentHashMap<>();
    private final Map<String, Long> written = new HashMap<>();

    Budgets(Store store, SandboxId sandbox) {
        this.store = store;
        this.sandbox = sandbox;
        store.read(tx -> tx.createQuery("SELECT rule, bytes FROM egress_spent WHERE sandbox = :sandbox").bind("sandbox", sandbox.value())
                .map((row, context) -> Map.entry(row.getString(1), row.getLong(2))).list()).forEach(e -> {
                    spent.put(e.getKey(), new AtomicLong(e.getValue()));
                    written.put(e.getKey(), e.getValue());
                });
    }

    /// Empty: one more is within all of them. Else the rule whose rate or budget is used up.
    Optional<Rule> oneMore(List<Rule> rules) {
        return rules.stream().filter(r -> exhausted(r) || !withinRate(r)).findFirst();
    }

    private boolean withinRate(Rule rule) {
        Rate rate = rule.rate();
        return rate == null || rates.computeIfAbsent(rule.id() + " " + rate, id -> new Bucket(rate.count(), rate.count() * 1000.0 / rate.per().toMillis())).take();
    }

    private boolean exhausted(Rule rule) {
        return rule.bytes() != null && counter(rule).get() >= rule.bytes();
    }

    private AtomicLong counter(Rule rule) {
        return spent.computeIfAbsent(rule.id(), id -> new AtomicLong());
    }

    /// False: with these the budget of one of the rules is exceeded, and they must not pass.
    boolean spend(List<Rule> rules, int bytes) {
        boolean within = true;
        for (Rule rule : rules) {
            if (rule.bytes() != null) {
                within &= counter(rule).addAndGet(bytes) <= rule.bytes();
            }
        }
        return within;
    }

    synchronized void save() {
        var changed = new HashMap<String, Long>();
        spent.forEach((rule, bytes) -> {
            if (bytes.get() != written.getOrDefault(rule, 0L)) {
                changed.put(rule, bytes.get());
            }
        });
        if (!changed.isEmpty()) {
            store.write(tx -> {
                changed.forEach((rule, bytes) -> tx.createUpdate("INSERT INTO egress_spent (sandbox, rule, bytes) VALUES (:sandbox, :rule, :bytes)"
                                + " ON CONFLICT (sandbox, rule) DO UPDATE SET bytes = excluded.bytes")
                        .bind("sandbox", sandbox.value()).bind("rule", rule).bind("bytes", bytes).execute());
                return true;
            });
            written.putAll(changed);
        }
    }
}
