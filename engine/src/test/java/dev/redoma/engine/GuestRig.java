// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.ledger.ChainLedger;
import dev.redoma.ledger.Ledger;
import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.SandboxId;
import dev.redoma.model.Scope;
import dev.redoma.model.TenantId;
import dev.redoma.model.wire.Exec;
import dev.redoma.model.wire.ExecSpec;
import dev.redoma.model.wire.Tty;
import dev.redoma.store.SqliteStore;
import dev.redoma.store.Store;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// One live sandbox whose guest is a plain process, with a real store and ledger, and the services under test over it.
final class GuestRig implements LiveBoxes, AutoCloseable {
    static {
        // How long a busy machine may take is no promise; a test waits no longer than it has to.
        org.awaitility.Awaitility.setDefaultTimeout(Duration.ofSeconds(60));
    }

    static final Caller CALLER = new Caller("ky000000000000000000", TenantId.DEFAULT, Set.of(Scope.READ, Scope.EXEC));

    static final long OUTPUT_BUDGET = 40L << 20;

    private static final AtomicInteger NUMBER = new AtomicInteger();

    final SandboxId id = SandboxId.mint();
    final Path dir;
    final Store store;
    final Ledger ledger;
    final Instance instance;
    final AtomicInteger busy = new AtomicInteger();
    final AtomicInteger touched = new AtomicInteger();
    Map<String, String> env = Map.of("FROM_SANDBOX", "yes");
    boolean sudo = true;
    GuestLink link;
    ExecService execs;
    FileService files;

    GuestRig() throws IOException {
        this(1L << 30);
    }

    GuestRig(long memoryLimit) throws IOException {
        this(Files.createTempDirectory("rd-exec-"), memoryLimit);
    }

