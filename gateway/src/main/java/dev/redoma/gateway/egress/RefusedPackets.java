// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import dev.redoma.kernel.LoggedPacket;
import dev.redoma.kernel.PacketLog;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The record of what packet rules refused: read from the kernel's log each second, and when somebody asks. Some kinds are told one by one and what repeats is counted; the rest is counted
/// together. It has limits of its own, so that whoever sends packets costs no other record its place. Thread-safe.
final class RefusedPackets {
    /// Of what is no connection.
    static final String DENIED = "packet.denied";
    /// Refused, and the kernel had no room to say what.
    static final String UNSEEN = "unseen";
    private static final Logger LOG = LoggerFactory.getLogger(RefusedPackets.class);
    private static final long WINDOW = TimeUnit.SECONDS.toNanos(10);
    private static final long SUMS = TimeUnit.SECONDS.toNanos(5);
    private static final int KINDS = 256;
    private static final int BURST = 500;
    private static final double PER_SECOND = 2;

    private final PacketLog log;
    private final EgressRecords records;
    private final Function<LoggedPacket, Fact> judge;
    private final ReentrantLock lock = new ReentrantLock();
    private final Bucket bucket = new Bucket(BURST, PER_SECOND);
    private final Map<Fact, Told> told = new LinkedHashMap<>();
    private final Map<Fact, Long> crowd = new LinkedHashMap<>();
    /// To be written.
    private final List<Fact> lines = new ArrayList<>();
    private long summed = System.nanoTime();

    /// A fact of which there is a record, or will be.
    private static final class Told {
        private final long since = System.nanoTime();
        private long again;
    }

    /// `judge`: what is said of a packet.
    RefusedPackets(PacketLog log, EgressRecords records, Function<LoggedPacket, Fact> judge) {
        this.log = log;
        this.records = records;
        this.judge = judge;
    }

    /// What was refused by now is judged and counted. Nothing is written.
    void read() {
        lock.lock();
        try {
            var now = new LinkedHashMap<LoggedPacket, Long>();
            long unseen = log.read(packet -> now.merge(packet, 1L, Long::sum));
            now.forEach((packet, times) -> one(judge.apply(packet), times));
            if (unseen > 0) {
                together(new Fact(DENIED, null, null, 0, null, null, UNSEEN, Map.of()), unseen);
            }
        } finally {
            lock.unlock();
        }
    }

    private void one(Fact fact, long times) {
        Told before = told.get(fact);
        if (before == null && (told.size() >= KINDS || !bucket.take())) {
            together(new Fact(fact.action(), null, null, 0, null, null, EgressRecords.MANY, Map.of()), times);
            return;
        }
        records.refusedSoFar().more(fact.action(), fact.reason(), times);
        if (!fact.action().equals(DENIED)) { // what explains a failure is a connection
            records.refusedSoFar().latest(fact);
        }
        if (before == null) {
            before = new Told();
            told.put(fact, before);
            lines.add(fact);
            times--;
        }
        before.again += times;
    }

    private void together(Fact fact, long times) {
        records.refusedSoFar().more(fact.action(), fact.reason(), times);
        crowd.merge(fact, times, Long::sum);
    }

    /// What was refused by now is on record or counted when it returns; where the database takes nothing, it is kept for later.
    void record() {
        write(false);
    }

    /// Also what was counted of it before, as far as it is due.
    void round() {
        write(true);
    }

    /// All of it, after the last time that it was read.
    void end() {
        lock.lock();
        try {
            due(true);
            flush();
        } finally {
            lock.unlock();
        }
    }

    private void write(boolean due) {
        lock.lock();
        try {
            read();
            if (due) {
                due(false);
            }
            flush();
        } finally {
            lock.unlock();
        }
    }

    private void due(boolean all) {
        long now = System.nanoTime();
        told.entrySet().removeIf(e -> {
            Told one = e.getValue();
            boolean due = all || now - one.since > WINDOW;
            if (due && one.again > 0) {
                lines.add(e.getKey().with("again", one.again));
            }
            return due;
        });
        if (all || now - summed > SUMS) {
            summed = now;
            crowd.forEach((fact, times) -> lines.add(fact.with("again", times)));
            crowd.clear();
        }
    }

    private void flush() {
        var now = List.copyOf(lines);
        lines.clear();
        if (now.isEmpty()) {
            return;
        }
        try {
            records.writeCounted(now, tx -> { });
        } catch (RuntimeException kept) {
            LOG.warn("what packet rules refused could not be recorded yet", kept);
        }
    }
}
