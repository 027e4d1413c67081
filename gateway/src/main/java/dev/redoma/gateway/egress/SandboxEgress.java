// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.model.TenantId;
import dev.redoma.policy.EgressClass;
import dev.redoma.policy.EgressDecider;
import dev.redoma.policy.EgressDecision;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The way out of one sandbox: a listener, a resolver and packet rules in its network namespace. Who connects is known by whose listener it is. Thread-safe.
final class SandboxEgress implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SandboxEgress.class);
    private static final int AT_ONCE = 512;
    private static final int NEW_AT_ONCE = 1000;
    private static final int NEW_PER_SECOND = 1000;
    private static final Duration FIRST_WORDS = Duration.ofMinutes(1);
    private static final Duration PARTING = Duration.ofSeconds(2);
    private static final long PARTING_LOOK = TimeUnit.MILLISECONDS.toNanos(2);
    private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(100);
    private static final Duration LONGEST = Duration.ofHours(12);
    private static final Duration IDLE = Duration.ofMinutes(15);

    private final EgressRecords records;
    private final RefusedPackets packets;
    private final SandboxNames names;
    private final Budgets budgets;
    private final Way way;
    private final Interception interception;
    private final Doorway door;
    private final DnsService dns;
    private final Semaphore free = new Semaphore(AT_ONCE);
    /// What comes faster waits at the listener.
    private final Bucket arrivals = new Bucket(NEW_AT_ONCE, NEW_PER_SECOND);
    private final Set<Passing> passing = ConcurrentHashMap.newKeySet();
    private final Set<SocketChannel> accepted = ConcurrentHashMap.newKeySet();
    /// Since when each that does not go anywhere yet has been here.
    private final Map<SocketChannel, Long> waiting = new ConcurrentHashMap<>();
    private final Way.Shares shares;
    private final Spacious spacious = new Spacious();
    /// Above the decider, what packet rules grant, and the entry of connections.
    private final ReentrantLock lock = new ReentrantLock();
    private volatile EgressDecider decider;
    private volatile Asking asking = (egressClass, host, to, port) -> { };
    private volatile boolean closed;
    private volatile boolean settled;

    /// It owns the door, also where this fails.
    static SandboxEgress open(ReadyDoors.Ready all, TenantId tenant, EgressDecider decider, EgressRecords records, Way way, Interception interception) throws IOException {
        var made = new SandboxEgress(all, way.shares(tenant), decider, records, way, interception);
        try {
            made.door.lead(decider, made.names.all());
            return made;
        } catch (IOException | RuntimeException failed) {
            made.door.close();
            throw failed;
        }
    }

    private SandboxEgress(ReadyDoors.Ready all, Way.Shares shares, EgressDecider decider, EgressRecords records, Way way, Interception interception) {
        this.interception = interception;
        this.door = all.door();
        this.decider = decider;
        this.records = records;
        this.names = all.names();
        this.budgets = all.budgets();
        int listener = door.port();
        this.packets = new RefusedPackets(door.log(), records, packet -> PacketVerdict.of(packet, decider(), all.names(), listener));
        this.way = way;
        this.shares = shares;
        this.dns = new DnsService(door.datagrams(), new DnsAnswers(new NameDecisions(this, new Leads())));
    }

    /// Asks humans where the policy wants it; throws what keeps it from leaving.
    interface Asking {
        void ask(EgressClass egressClass, @Nullable String host, String to, int port);
    }

    void asking(Asking whom) {
        asking = whom;
    }

    /// What keeps a connection that rules allow from leaving; may take as long as a human is waited for.
    Optional<Problem> asked(EgressClass egressClass, @Nullable String host, String to, int port) {
        try {
            asking.ask(egressClass, host, to, port);
            return Optional.empty();
        } catch (RedomaException refusal) {
            return Optional.of(refusal.problem());
        }
    }

    void start() {
        Thread.ofVirtual().name("egress-dns").start(dns::serve);
        Thread.ofVirtual().name("egress-accept").start(this::accept);
    }

    private void accept() {
        while (!closed) {
            arrivals.await();
            try {
                SocketChannel channel = door.listener().accept();
                if (free.tryAcquire()) {
                    accepted.add(channel);
                    waiting.put(channel, System.nanoTime());
                    Thread.ofVirtual().name("egress").start(() -> serve(channel));
                } else {
                    records.overcrowded("connect.denied");
                    channel.setOption(java.net.StandardSocketOptions.SO_LINGER, 0);
                    channel.close();
                }
            } catch (ClosedChannelException over) {
                return;
            } catch (IOException e) {
                LOG.warn("a connection could not be accepted", e);
                LockSupport.parkNanos(PAUSE); // for want of descriptors, most likely
            }
        }
    }

    private void serve(SocketChannel channel) {
        try {
            channel.setOption(java.net.StandardSocketOptions.TCP_NODELAY, true); // else the second of two short answers waits for the program's kernel to confirm the first
            if (!closed) {
                new Outward(this, channel).serve();
            }
        } catch (IOException gone) {
            LOG.debug("a connection broke", gone);
        } catch (RedomaException unrecorded) {
            LOG.warn("a connection was refused, for it could not be recorded", unrecorded);
        } catch (RuntimeException e) {
            LOG.warn("a connection failed", e);
        } finally {
            accepted.remove(channel);
            waiting.remove(channel);
            free.release();
            try {
                channel.close();
            } catch (IOException gone) {
                // it is closed
            }
        }
    }

    EgressDecider decider() {
        return decider;
    }

    EgressRecords records() {
        return records;
    }

    SandboxNames names() {
        return names;
    }

    Budgets budgets() {
        return budgets;
    }

    Way way() {
        return way;
    }

    Interception interception() {
        return interception;
    }

    Way.Shares shares() {
        return shares;
    }

    Spacious spacious() {
        return spacious;
    }

    DnsService dns() {
        return dns;
    }

    /// From now on. What it does not allow is closed when this returns.
    void change(EgressDecider next) throws IOException {
        lock.lock();
        try {
            atLast(packets::read); // by the policy that refused it
            decider = next;
            passing.forEach(this::stillAllowed);
            door.lead(next, names.all());
        } finally {
            lock.unlock();
        }
    }

    private void stillAllowed(Passing one) {
        if (!allows(one)) {
            one.link().end("policy");
        }
    }

    /// As it is carried, with the request that it carries, to what it has reached. What it moves from now on counts towards the rules that allow it now.
    private boolean allows(Passing one) {
        String host = one.host();
        var now = host == null ? decider.decideLiteral(one.addresses().getFirst(), one.port()) : decider.decideConnect(host, one.port(), one.addresses());
        if (!(now instanceof EgressDecision.Allow allow)) {
            return false;
        }
        RequestHead head = one.head();
        if (head != null) {
            return allow.request(head.method(), head.path()) instanceof EgressDecision.Allow request && takes(one, request);
        }
        Requests requests = one.requests();
        if (requests != null) {
            return requests.become(allow) && takes(one, allow);
        }
        boolean said = host != null || one.said() == null || PortsOf.told(decider, one.said(), one.port());
        return said && allow.passage().compareTo(one.by().now().passage()) >= 0 && takes(one, allow);
    }

    private static boolean takes(Passing one, EgressDecision.Allow now) {
        one.by().become(now);
        return true;
    }

    /// False: the policy has changed meanwhile, or it is over.
    boolean enter(Passing one, SocketChannel from) {
        lock.lock();
        try {
            if (closed || !allows(one)) {
                return false;
            }
            passing.add(one);
            waiting.remove(from);
            return true;
        } finally {
            lock.unlock();
        }
    }

    /// Whether a request on a connection that was let through is allowed. Where it is, it counts as under way from now on.
    EgressDecision begin(Passing one, Requests.Ongoing request) {
        lock.lock();
        try {
            return java.util.Objects.requireNonNull(one.requests()).begin(request, one.by().now());
        } finally {
            lock.unlock();
        }
    }

    void leave(Passing one) {
        passing.remove(one);
    }

    void closed(Fact fact, Passing one, EgressRecords.Told told) {
        Link link = one.link();
        records.tally().ended(link.up(), link.down());
        var closed = new Fact("connect.closed", fact.host(), one.reached(), fact.port(), fact.egressClass(), fact.rule(), link.ended(), Map.of());
        if (told == EgressRecords.Told.WRITTEN) {
            records.closed(closed.with("up", link.up()).with("down", link.down()).with("millis", TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - one.begunAt())));
        } else {
            records.closedToo(closed, link.up(), link.down());
        }
        budgets.save();
    }

    /// Every second or so.
    void round() {
        long now = System.nanoTime();
        waiting.forEach((channel, since) -> {
            if (now - since > FIRST_WORDS.toNanos()) {
                close(channel);
            }
        });
        for (Passing one : passing) {
            if (now - one.begunAt() > LONGEST.toNanos()) {
                one.link().end("age");
            } else if (now - one.link().activeAt() > IDLE.toNanos()) {
                one.link().end("idle");
            }
        }
        budgets.save();
        packets.round();
        records.flush(false);
    }

    /// What was refused by now is on record when it returns, as far as the database takes any.
    void note() {
        packets.record();
    }

    /// Cuts everything. Packet rules stay and lead nowhere.
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            passing.forEach(p -> p.link().end("closed"));
            atLast(packets::read);
            door.close();
            accepted.forEach(SandboxEgress::close);
        } finally {
            lock.unlock();
        }
        goneAll();
        names.end();
        atLast(budgets::end);
        packets.end();
        settle();
    }

    /// False: there is something that could not be recorded yet.
    boolean settle() {
        try {
            records.settle(passing.size());
            settled = true;
        } catch (RuntimeException unwritten) {
            settled = false;
            LOG.warn("what was counted of a sandbox could not be recorded yet", unwritten);
        }
        return settled;
    }

    boolean settled() {
        return settled;
    }

    /// What they moved last is counted with the rest. They are closed already, so that nothing holds them up.
    private void goneAll() {
        long until = System.nanoTime() + PARTING.toNanos();
        while (!passing.isEmpty() && System.nanoTime() < until) {
            LockSupport.parkNanos(PARTING_LOOK);
        }
        if (!passing.isEmpty()) {
            LOG.warn("{} connections of a sandbox are slow to end; what they moved last is not counted", passing.size());
        }
    }

    private static void atLast(Runnable write) {
        try {
            write.run();
        } catch (RuntimeException unwritten) {
            LOG.warn("what was counted of a sandbox could not be recorded", unwritten);
        }
    }

    private static void close(AutoCloseable one) {
        try {
            one.close();
        } catch (Exception e) {
            LOG.warn("closing", e);
        }
    }

    private final class Leads implements SandboxNames.Leading {
        @Override
        public void lead(String name, int number) {
            lock.lock();
            try {
                door.lead(decider, name, number);
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void leadOnlyKnown() {
            lock.lock();
            try {
                door.lead(decider, names.all());
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            } finally {
                lock.unlock();
            }
        }
    }
}