    /// With everything of the server's in that directory.
    GuestRig(Path dir, long memoryLimit) throws IOException {
        this(dir, channel -> CgroupInstance.start(ProcessHandle.current().pid() + "-" + NUMBER.incrementAndGet(), memoryLimit,
                guest().toString(), channel.resolve("guest.sock").toString()));
        try {
            link.awaitReady(Duration.ofSeconds(60));
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private GuestRig(Path dir, java.util.function.Function<Path, Instance> start) throws IOException {
        this.dir = dir;
        store = SqliteStore.open(dir.resolve("redoma.db"));
        ledger = ChainLedger.open(store, dir);
        store.write(tx -> tx.execute("""
                INSERT INTO sandbox (id, tenant, state, template_name, template_digest, layers, labels, env, limits, isolation, privileges,
                    policy, reopen, on_timeout, created_at, created_by, active_at)
                VALUES (?, 'default', 'running', 't', 'd', '[]', '{}', '{}', '{}', '{}', 'sudo', 'none', 'creator', 'kill', 0, 'k', 0)""",
                id.value()));
        var channel = Files.createDirectory(dir.resolve("ch"));
        link = GuestLink.listen(channel, 0);
        instance = start.apply(channel);
        serve();
    }

    /// Without a process: a test plays the guest. Init and children are this very process.
    static GuestRig fake() throws IOException {
        return new GuestRig(Files.createTempDirectory("rd-exec-"), channel -> new FakeGuest.Self(true));
    }

    /// Ends the init, as a crash of it would.
    void crash() {
        ((CgroupInstance) instance).crash();
    }

    static Path guest() {
        var binary = Path.of(System.getProperty("redoma.root"), "guest/target/dist/redoma-guest");
        if (!Files.isExecutable(binary)) {
            throw new IllegalStateException("build the guest first: guest/build.sh");
        }
        return binary;
    }

    private void serve() {
        link.bind(instance);
        execs = new ExecService(this, store, ledger, dir, OUTPUT_BUDGET, Clock.systemUTC());
        files = new FileService(this, store, ledger, Path.of("/tmp"));
        instance.onExit(() -> execs.gone(id, "init has ended"));
    }

    /// Another server takes over: everything in memory of the one before is gone.
    void restart() {
        execs.close();
        link.close();
        link = GuestLink.listen(dir.resolve("ch"), 0);
        serve();
        execs.recovered(live());
    }

    Exec start(ExecSpec spec) {
        return execs.start(CALLER, id.value(), spec);
    }

    Exec start(String... argv) {
        return start(spec(argv));
    }

    static ExecSpec spec(String... argv) {
        return new ExecSpec(List.of(argv), "/tmp", null, "root", null, null, null, null, null);
    }

    static ExecSpec sh(String script, @Nullable Long timeoutMs) {
        return new ExecSpec(List.of("sh", "-c", script), "/tmp", null, "root", null, null, timeoutMs, null, null);
    }

    static ExecSpec input(String... argv) {
        return new ExecSpec(List.of(argv), "/tmp", null, "root", null, true, null, null, null);
    }

    static ExecSpec terminal(String... argv) {
        return new ExecSpec(List.of(argv), "/tmp", null, "root", new Tty(80, 24, null), null, null, null, null);
    }

    Done run(ExecSpec spec) throws InterruptedException {
        var exec = start(spec);
        return finish(exec);
    }

    Done sh(String script) throws InterruptedException {
        return run(sh(script, null));
    }

    Done finish(Exec exec) throws InterruptedException {
        var out = new ByteArrayOutputStream();
        var err = new ByteArrayOutputStream();
        try (var output = execs.output(CALLER, id.value(), exec.id(), 0, true, false)) {
            drain(output, out, err);
        }
        var end = execs.await(CALLER, id.value(), exec.id(), Duration.ofSeconds(60));
        return new Done(end, out.toByteArray(), err.toByteArray());
    }

    static void drain(Execs.Output output, ByteArrayOutputStream out, ByteArrayOutputStream err) throws InterruptedException {
        long end = System.nanoTime() + 120_000_000_000L;
        for (Execs.Chunk c; (c = output.next(Duration.ofSeconds(5))) != null; ) {
            (c.stream() == 1 ? out : err).writeBytes(c.copy());
            if (System.nanoTime() > end) {
                throw new AssertionError("output without end");
            }
        }
    }

    Exec get(Exec exec) {
        return execs.get(CALLER, id.value(), exec.id());
    }

    Live live() {
        return new RigLive(this);
    }

    @Override
    public Live running(Caller caller, String sandbox) {
        visible(caller, sandbox);
        return live();
    }

    @Override
    public SandboxId visible(Caller caller, String sandbox) {
        if (!sandbox.equals(id.value())) {
            throw Problem.of(Code.SANDBOX_NOT_FOUND, "none", "none").raise();
        }
        return id;
    }

    @Override
    public SandboxId endable(Caller caller, String sandbox) {
        return visible(caller, sandbox);
    }

    @Override
    public Optional<Ports.Seen> seen(String sandbox) {
        return Optional.empty();
    }

    @Override
    public Optional<Live> live(SandboxId sandbox) {
        return sandbox.equals(id) ? Optional.of(live()) : Optional.empty();
    }

    @Override
    public void close() throws IOException {
        execs.close();
        instance.kill();
        link.close();
        store.close();
        try (var all = Files.walk(dir)) {
            for (var p : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(p);
            }
        }
    }

    record Done(Exec exec, byte[] out, byte[] err) {
        String text() {
            return new String(out, StandardCharsets.UTF_8);
        }

        String errors() {
            return new String(err, StandardCharsets.UTF_8);
        }
    }

    private record RigLive(GuestRig rig) implements Live {
        @Override
        public SandboxId id() {
            return rig.id;
        }

        @Override
        public TenantId tenant() {
            return TenantId.DEFAULT;
        }

        @Override
        public String version() {
            return "sha256:" + "0".repeat(64);
        }

        @Override
        public Instance instance() {
            return rig.instance;
        }

        @Override
        public GuestLink guest() {
            return rig.link;
        }

        @Override
        public Inlet inlet() {
            return new Inlet(rig.instance);
        }

        @Override
        public Map<String, String> env() {
            return rig.env;
        }

        @Override
        public String defaultUser() {
            return "root";
        }

        @Override
        public @Nullable String defaultCwd() {
            return null;
        }

        @Override
        public InstanceLimits limits() {
            return new InstanceLimits(1, 1L << 30, 512, 1024, 64L << 20, null);
        }

        @Override
        public void carries(java.nio.channels.SocketChannel connection) {}

        @Override
        public boolean sudo() {
            return rig.sudo;
        }

        @Override
        public void touch() {
            rig.touched.incrementAndGet();
        }

        @Override
        public Busy busy() {
            rig.busy.incrementAndGet();
            return rig.busy::decrementAndGet;
        }
    }
}
