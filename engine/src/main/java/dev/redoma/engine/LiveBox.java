// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.kernel.TcpActivity;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.SandboxId;
import dev.redoma.model.TenantId;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// An instance with its channel and its idle clock. Thread-safe. Closing it closes the channel and leaves the instance alone.
final class LiveBox implements Live, AutoCloseable {
    private final SandboxRow row;
    private final TemplateConfig config;
    private final Instance instance;
    private final GuestLink guest;
    private final Inlet inlet;
    private final ReentrantLock activity = new ReentrantLock();
    private int busy;
    private long activeAtNanos = System.nanoTime();
    /// It was found idle for too long, and goes out of use: nothing is begun in it any more.
    private boolean leaving;
    /// Connections into it that somebody has open: what they carry counts as activity. Thread-safe by itself.
    private final Set<SocketChannel> carriers = ConcurrentHashMap.newKeySet();
    /// Counts what may have changed the row's state while this lives, and the count at which the row was last seen to say `running`.
    private final AtomicInteger stateChanges = new AtomicInteger();
    private volatile int runningAt = -1;
    /// Set before our own kill, so that the exit that follows is nobody's crash.
    private volatile boolean expectedToEnd;
    private volatile Reach told = Reach.NONE;

    LiveBox(SandboxRow row, TemplateConfig config, Instance instance, GuestLink guest) {
        this.row = row;
        this.config = config;
        this.instance = instance;
        this.guest = guest;
        this.inlet = new Inlet(instance);
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
    public Inlet inlet() {
        return inlet;
    }

    @Override
    public Map<String, String> env() {
        return row.env();
    }

    @Override
    public boolean trusts() {
        return told == Reach.TRUSTING;
    }

    /// What the guest was told of its network last.
    Reach told() {
        return told;
    }

    void told(Reach now) {
        told = now;
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
        use();
    }

    @Override
    public Busy busy() {
        if (!began()) {
            throw Problem.of(Code.WRONG_STATE, "The sandbox just goes out of use, since it was idle for too long.", "Ask for its state, and start or resume it.")
                    .with("state", State.RUNNING.wire()).raise();
        }
        var open = new AtomicBoolean(true);
        return () -> {
            if (open.getAndSet(false)) {
                ended();
            }
        };
    }

    private boolean began() {
        activity.lock();
        try {
            busy += leaving ? 0 : 1;
            return use();
        } finally {
            activity.unlock();
        }
    }

    private void ended() {
        activity.lock();
        try {
            activeAtNanos = System.nanoTime();
            busy--;
        } finally {
            activity.unlock();
        }
    }

    /// Counts as activity, unless it goes out of use for having had none: either this is so, or `leaveIfIdle` is.
    boolean use() {
        activity.lock();
        try {
            if (!leaving) {
                activeAtNanos = System.nanoTime();
            }
            return !leaving;
        } finally {
            activity.unlock();
        }
    }

    boolean leaveIfIdle() {
        lookAtCarriers();
        activity.lock();
        try {
            leaving = leaving || idle().compareTo(idleLimit()) >= 0;
            return leaving;
        } finally {
            activity.unlock();
        }
    }

    @Override
    public void carries(SocketChannel connection) {
        carriers.add(connection);
    }

    /// Takes over when open connections last carried something. That one was closed is seen here, and counts as of now.
    void lookAtCarriers() {
        for (SocketChannel connection : carriers) {
            Optional<Duration> quiet = TcpActivity.quiet(connection);
            if (quiet.isEmpty()) {
                carriers.remove(connection);
            }
            activeBefore(quiet.orElse(Duration.ZERO));
        }
    }

    private void activeBefore(Duration ago) {
        activity.lock();
        try {
            long at = System.nanoTime() - ago.toNanos();
            if (!leaving && at - activeAtNanos > 0) {
                activeAtNanos = at;
            }
        } finally {
            activity.unlock();
        }
    }

    /// It did not go, or is back.
    void stay() {
        activity.lock();
        try {
            leaving = false;
            activeAtNanos = System.nanoTime();
        } finally {
            activity.unlock();
        }
    }

    /// How long nothing counted as activity.
    Duration idle() {
        lookAtCarriers();
        activity.lock();
        try {
            return busy > 0 ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - activeAtNanos);
        } finally {
            activity.unlock();
        }
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
        inlet.close();
        guest.close();
    }
}
