// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import dev.redoma.model.SandboxId;
import dev.redoma.policy.Rate;
import dev.redoma.policy.Rule;
import dev.redoma.store.Store;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/// What a sandbox has spent of its rules' rates and byte budgets, by what the rules speak of, wherever they stand. Bytes count over its whole life: they are written down every
/// second and at the end of each connection, so that a server that is killed forgets the last second at most. Rates begin anew with each start of the server. Thread-safe.
final class Budgets {
    private final Store store;
    private final SandboxId sandbox;
    private final Map<String, Bucket> rates = new ConcurrentHashMap<>();
    private final Map<String, AtomicLong> spent = new ConcurrentHashMap<>();
    private final Map<String, Long> written = new HashMap<>();
    private boolean over;

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
        return rate == null || rates.computeIfAbsent(rule.budget() + " " + rate, id -> new Bucket(rate.count(), rate.count() * 1000.0 / rate.per().toMillis())).take();
    }

    private boolean exhausted(Rule rule) {
        return rule.bytes() != null && counter(rule).get() >= rule.bytes();
    }

    private AtomicLong counter(Rule rule) {
        return spent.computeIfAbsent(rule.budget(), id -> new AtomicLong());
    }

    /// What a connection's bytes are counted towards, and the most that it may come to.
    record Charge(AtomicLong spent, long most) {}

    List<Charge> charges(List<Rule> rules) {
        var charges = new ArrayList<Charge>();
        for (Rule rule : rules) {
            if (rule.bytes() != null) {
                charges.add(new Charge(counter(rule), rule.bytes()));
            }
        }
        return charges;
    }

    /// False: with these one of the budgets is exceeded, and they must not pass.
    static boolean spend(List<Charge> charges, int bytes) {
        boolean within = true;
        for (Charge charge : charges) {
            within &= charge.spent().addAndGet(bytes) <= charge.most();
        }
        return within;
    }

    /// Nothing is written after this: its sandbox may be forgotten by then, or counted by another.
    synchronized void end() {
        try {
            save();
        } finally {
            over = true;
        }
    }

    synchronized void save() {
        if (over) {
            return;
        }
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
