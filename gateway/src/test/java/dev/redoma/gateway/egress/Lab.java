// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redoma.engine.Network;
import dev.redoma.gateway.CheckedDialler;
import dev.redoma.kernel.NetworkNamespace;
import dev.redoma.ledger.ChainLedger;
import dev.redoma.model.SandboxId;
import dev.redoma.model.TenantId;
import dev.redoma.model.wire.AuditRecord;
import dev.redoma.policy.AddressBlock;
import dev.redoma.policy.EffectivePolicy;
import dev.redoma.policy.EgressClass;
import dev.redoma.policy.HostPattern;
import dev.redoma.policy.PolicyLayer;
import dev.redoma.policy.Ports;
import dev.redoma.policy.Rate;
import dev.redoma.policy.Rule;
import dev.redoma.policy.Target;
import dev.redoma.store.SqliteStore;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// An internet of the tests' own, in a network namespace that leads nowhere: names that lead where a test says, and origins that note what
/// arrives. What is dialled is dialled in there.
final class Lab implements AutoCloseable {
    static final String HERE = "45.0.0.1";
    static final String THERE = "45.0.0.2";
    static final String PRIVATE = "10.9.0.1";
    static final String OWN = "45.0.0.99";
    static final TenantId TENANT = TenantId.DEFAULT;

    /// Everything that was asked of the names outside.
    final List<String> lookUps = new CopyOnWriteArrayList<>();
    /// Everything that reached an origin: `address:port what`.
    final List<String> arrivals = new CopyOnWriteArrayList<>();
    final Map<String, List<String>> names = new HashMap<>();
    /// Until then no name below `slow.test` is answered.
    final CountDownLatch slow = new CountDownLatch(1);
    private final List<AutoCloseable> open = new ArrayList<>();
    private final AtomicLong epoch = new AtomicLong();
    private final Process internet;
    private final Path dir;
    final NetworkNamespace outside;
    private final UpstreamTrust trust;
    SqliteStore store;
    ChainLedger ledger;
    EgressGateway gateway;

    Lab(Path dir) throws IOException {
        this.dir = dir;
        internet = namespace("for a in 45.0.0.1 45.0.0.2 45.0.0.99 10.9.0.1 169.254.169.254 100.100.100.200; do ip addr add $a/32 dev lo; done; ip addr add 2a00:45::1/128 dev lo nodad");
        outside = NetworkNamespace.ofProcess(internet.pid());
        trust = new UpstreamTrust(SecureOrigin.authority(dir));
        start();
    }

    static Process namespace(String more) throws IOException {
        var process = new ProcessBuilder("unshare", "--net", "sh", "-c", "ip link set lo up && " + more + "; echo ready && exec cat").redirectErrorStream(true).start();
        assertThat(new String(process.getInputStream().readNBytes(6))).isEqualTo("ready\n");
        return process;
    }

    void start() {
        store = SqliteStore.open(dir.resolve("redoma.db"));
        ledger = ChainLedger.open(store, dir);
        gateway = new EgressGateway(store, ledger, new CheckedDialler(this::resolve, outside::socket, Duration.ofSeconds(5)), a -> a.getHostAddress().equals(OWN),
                new EgressGateway.Tls(new byte[32], trust));
    }

    void stop() {
        gateway.close();
        store.close();
    }

