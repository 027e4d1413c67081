// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.engine.image.ImageSources;
import dev.redoma.ledger.ChainLedger;
import dev.redoma.ledger.Verdict;
import dev.redoma.model.Caller;
import dev.redoma.model.Scope;
import dev.redoma.model.TenantId;
import dev.redoma.model.wire.CreateSandbox;
import dev.redoma.model.wire.Limits;
import dev.redoma.model.wire.Sandbox;
import dev.redoma.store.SqliteStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/// An engine on a real store and ledger, over a stand-in tier and pool that outlive it, so that it can be closed and opened again.
final class LifeRig implements AutoCloseable {
    static {
        // How long a busy machine may take is no promise; a test waits no longer than it has to.
        org.awaitility.Awaitility.setDefaultTimeout(Duration.ofSeconds(60));
    }

    static final Caller ALICE = caller("ky-alice", "alice", Scope.READ, Scope.CREATE, Scope.EXEC);
    static final Caller ALICE_TOO = caller("ky-alice-too", "alice", Scope.READ, Scope.CREATE, Scope.EXEC);
    static final Caller BOB = caller("ky-bob", "bob", Scope.READ, Scope.CREATE, Scope.EXEC);
    static final Caller OPERATOR = caller("ky-op", "ops", Scope.OPERATE);

    final Path dir;
    final StandInTier tier = new StandInTier();
    final StandInPool pool;
    final SqliteStore store;
    final ChainLedger ledger;
    EngineConfig config;
    /// Used where a test says so; the others let nothing out.
    final StandInNetwork network = new StandInNetwork();
    private final boolean networked;
    private Engine engine;

    LifeRig() {
        this(UnaryOperator.identity());
    }

    LifeRig(UnaryOperator<EngineConfig> change) {
        this(change, false);
    }

    LifeRig(UnaryOperator<EngineConfig> change, boolean networked) {
        this.networked = networked;
        try {
            dir = Files.createTempDirectory("rd-life");
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        pool = new StandInPool(dir.resolve("pool"));
        store = SqliteStore.open(dir.resolve("redoma.db"));
        ledger = ChainLedger.open(store, dir);
        config = change.apply(quick(EngineConfig.standard(dir.resolve("data"), dir.resolve("run"))));
        var base = TemplateRow.ready("base", "tar", List.of(LayerRef.template(StandInPool.LAYER.value())),
                TemplateConfig.of("user", null, Map.of("FROM", "base")), 1, Instant.now());
        store.write(tx -> {
            TemplateRows.put(tx, base, null);
            return true;
        });
        reopen();
    }

    private static EngineConfig quick(EngineConfig c) {
        var times = new EngineConfig.Times(Duration.ofSeconds(5), Duration.ofSeconds(10), Duration.ofMillis(100), Duration.ofMillis(200), Duration.ofMillis(300),
                Duration.ofHours(48), Duration.ofHours(24));
        var bounds = new EngineConfig.Bounds(c.bounds().defaults(), least(c.bounds().least()), c.bounds().most());
        return new EngineConfig(c.dataDir(), c.runDir(), c.defaultTemplate(), true, c.quota(), bounds, c.reserve(), new EngineConfig.Warm(0, 16, 1, Duration.ofMinutes(1)), c.uids(), times, c.saving(), c.building());
    }

    private static Limits least(Limits l) {
        return new Limits(l.cpu(), l.memoryBytes(), l.diskBytes(), l.pids(), l.openFiles(), l.shmBytes(), l.ioBytesPerSecond(), 50L, 50L);
    }

    static EngineConfig quota(EngineConfig c, int live) {
        return new EngineConfig(c.dataDir(), c.runDir(), c.defaultTemplate(), c.sharedKernel(), new EngineConfig.Quota(live, 1024, 4, 1L << 30, 4, 1L << 40), c.bounds(), c.reserve(), c.warm(), c.uids(), c.times(), c.saving(), c.building());
    }

    static EngineConfig warm(EngineConfig c, int size) {
        return new EngineConfig(c.dataDir(), c.runDir(), c.defaultTemplate(), c.sharedKernel(), c.quota(), c.bounds(), c.reserve(),
                new EngineConfig.Warm(size, 16, 2, Duration.ofMinutes(1)), c.uids(), c.times(), c.saving(), c.building());
    }

    static EngineConfig withoutDefaultTemplate(EngineConfig c) {
        return new EngineConfig(c.dataDir(), c.runDir(), "gone", c.sharedKernel(), c.quota(), c.bounds(), c.reserve(), c.warm(), c.uids(), c.times(), c.saving(), c.building());
    }

    static EngineConfig apart(EngineConfig c) {
        return new EngineConfig(c.dataDir(), c.runDir(), c.defaultTemplate(), false, c.quota(), c.bounds(), c.reserve(), c.warm(), c.uids(), c.times(), c.saving(), c.building());
    }

    Sandboxes sandboxes() {
        return engine.sandboxes();
    }

    Reviews reviews() {
        return engine.reviews();
    }

    Engine engine() {
        return engine;
    }

    /// As a server that stops and starts.
    void reopen() {
        if (engine != null) {
            engine.close();
        }
        engine = opened();
    }

    private Engine opened() {
        return Engine.open(config, store, ledger, pool, List.of(tier), ImageSources.NONE, networked ? network : Network.NONE, Clock.systemUTC());
    }

    /// As one that is killed: the old engine is not closed (its channels are, or it would answer for the new one).
    void killAndReopen() {
        engine = opened();
    }

    Sandbox create(Caller caller) {
        return sandboxes().create(caller, request(null), null);
    }

    static CreateSandbox request(String name) {
        return new CreateSandbox(null, name, null, null, null, null, null, null, null, null, null, null);
    }

    static CreateSandbox getOrCreate(String name) {
        return new CreateSandbox(null, name, null, null, null, null, null, null, null, null, true, null);
    }

    static CreateSandbox limited(Limits limits, String onTimeout) {
        return new CreateSandbox(null, null, null, null, limits, null, null, null, null, onTimeout, null, null);
    }

    static Limits times(Long lifetimeMs, Long idleMs) {
        return new Limits(null, null, null, null, null, null, null, lifetimeMs, idleMs);
    }

    private static Caller caller(String key, String tenant, Scope first, Scope... more) {
        return new Caller(key, new TenantId(tenant), EnumSet.of(first, more));
    }

    int ranges(String owner) {
        return store.read(tx -> tx.createQuery("SELECT count(*) FROM uid_range WHERE owner LIKE :owner").bind("owner", owner).mapTo(Integer.class).one());
    }

    List<String> actions(Caller tenant) {
        return ledger.read(tenant.tenant().value(), null, null, 0, 1000).stream().map(r -> r.action()).toList();
    }

    @Override
    public void close() {
        engine.close();
        var verdict = ledger.verify();
        store.close();
        try (var all = Files.walk(dir)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        org.assertj.core.api.Assertions.assertThat(verdict.status()).isNotEqualTo(Verdict.Status.FAILED);
    }
}
