// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import dev.redoma.engine.Network;
import dev.redoma.gateway.CheckedDialler;
import dev.redoma.gateway.UpstreamProxy;
import dev.redoma.ledger.Ledger;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.SandboxId;
import dev.redoma.policy.AddressBlock;
import dev.redoma.policy.AddressSpace;
import dev.redoma.policy.EffectivePolicy;
import dev.redoma.policy.EgressDecider;
import dev.redoma.policy.Feature;
import dev.redoma.store.Store;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The egress of all sandboxes: one way out each, by sockets that live in the sandbox's network namespace and are this process'. Without it, or without
/// a policy that lets anything out, nothing in a sandbox leads anywhere. Thread-safe.
public final class EgressGateway implements Network, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EgressGateway.class);
    private static final Duration ROUND = Duration.ofSeconds(1);

    private final Store store;
    private final Ledger ledger;
    private final Way way;
    private final Predicate<InetAddress> own;
    private final AddressSpace space;
    private final Optional<UpstreamProxy> proxy;
    private final Tls tls;
    private volatile Asking asking = (sandbox, egressClass, host, to, port) -> { };
    private final Map<SandboxId, SandboxEgress> ways = new ConcurrentHashMap<>();
    private final ReadyDoors ready = new ReadyDoors();
    /// Closed, and not all of it on record yet.
    private final Map<SandboxId, java.util.Queue<SandboxEgress>> unsettled = new ConcurrentHashMap<>();
    private final Thread rounds = Thread.ofVirtual().name("egress-rounds").unstarted(this::rounds);

    /// How TLS is intercepted. `secret`: at least 32 bytes that are this installation's alone and outlive the server: authorities of sandboxes follow from it.
    public record Tls(byte[] secret, UpstreamTrust trust) {
        public Tls {
            if (secret.length < 32) {
                throw new IllegalArgumentException("a secret of " + secret.length + " bytes");
            }
            secret = secret.clone();
        }
    }

    /// `own`: whether an address is this host's; those are never dialled. What is public is what is so for the dialler.
    public EgressGateway(Store store, Ledger ledger, CheckedDialler dialler, Predicate<InetAddress> own, Tls tls) {
        this.tls = tls;
        this.store = store;
        this.ledger = ledger;
        this.way = new Way(dialler);
        this.own = own;
        this.space = dialler.space();
        this.proxy = dialler.proxy();
        rounds.start();
    }

    @Override
    public void asking(Asking whom) {
        asking = whom;
    }

    @Override
    public void apply(Place place) {
        ways.compute(place.sandbox(), (id, before) -> {
            if (before != null) {
                change(before, place);
                return before;
            }
            if (place.policy().closed()) {
                ready.drop(id);
                return null;
            }
            return made(place);
        });
    }

    private SandboxEgress made(Place place) {
        inherit(place);
        var records = new EgressRecords(store, ledger, place.tenant(), place.sandbox());
        try {
            var decider = new EgressDecider(place.policy(), own, space);
            var taken = ready.take(place);
            var all = taken.isPresent() ? taken.get() : new ReadyDoors.Ready(new SandboxNames(store, place.sandbox()), new Budgets(store, place.sandbox()), Doorway.open(place));
            var made = SandboxEgress.open(all, place.tenant(), decider, records, way,
                    new Interception(tls.trust(), () -> SandboxAuthority.of(tls.secret(), place.sandbox().value())));
            made.asking((egressClass, host, to, port) -> asking.egress(place.sandbox(), egressClass, host, to, port));
            made.start();
            return made;
        } catch (IOException failed) {
            throw failure(failed);
        }
    }

    @Override
    public void prepare(Place place) {
        try {
            ready.make(place, new EgressDecider(place.policy(), own, space), new SandboxNames(store, place.sandbox()), new Budgets(store, place.sandbox()));
        } catch (IOException failed) {
            throw failure(failed);
        }
    }

    private void change(SandboxEgress before, Place place) {
        try {
            before.change(new EgressDecider(place.policy(), own, space));
        } catch (IOException failed) {
            throw failure(failed);
        }
    }

    private static RuntimeException failure(IOException failed) {
        return Problem.of(Code.HOST_FAILED, "The sandbox's network could not be made: " + failed.getMessage(), "Try again; see the server's log.").raise(failed);
    }

    /// A fork knows the names of what it was forked from by the same addresses: programs and files in it may hold them.
    private void inherit(Place place) {
        var from = place.forkedFrom();
        if (from != null) {
            store.write(tx -> {
                if (NameRows.of(tx, place.sandbox()).isEmpty()) {
                    NameRows.copy(tx, from, place.sandbox());
                }
                return true;
            });
        }
    }

    @Override
    public void detach(SandboxId sandbox) {
        ready.drop(sandbox);
        ways.computeIfPresent(sandbox, (id, way) -> {
            way.close();
            if (!way.settled()) {
                unsettled.computeIfAbsent(id, i -> new java.util.concurrent.ConcurrentLinkedQueue<>()).add(way);
            }
            return null;
        });
        settle(sandbox);
    }

    private void settle(SandboxId sandbox) {
        unsettled.computeIfPresent(sandbox, (id, waiting) -> {
            waiting.removeIf(SandboxEgress::settle);
            return waiting.isEmpty() ? null : waiting;
        });
    }

    @Override
    public Map<String, Object> reconciled(Handle tx, SandboxId sandbox) {
        var waiting = unsettled.get(sandbox);
        return EgressGap.of(tx, sandbox, waiting == null ? 0 : waiting.size());
    }

    @Override
    public Optional<Refused> refused(SandboxId sandbox) {
        note(sandbox);
        return Optional.ofNullable(ways.get(sandbox)).map(way -> way.records().refusedSoFar().told());
    }

    @Override
    public void note(SandboxId sandbox) {
        var way = ways.get(sandbox);
        if (way != null) {
            way.note();
        }
    }

    @Override
    public void forget(Handle tx, SandboxId sandbox) {
        NameRows.forget(tx, sandbox);
        var waiting = unsettled.remove(sandbox);
        if (waiting != null) {
            waiting.forEach(way -> way.records().tally().over());
        }
        tx.createUpdate("DELETE FROM egress_way WHERE sandbox = :sandbox").bind("sandbox", sandbox.value()).execute();
        tx.createUpdate("DELETE FROM egress_spent WHERE sandbox = :sandbox").bind("sandbox", sandbox.value()).execute();
    }

    @Override
    public Optional<String> authority(SandboxId sandbox) {
        return Optional.of(tls.trust().told(SandboxAuthority.of(tls.secret(), sandbox.value()).pem()));
    }

    @Override
    public boolean trustsMore() {
        return tls.trust().more();
    }

    @Override
    public List<String> notes() {
        var notes = new ArrayList<String>();
        if (!space.publicToo().isEmpty()) {
            notes.add("On this host " + space.publicToo().stream().map(AddressBlock::toString).collect(Collectors.joining(", ")) + (space.publicToo().size() == 1 ? " counts" : " count")
                    + " as public (upstream.public-addresses).");
        }
        proxy.ifPresent(p -> notes.add("Public addresses are reached through the proxy " + p + " (upstream.proxy), by tunnels to the addresses that were checked here: it sees these, and what is not TLS."));
        if (trustsMore()) {
            notes.add("Programs inside trust the operator's authorities (upstream.ca), beside those of the template.");
        }
        return notes;
    }

    @Override
    public Set<Feature> enforces() {
        return Set.of(Feature.EGRESS, Feature.INTERCEPTION, Feature.RATES, Feature.BYTES);
    }

    private void rounds() {
        try {
            while (true) {
                Thread.sleep(ROUND);
                ways.forEach(EgressGateway::round);
                unsettled.keySet().forEach(this::settle);
            }
        } catch (InterruptedException closed) {
            // that ends it
        }
    }

    private static void round(SandboxId id, SandboxEgress way) {
        try {
            way.round();
        } catch (RuntimeException failed) {
            LOG.warn("what {} let out could not be recorded yet", id, failed);
        }
    }

    /// Nothing leaves any sandbox any more.
    @Override
    public void close() {
        rounds.interrupt();
        ready.close();
        ways.keySet().forEach(this::detach);
    }
}
