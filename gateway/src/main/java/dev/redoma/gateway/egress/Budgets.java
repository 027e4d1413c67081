// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import dev.redoma.model.SandboxId;
import dev.redoma.policy.EgressDecision.Allow;
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
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

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

    /// A rule that grants no more: of bytes, for good (`retryAfter` 0), or at the time.
    record Spent(Rule rule, long retryAfter) {
        private boolean sooner(Spent other) {
            return retryAfter > 0 && (other.retryAfter == 0 || retryAfter < other.retryAfter);
        }

        /// As in records and answers.
        String reason() {
            return retryAfter > 0 ? "rate" : "budget";
        }

        /// A clause for a human.
        String text() {
            return retryAfter > 0 ? "the rate of its rule (" + rule.rate() + ") is used up; one more is free in " + retryAfter + " s"
                    : "the byte budget of its rule (" + rule.bytes() + " bytes, both directions together) is used up";
        }

        Fact told(Fact refused) {
            return refused.because(reason()).with("budget", rule.id());
        }

        Refused answer(Fact told, @Nullable String host) {
            return Refused.of(403, told, host, text(), retryAfter);
        }
    }

    /// `by`: what lets one more through, the rules that it counts towards first. `spent`: nothing does.
    record More(Allow by, @Nullable Spent spent) {}

    /// One more counts, in each layer, towards the first of the rules that allow it which still grants one: what one of them grants no more another may.
    More oneMore(Allow allow) {
        var counted = new ArrayList<List<Rule>>(allow.candidates().size());
        for (List<Rule> rules : allow.candidates()) {
            Spent first = null;
            Rule grants = null;
            for (Rule rule : rules) {
                Spent spent = grants == null ? spent(rule) : null;
                if (grants == null && spent == null) {
                    grants = rule;
                }
                if (spent != null && (first == null || spent.sooner(first))) {
                    first = spent;
                }
            }
            if (grants == null) {
                return new More(allow, first);
            }
            Rule chosen = grants;
            counted.add(Stream.concat(Stream.of(chosen), rules.stream().filter(r -> r != chosen)).toList());
        }
        return new More(new Allow(allow.egressClass(), allow.passage(), counted), null);
    }

    private @Nullable Spent spent(Rule rule) {
        if (exhausted(rule)) {
            return new Spent(rule, 0);
        }
        Rate rate = rule.rate();
        if (rate == null) {
            return null;
        }
        Bucket bucket = rates.computeIfAbsent(rule.budget() + " " + rate, id -> new Bucket(rate.count(), rate.count() * 1000.0 / rate.per().toMillis()));
        return bucket.take() ? null : new Spent(rule, Math.max(1, Math.ceilDiv(bucket.next(), 1_000_000_000L)));
    }

    /// Where the bytes of one layer's rules are used up, all of them, whatever is asked for: empty where something may be left. `candidates`: of each layer, those that allow it.
    Optional<Spent> nothingLeft(List<List<Rule>> candidates) {
        return candidates.stream().filter(rules -> rules.stream().allMatch(this::exhausted)).map(rules -> new Spent(rules.getFirst(), 0)).findFirst();
    }

    /// For what no rule of several is the one for: those of each layer that have something left come first.
    List<Charge> chargesOfAny(List<List<Rule>> candidates) {
        return charges(candidates.stream().map(rules -> rules.stream().filter(r -> !exhausted(r)).findFirst().orElseGet(rules::getFirst)).toList());
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