    private InetAddress[] resolve(String host) throws IOException {
        lookUps.add(host);
        if (host.endsWith(".slow.test")) {
            try {
                slow.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        }
        List<String> answers = names.get(host);
        if (answers == null) {
            throw new UnknownHostException(host);
        }
        String now = answers.size() > 1 ? answers.removeFirst() : answers.getFirst();
        return Arrays.stream(now.split(" ")).map(InetAddress::ofLiteral).toArray(InetAddress[]::new);
    }

    /// The addresses that it has, separated by blanks; with more than one text, one after the other as it is asked for.
    void name(String host, String... answers) {
        names.put(host, new ArrayList<>(List.of(answers)));
    }

    /// What it does with a connection.
    interface Origin {
        void serve(SocketChannel connection, java.util.function.Consumer<String> noted) throws Exception;
    }

    void origin(String address, int port, Origin what) throws IOException {
        ServerSocketChannel listener = outside.serverSocket().bind(new InetSocketAddress(address, port));
        open.add(listener);
        Thread.ofVirtual().start(() -> {
            while (listener.isOpen()) {
                try {
                    SocketChannel connection = listener.accept();
                    arrivals.add(address + ":" + port + " connection");
                    Thread.ofVirtual().start(() -> {
                        try (connection) {
                            what.serve(connection, text -> arrivals.add(address + ":" + port + " " + text));
                        } catch (Exception gone) {
                            arrivals.add(address + ":" + port + " broken");
                        }
                    });
                } catch (IOException closed) {
                    return;
                }
            }
        });
    }

    /// A sandbox's network under a policy.
    Inside sandbox(EffectivePolicy policy) throws IOException {
        return sandbox(TENANT, policy);
    }

    Inside sandbox(TenantId tenant, EffectivePolicy policy) throws IOException {
        var inside = bare();
        apply(tenant, inside, policy, null);
        return inside;
    }

    void apply(Inside inside, EffectivePolicy policy, @Nullable SandboxId forkedFrom) {
        apply(TENANT, inside, policy, forkedFrom);
    }

    private void apply(TenantId tenant, Inside inside, EffectivePolicy policy, @Nullable SandboxId forkedFrom) {
        gateway.apply(place(tenant, inside, policy, forkedFrom));
    }

    private Network.Place place(TenantId tenant, Inside inside, EffectivePolicy policy, @Nullable SandboxId forkedFrom) {
        return new Network.Place(inside.id, tenant, forkedFrom, policy.at(epoch.incrementAndGet()), Path.of("/proc/" + inside.holder.pid() + "/ns/net"), inside.holder::isAlive);
    }

    Network.Place place(Inside inside, EffectivePolicy policy) {
        return place(TENANT, inside, policy, null);
    }

    /// A network in which nothing was made.
    Inside bare() throws IOException {
        var inside = new Inside(namespace("true"), SandboxId.mint());
        open.add(inside);
        return inside;
    }

    List<AuditRecord> records(Inside inside) {
        return ledger.read(TENANT.value(), inside.id.value(), "egress", 0, 1000);
    }

    /// `action host reason`, of each record.
    List<String> told(Inside inside) {
        return records(inside).stream().map(r -> r.action() + " " + r.fields().getOrDefault("host", "-") + " " + r.fields().getOrDefault("reason", "-")).toList();
    }

    static EffectivePolicy policy(Rule... rules) {
        return new EffectivePolicy("test", 1, List.of(new PolicyLayer("request", "test", List.of(rules))));
    }

    static Rule web(int port, String... hosts) {
        return rule("request.web[" + port + "]", EgressClass.WEB, Rule.Handling.OPAQUE, port, List.of(), Set.of(), null, null, hosts);
    }

    static Rule internal(int port, String host, String into) {
        return rule("request.internal[0]", EgressClass.INTERNAL, Rule.Handling.TCP, port, List.of(AddressBlock.parse(into).orElseThrow()), Set.of(), null, null, host);
    }

    static Rule rule(String id, EgressClass c, Rule.Handling handling, int port, List<AddressBlock> into, Set<String> methods, @Nullable Rate rate, @Nullable Long bytes, String... hosts) {
        var targets = Arrays.stream(hosts).map(h -> (Target) new Target.Named(HostPattern.parse(h).orElseThrow(), Ports.of(port))).toList();
        return new Rule(id, c, false, targets, into, methods, List.of(), handling, rate, bytes, new Rule.Place("request", "test", 0, 0));
    }

    @Override
    public void close() throws Exception {
        slow.countDown();
        stop();
        for (var one : open) {
            one.close();
        }
        outside.close();
        internet.destroy();
    }
}
