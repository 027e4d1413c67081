// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.SandboxId;
import dev.redoma.model.TenantId;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// An instance with its channel and its idle clock. Thread-safe. Closing it closes the channel and leaves the instance alone.
final class LiveBox implements Live, AutoCloseable {
    private final SandboxRow row;
    private final TemplateConfig config;
    private final Instance instance;
    private final GuestLink guest;
    private final AtomicInteger busy = new AtomicInteger();
    private volatile long activeAtNanos = System.nanoTime();
    /// Counts what may have changed the row's state while this lives, and the count at which the row was last seen to say `running`.
    private final AtomicInteger stateChanges = new AtomicInteger();
    private volatile int runningAt = -1;
    /// Set before our own kill, so that the exit that follows is nobody's crash.
    private volatile boolean expectedToEnd;

    LiveBox(SandboxRow row, TemplateConfig config, Instance instance, GuestLink guest) {
        this.row = row;
        this.config = config;
        this.instance = instance;
        this.guest = guest;
    }

    @Override
    public SandboxId id() {
        return row.id();
    }

    @Override
    public TenantId tenant() {
        return row.tenant();
    }

    @Override
    public String version() {
        return row.template().digest();
    }

    @Override
    public Instance instance() {
        return instance;
    }

    @Override
    public GuestLink guest() {
        return guest;
    }

    @Override
    public Map<String, String> env() {
        return row.env();
    }

    @Override
    public String defaultUser() {
        return config.userOrRoot();
    }

    @Override
    public @Nullable String defaultCwd() {
        return config.cwd();
    }

    @Override
    public InstanceLimits limits() {
        return LimitRules.enforced(row.limits());
    }

    @Override
    public boolean sudo() {
        return row.sudo();
    }

    @Override
    public void touch() {
        activeAtNanos = System.nanoTime();
    }

    @Override
    public Busy busy() {
        busy.incrementAndGet();
        var open = new AtomicBoolean(true);
        return () -> {
            if (open.getAndSet(false)) {
                touch();
                busy.decrementAndGet();
            }
        };
    }

    /// How long nothing counted as activity.
    Duration idle() {
        return busy.get() > 0 ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - activeAtNanos);
    }

    Duration idleLimit() {
        return Duration.ofMillis(LimitRules.idleOf(row.limits()));
    }

    /// To be called after the commit of a state that is not `running`.
    void stateChanged() {
        stateChanges.incrementAndGet();
    }

    int stateChanges() {
        return stateChanges.get();
    }

    /// The row said so, read after that count.
    void seenRunning(int at) {
        runningAt = at;
    }

    /// True if the row still says `running`, so that nobody has to read it.
    boolean knownRunning() {
        return runningAt == stateChanges.get();
    }

    TemplateConfig config() {
        return config;
    }

    SandboxRow row() {
        return row;
    }

    void expectEnd() {
        expectedToEnd = true;
    }

    boolean endExpected() {
        return expectedToEnd;
    }

    @Override
    public void close() {
        guest.close();
    }
}
