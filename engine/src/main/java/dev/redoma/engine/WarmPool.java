// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.RedomaException;
import dev.redoma.model.SandboxId;
import dev.redoma.model.TenantId;
import dev.redoma.model.wire.Limits;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Instances started ahead for what was used lately. A member holds nothing of a tenant but the tenant's own copy of the layers; it
/// becomes a sandbox under the id it was born with. Thread-safe.
final class WarmPool {
    private static final Logger LOG = LoggerFactory.getLogger(WarmPool.class);
    /// A start takes a core for a while: the first command in what was just handed out goes before it.
    private static final Duration REST = Duration.ofMillis(40);
    private static final Duration NO_ROOM = Duration.ofSeconds(10);

    private final Core core;
    private final Admission admission;
    private final ExitWatch exits;
    private final EngineConfig.Warm config;
    private final Limits shape;
    private final Map<WarmKey, WarmShelf> shelves = new ConcurrentHashMap<>();
    private final Map<SandboxId, Member> members = new ConcurrentHashMap<>();
    /// Everything of this pool that the host may have, those on their way included.
    private final Set<SandboxId> known = ConcurrentHashMap.newKeySet();
    private final AtomicLong count;
    private final Semaphore starts;
    private volatile boolean closed;

    /// `count` is kept at the number of members, for admission.
    WarmPool(Core core, Admission admission, ExitWatch exits, AtomicLong count) {
        this.count = count;
        this.core = core;
        this.admission = admission;
        this.exits = exits;
        this.config = core.config().warm();
        this.shape = core.config().bounds().defaults();
        this.starts = new Semaphore(Math.max(1, config.parallel()));
    }

    record Member(WarmShelf shelf, LiveBox live, UidRange range) {}

    /// Whether a member can become this sandbox at all.
    boolean serves(Plan plan) {
        InstanceLimits asked = plan.enforced();
        InstanceLimits born = LimitRules.enforced(shape);
        return config.size() > 0 && !plan.untrusted() && plan.forkedFrom() == null
                && asked.openFiles() == born.openFiles() && asked.shmBytes() == born.shmBytes() && asked.ioBytesPerSecond() == null
                && plan.mounts().isEmpty() && plan.caches().isEmpty() && plan.source().config().start() == null && plan.stack().setUp().isEmpty();
    }

    /// Takes a live one out of the pool; it is the caller's then. Where none has the network that the plan needs, one without serves: it is made with the hand-over.
    Optional<Member> take(TenantId tenant, Plan plan) {
        Reach reach = core.uplink().reach(plan);
        return taken(shelf(tenant, plan, reach)).or(() -> bare(tenant, plan, reach).flatMap(this::taken));
    }

    private Optional<WarmShelf> bare(TenantId tenant, Plan plan, Reach reach) {
        return reach == Reach.NONE ? Optional.empty() : Optional.ofNullable(shelves.get(WarmKey.of(tenant, plan, Reach.NONE)));
    }

    private Optional<Member> taken(WarmShelf shelf) {
        while (true) {
            Optional<LiveBox> live = shelf.take();
            if (live.isEmpty()) {
                return Optional.empty();
            }
            Member member = members.remove(live.get().id());
            count.set(members.size());
            if (member != null && live.get().instance().alive()) {
                return Optional.of(member);
            }
        }
    }

    /// Notes the use and starts what is missing, in the background.
    void used(TenantId tenant, Plan plan) {
        if (serves(plan)) {
            Reach reach = core.uplink().reach(plan);
            WarmShelf shelf = shelf(tenant, plan, reach);
            shelf.used(plan, core.now());
            refillSoon(shelf);
            bare(tenant, plan, reach).ifPresent(this::refillSoon); // it may have stood in
        }
    }

    private void refillSoon(WarmShelf shelf) {
        if (shelf.waits()) {
            core.background().after(REST, "filling the warm pool", () -> refill(shelf));
        } else {
            refill(shelf);
        }
    }

    private WarmShelf shelf(TenantId tenant, Plan plan, Reach reach) {
        return shelves.computeIfAbsent(WarmKey.of(tenant, plan, reach), key -> new WarmShelf(key, plan, core.now()));
    }

    private void refill(WarmShelf shelf) {
        while (!closed && size() < config.total() && shelf.wantsOne(config.size(), core.now())) {
            core.background().run("starting a warm member", () -> startOne(shelf));
        }
    }

    private void startOne(WarmShelf shelf) {
        starts.acquireUninterruptibly();
        try {
            if (closed) {
                shelf.postponed(core.now());
                return;
            }
            admission.look();
            var id = SandboxId.mint();
            known.add(id);
            start(shelf, id, core.store().write(tx -> core.ranges().take(tx, UidRanges.WARM + id)));
        } catch (RedomaException full) {
            shelf.postponed(core.now().plus(NO_ROOM));
        } finally {
            starts.release();
        }
    }

