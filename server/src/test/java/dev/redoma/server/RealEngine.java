// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import dev.redoma.engine.Engine;
import dev.redoma.engine.EngineConfig;
import dev.redoma.engine.Execs;
import dev.redoma.engine.Reviews;
import dev.redoma.engine.Sandboxes;
import dev.redoma.ledger.ChainLedger;
import dev.redoma.model.Bytes;
import dev.redoma.model.Caller;
import dev.redoma.model.Scope;
import dev.redoma.model.TenantId;
import dev.redoma.model.wire.CreateSandbox;
import dev.redoma.model.wire.Exec;
import dev.redoma.model.wire.ExecSpec;
import dev.redoma.model.wire.Limits;
import dev.redoma.model.wire.Sandbox;
import dev.redoma.pool.Backing;
import dev.redoma.pool.BtrfsPool;
import dev.redoma.store.SqliteStore;
import dev.redoma.tiers.oci.OciConfig;
import dev.redoma.tiers.oci.OciTier;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The engine on the real container tier, pool, store and ledger, without HTTP, in given directories: what one server process is.
final class RealEngine implements AutoCloseable {
    static final Caller ALICE = new Caller("kyalice", new TenantId("alice"), Set.of(Scope.READ, Scope.CREATE, Scope.EXEC));
    static final Caller OPERATOR = new Caller("kyops", new TenantId("ops"), Set.of(Scope.OPERATE));
    static final Sandboxes.Query ALL = new Sandboxes.Query(Set.of(), Map.of(), null, null, 200);

    final Engine engine;
    final SqliteStore store;
    final ChainLedger ledger;
    final BtrfsPool pool;
    final OciTier tier;

    RealEngine(Path dir, int warm) throws IOException {
        Path data = Files.createDirectories(dir.resolve("data"));
        Path dist = Path.of(System.getProperty("redoma.root", "..")).toAbsolutePath().resolve("guest/target/dist");
        store = SqliteStore.open(data.resolve("redoma.db"));
        ledger = ChainLedger.open(store, data);
        pool = BtrfsPool.open(data, Backing.sparse(Bytes.gibi(2)));
        tier = OciTier.open(new OciConfig(Installation.id(store), dir.resolve("run"), dist.resolve("redoma-guest"), dist.resolve("redoma-launcher")));
        engine = Engine.open(config(data, dir.resolve("run"), warm), store, ledger, pool, List.of(tier), Clock.systemUTC());
    }

    private static EngineConfig config(Path data, Path run, int warm) {
        var c = EngineConfig.standard(data, run);
        var times = new EngineConfig.Times(Duration.ofSeconds(20), Duration.ofSeconds(60), Duration.ofSeconds(1), Duration.ofSeconds(1), Duration.ofSeconds(2),
                Duration.ofHours(48), Duration.ofHours(24));
        return new EngineConfig(data, run, "tiny", true, c.quota(), c.bounds(), c.reserve(), new EngineConfig.Warm(warm, 4, 1, Duration.ofMinutes(5)), c.uids(), times, c.saving(), c.building());
    }

    void importTiny() throws IOException {
        engine.templates().importTar(OPERATOR, "tiny", new ByteArrayInputStream(TinyRoot.tar()), p -> {});
    }

    Sandboxes sandboxes() {
        return engine.sandboxes();
    }

    Reviews reviews() {
        return engine.reviews();
    }

    static CreateSandbox request(String name, String onTimeout, Limits limits) {
        return new CreateSandbox(null, name, null, null, limits, null, null, null, null, onTimeout, null, null);
    }

    Sandbox create(String name) {
        return sandboxes().create(ALICE, request(name, null, null), null);
    }

    /// What a shell command printed; it must exit with 0.
    String sh(String sandbox, String command) throws InterruptedException {
        Exec exec = engine.execs().start(ALICE, sandbox, new ExecSpec(List.of("sh", "-c", command), null, null, "root", null, null, 60_000L, null, null));
        var out = new ByteArrayOutputStream();
        try (Execs.Output output = engine.execs().output(ALICE, sandbox, exec.id(), 0, true, false)) {
            for (var chunk = output.next(Duration.ofSeconds(1)); chunk != null; chunk = output.next(Duration.ofSeconds(1))) {
                out.writeBytes(chunk.copy());
            }
        }
        Exec ended = engine.execs().await(ALICE, sandbox, exec.id(), Duration.ofSeconds(10));
        if (ended.exitCode() == null || ended.exitCode() != 0) {
            throw new AssertionError(command + ": " + ended + " " + out);
        }
        return out.toString(StandardCharsets.UTF_8);
    }

    int count(String sql) {
        return store.read(tx -> tx.createQuery(sql).mapTo(Integer.class).one());
    }

    @Override
    public void close() {
        engine.close();
        tier.close();
        pool.close();
        store.close();
    }

    /// Takes everything off the host; no sandbox may be left.
    void uninstall() {
        engine.close();
        tier.uninstall();
        pool.release();
        store.close();
    }
}
