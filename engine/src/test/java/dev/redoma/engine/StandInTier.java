// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Code;
import dev.redoma.model.ExecId;
import dev.redoma.model.Problem;
import dev.redoma.model.wire.Usage;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/// A tier without processes, for what the lifecycle decides by itself: its instances outlive an engine and can be made to fail, vanish
/// or crash. Everything about real processes is tested with the real tiers, in the server room.
final class StandInTier implements Tier {
    final Map<String, StandInInstance> instances = new ConcurrentHashMap<>();
    final AtomicInteger created = new AtomicInteger();
    volatile boolean failing;
    volatile boolean unreadable;
    /// Guests that connect and confirm nothing; first processes that end at once.
    volatile boolean silent;
    volatile boolean dying;
    volatile long slowMillis;
    volatile String strength = "shared-kernel";
    private final AtomicLong ticks = new AtomicLong(1);

    @Override
    public String name() {
        return "container";
    }

    @Override
    public Probe probe() {
        return new Probe(true, strength, "stand-in", "1", List.of());
    }

    @Override
    public List<String> unenforceable(InstanceLimits limits) {
        return limits.ioBytesPerSecond() == null ? List.of() : List.of("ioBytesPerSecond");
    }

    @Override
    public Instance create(InstanceSpec spec) {
        created.incrementAndGet();
        sleep(slowMillis);
        if (failing) {
            throw Problem.of(Code.RUNTIME_FAILED, "The runtime failed.", "Try again.").raise();
        }
        var ref = new InstanceRef(spec.name(), (int) ProcessHandle.current().pid(), ticks.getAndIncrement());
        var instance = new StandInInstance(ref, spec);
        instances.put(spec.name(), instance);
        if (dying) {
            instance.die();
        }
        return instance;
    }

    private static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public Optional<Instance> find(InstanceRef ref) {
        return Optional.<Instance>ofNullable(instances.get(ref.name())).filter(i -> i.alive() && i.ref().equals(ref));
    }

    @Override
    public List<InstanceRef> all() {
        if (unreadable) {
            throw Problem.of(Code.HOST_FAILED, "Cannot list.", "Look.").raise();
        }
        return instances.values().stream().map(StandInInstance::ref).toList();
    }

    @Override
    public void remove(InstanceRef ref) {
        var instance = instances.remove(ref.name());
        if (instance != null) {
            instance.kill();
        }
    }

    /// Every process ended at once, as by a restart of the host.
    void reboot() {
        instances.values().forEach(StandInInstance::die);
        instances.clear();
    }

    /// One instance.
    final class StandInInstance implements Instance {
        final InstanceSpec spec;
        final StandInGuest guest;
        volatile InstanceLimits limits;
        volatile long oomKills;
        volatile boolean initOutOfMemory;
        private final InstanceRef ref;
        private final List<Runnable> onExit = new CopyOnWriteArrayList<>();
        private volatile boolean alive = true;
        private volatile boolean frozen;

        StandInInstance(InstanceRef ref, InstanceSpec spec) {
            this.ref = ref;
            this.spec = spec;
            this.limits = spec.limits();
            this.guest = new StandInGuest(spec.channelDir(), silent);
        }

        /// The first process ends; what the host keeps of it stays.
        void die() {
            alive = false;
            guest.close();
            onExit.forEach(Runnable::run);
        }

        @Override
        public InstanceRef ref() {
            return ref;
        }

        @Override
        public Optional<java.nio.file.Path> network() {
            return Optional.of(java.nio.file.Path.of("/proc/self/ns/net"));
        }

        @Override
        public boolean alive() {
            return alive;
        }

        @Override
        public boolean intact() {
            return instances.get(ref.name()) == this;
        }

        @Override
        public void onExit(Runnable action) {
            onExit.add(action);
            if (!alive) {
                action.run();
            }
        }

        @Override
        public void freeze() {
            frozen = true;
        }

        @Override
        public void thaw() {
            if (!alive) {
                throw Problem.of(Code.RUNTIME_FAILED, "Gone.", "Start it.").raise();
            }
            frozen = false;
        }

        @Override
        public boolean frozen() {
            return frozen;
        }

        @Override
        public void kill() {
            if (alive) {
                die();
            }
            instances.remove(ref.name(), this);
        }

        @Override
        public boolean initRanOutOfMemory() {
            return initOutOfMemory;
        }

        @Override
        public Usage usage() {
            return new Usage(1, 2, 1, 3, limits.memoryBytes(), 0, 0, 1, limits.pids(), oomKills);
        }

        @Override
        public void limit(InstanceLimits to) {
            limits = to;
        }

        @Override
        public boolean owns(int hostPid) {
            return false;
        }

        @Override
        public ExecGroup adopt(ExecId exec, int hostPid) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Optional<ExecGroup> group(ExecId exec) {
            return Optional.empty();
        }
    }
}