    private void start(WarmShelf shelf, SandboxId id, UidRange range) {
        Plan plan = shelf.plan();
        try {
            SandboxRow row = WarmRow.of(id, shelf.key().tenant(), plan, shape, range, core.now());
            Faults.at("warm.begun");
            arrived(shelf, begun(row, plan), range);
        } catch (RuntimeException | Error failed) {
            Duration pause = shelf.failed(core.now());
            LOG.warn("warm members of {} do not start{}", shelf.key(), shelf.degraded() ? "; given up" : "", failed);
            removeLogged(id, range, plan.tier());
            if (!shelf.degraded()) {
                core.background().after(pause, "starting a warm member again", () -> refill(shelf));
            }
        }
    }

    /// All that a new machine is told, so that a claim has little left to say.
    private LiveBox begun(SandboxRow row, Plan plan) {
        LiveBox live = core.starter().fresh(row, plan.source().config(), plan.tier());
        try {
            core.handover().begin(live, row.hostname());
            core.uplink().ready(core.handover(), live, row, plan);
            Faults.at("warm.ready");
            return live;
        } catch (RuntimeException | Error failed) {
            core.starter().discard(live);
            throw failed;
        }
    }

    private void arrived(WarmShelf shelf, LiveBox live, UidRange range) {
        members.put(live.id(), new Member(shelf, live, range));
        count.set(members.size());
        shelf.arrived(live);
        exits.watch(live.id(), live.instance());
        if (closed || shelves.get(shelf.key()) != shelf) {
            dropped(live.id());
        }
    }

    /// True if it was a waiting member; it is removed then.
    boolean dropped(SandboxId id) {
        Member member = members.remove(id);
        if (member == null) {
            return false;
        }
        count.set(members.size());
        member.shelf().drop(member.live());
        discard(member);
        return true;
    }

    /// Ends a member that was taken or dropped.
    void discard(Member member) {
        try {
            core.starter().discard(member.live());
        } catch (RuntimeException failed) {
            LOG.warn("a warm member does not end", failed);
        }
        removeLogged(member.live().id(), member.range(), member.shelf().plan().tier());
    }

    private void removeLogged(SandboxId id, UidRange range, Tier tier) {
        try {
            remove(id, range, tier);
        } catch (RuntimeException failed) {
            LOG.warn("what is left of a warm member cannot be removed yet; the reaper tries again", failed);
        } finally {
            known.remove(id);
        }
    }

    boolean knows(SandboxId id) {
        return known.contains(id);
    }

    /// It became a sandbox.
    void handedOver(SandboxId id) {
        known.remove(id);
    }

    /// Whatever there is of a member: interrupted, it is done again by the next server.
    void remove(SandboxId id, UidRange range, Tier tier) {
        tier.remove(new InstanceRef(id.value(), 0, 0));
        core.places().remove(id);
        core.pool().deleteDisk(id);
        core.store().write(tx -> {
            core.ranges().release(tx, range);
            return true;
        });
    }

    int size() {
        return shelves.values().stream().mapToInt(WarmShelf::size).sum();
    }

    /// Shelves not used for a while, or of template versions that no tag points at any more, are cleared; the others are filled up.
    void sweep() {
        Instant old = core.now().minus(config.keep());
        List<String> current = core.store().read(tx -> tx.createQuery(
                "SELECT digest FROM template_tag UNION SELECT digest FROM snapshot WHERE hidden = 0").mapTo(String.class).list());
        drain(shelf -> shelf.usedAt().isBefore(old) || !current.contains(shelf.key().digest()));
        shelves.values().forEach(this::refill);
    }

    void drain(Predicate<WarmShelf> which) {
        for (WarmShelf shelf : List.copyOf(shelves.values())) {
            if (which.test(shelf)) {
                shelves.remove(shelf.key(), shelf);
                shelf.drain().stream().map(live -> core.background().beside(() -> dropped(live.id()))).toList().forEach(Background::joined);
            }
        }
    }

    /// Layers that members stand on, or will.
    Set<String> layers() {
        return shelves.values().stream().flatMap(shelf -> shelf.plan().source().layers().stream()).flatMap(l -> java.util.stream.Stream.ofNullable(l.layer()))
                .collect(java.util.stream.Collectors.toSet());
    }

    /// What waits, by kind, for operators.
    Map<String, String> status() {
        var lines = new java.util.TreeMap<String, String>();
        shelves.forEach((key, shelf) -> lines.put(key.tenant() + "/" + key.digest(), shelf.degraded() ? "degraded" : String.valueOf(shelf.size())));
        return lines;
    }

    void close() {
        closed = true;
        drain(any -> true);
    }
}
