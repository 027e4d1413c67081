// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import dev.redoma.engine.Network;
import dev.redoma.ledger.Ledger;
import dev.redoma.model.SandboxId;
import dev.redoma.model.TenantId;
import dev.redoma.model.wire.AuditRecord;
import dev.redoma.policy.Reason;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// How often policy refused something of one sandbox: what earlier servers have on record, and what this one refused. Thread-safe.
final class RefusalCount {
    private static final String NAMES = "dns.denied";
    private static final String CONNECTIONS = "connect.denied";
    private static final String REQUESTS = "request.denied";
    static final java.util.Set<String> ACTIONS = java.util.Set.of(NAMES, CONNECTIONS, REQUESTS, RefusedPackets.DENIED);
    private static final int PAGE = 1000;

    private final Ledger ledger;
    private final TenantId tenant;
    private final SandboxId sandbox;
    private final Map<String, Long> here = new ConcurrentHashMap<>();
    private volatile Network.@Nullable Refusal latest;
    private final ReentrantLock lock = new ReentrantLock();
    /// Below: guarded by it. The first record that this server may have written; what comes before is of earlier ones.
    private long first = Long.MAX_VALUE;
    private @Nullable Map<String, Long> before;

    RefusalCount(Ledger ledger, TenantId tenant, SandboxId sandbox) {
        this.ledger = ledger;
        this.tenant = tenant;
        this.sandbox = sandbox;
    }

    /// A failure to reach what policy allows (`connect.failed`, or a name without any address) is no refusal, nor is what was more than there may be at once.
    private static boolean refusal(String action, @Nullable Object reason) {
        return ACTIONS.contains(action) && !Reason.NO_ADDRESS.wire().equals(reason)
                && !EgressRecords.TOO_MANY.equals(reason);
    }

    void one(String action, @Nullable String reason) {
        more(action, reason, 1);
    }

    void more(String action, @Nullable String reason, long times) {
        if (refusal(action, reason)) {
            here.merge(action, times, Long::sum);
        }
    }

    /// By this way alone.
    long here() {
        return here.values().stream().mapToLong(Long::longValue).sum();
    }

    void latest(Fact fact) {
        if (refusal(fact.action(), fact.reason())) {
            latest = new Network.Refusal(fact.host(), fact.address(), fact.port(), fact.rule(), fact.reason());
        }
    }

    /// Before it is committed.
    void appended(long seq) {
        lock.lock();
        try {
            first = Math.min(first, seq);
        } finally {
            lock.unlock();
        }
    }

    /// Reads the ledger when it is asked for the first time.
    Network.Refused told() {
        Map<String, Long> earlier = earlier();
        return new Network.Refused(sum(NAMES, earlier), sum(CONNECTIONS, earlier), sum(REQUESTS, earlier), sum(RefusedPackets.DENIED, earlier), latest);
    }

    private long sum(String action, Map<String, Long> earlier) {
        return earlier.getOrDefault(action, 0L) + here.getOrDefault(action, 0L);
    }

    private Map<String, Long> earlier() {
        lock.lock();
        try {
            if (before != null) {
                return before;
            }
        } finally {
            lock.unlock();
        }
        var found = new ConcurrentHashMap<String, Long>();
        long after = 0;
        List<AuditRecord> page;
        do {
            page = ledger.read(tenant.value(), sandbox.value(), "egress", after, PAGE);
            long end = begun();
            page.stream().filter(r -> r.seq() < end && refusal(r.action(), r.fields().get("reason"))).forEach(r -> found.merge(r.action(), times(r), Long::sum));
            after = page.isEmpty() ? after : page.getLast().seq();
        } while (page.size() == PAGE && after < begun());
        lock.lock();
        try {
            before = Map.copyOf(found);
            return before;
        } finally {
            lock.unlock();
        }
    }

    private long begun() {
        lock.lock();
        try {
            return first;
        } finally {
            lock.unlock();
        }
    }

    /// A record of what was counted stands for as many as it says; its first had one of its own.
    private static long times(AuditRecord counted) {
        return counted.fields().get("again") instanceof Number again ? again.longValue() : 1;
    }
}
