// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import static dev.redoma.server.RealEngine.ALICE;
import static dev.redoma.server.RealEngine.OPERATOR;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redoma.engine.Network;
import dev.redoma.gateway.CheckedDialler;
import dev.redoma.gateway.egress.EgressGateway;
import dev.redoma.kernel.NetworkNamespace;
import dev.redoma.model.SandboxId;
import dev.redoma.model.wire.ExecSpec;
import dev.redoma.model.wire.Sandbox;
import dev.redoma.policy.EffectivePolicy;
import dev.redoma.policy.EgressClass;
import dev.redoma.policy.HostPattern;
import dev.redoma.policy.PolicyLayer;
import dev.redoma.policy.Ports;
import dev.redoma.policy.Rule;
import dev.redoma.policy.Target;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Egress of a real sandbox, tried from inside as root and as user. The internet is a namespace of the test's own that leads nowhere; a case passes on what
/// arrived there.
@Timeout(120)
class EgressInsideTest {
    private static final String ORIGIN = "45.0.0.1";
    private static final List<String> ARRIVED = new CopyOnWriteArrayList<>();
    private static Path dir;
    private static RealEngine server;
    private static Process internet;
    private static NetworkNamespace outside;
    private static ServerSocketChannel origin;
    private static EgressGateway gateway;
    private static Sandbox box;

    @BeforeAll
    static void open() throws Exception {
        dir = Files.createTempDirectory(Path.of("/tmp"), "rde");
        internet = new ProcessBuilder("unshare", "--net", "sh", "-c", "ip link set lo up && ip addr add " + ORIGIN + "/32 dev lo && echo ready && exec cat").start();
        assertThat(internet.getInputStream().readNBytes(6)).hasSize(6);
        outside = NetworkNamespace.ofProcess(internet.pid());
        origin = outside.serverSocket().bind(new InetSocketAddress(ORIGIN, 80));
        Thread.ofVirtual().start(EgressInsideTest::serve);
        server = new RealEngine(dir, 0);
        server.importTiny();
        gateway = new EgressGateway(server.store, server.ledger, new CheckedDialler(EgressInsideTest::resolve, outside::socket, Duration.ofSeconds(5)), a -> false, EgressTls.of(dir, null));
        box = server.create("out");
        var instance = server.tier.find(server.tier.all().stream().filter(r -> r.name().equals(box.id())).findAny().orElseThrow()).orElseThrow();
        var targets = List.<Target>of(new Target.Named(HostPattern.parse("*.allowed.test").orElseThrow(), Ports.of(80)));
        var rule = new Rule("request.web[0]", EgressClass.WEB, false, targets, List.of(), Set.of(), List.of(), Rule.Handling.OPAQUE, null, null, new Rule.Place("request", "test", 0, 0));
        gateway.apply(new Network.Place(new SandboxId(box.id()), ALICE.tenant(), null, new EffectivePolicy("test", 1, List.of(new PolicyLayer("request", "test", List.of(rule)))),
                instance.network().orElseThrow(), instance::alive));
    }

    @BeforeEach
    void fresh() throws Exception {
        server.sh(box.id(), "echo 'nameserver 198.18.0.1' > /etc/resolv.conf");
        ARRIVED.clear();
    }

    @AfterAll
    static void close() throws Exception {
        try {
            gateway.close();
            origin.close();
            outside.close();
            internet.destroy();
            server.sandboxes().killAll(OPERATOR, null);
            server.uninstall();
            await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(Leftovers.of(dir)).isEmpty());
        } finally {
            Leftovers.remove(dir);
        }
    }

    private static InetAddress[] resolve(String host) throws IOException {
        ARRIVED.add("look-up " + host);
        if (!host.equals("a.allowed.test")) {
            throw new UnknownHostException(host);
        }
        return new InetAddress[] {InetAddress.ofLiteral(ORIGIN)};
    }

    private static void serve() {
        while (origin.isOpen()) {
            try (var connection = origin.accept()) {
                var in = ByteBuffer.allocate(8192);
                connection.read(in);
                ARRIVED.add(new String(in.array(), 0, in.position()).lines().findFirst().orElse("nothing"));
                connection.write(ByteBuffer.wrap("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nok\n".getBytes()));
            } catch (IOException closed) {
                // the next, if there is one
            }
        }
    }

    private int run(String user, String command) {
        var exec = server.engine.execs().start(ALICE, box.id(), new ExecSpec(List.of("sh", "-c", command), null, null, user, null, null, 30_000L, null, null));
        Integer code = server.engine.execs().await(ALICE, box.id(), exec.id(), Duration.ofSeconds(40)).exitCode();
        return code == null ? -1 : code;
    }

    private List<String> told() {
        return server.ledger.read(ALICE.tenant().value(), box.id(), "egress", 0, 1000).stream().map(r -> r.action() + " " + r.fields().getOrDefault("host", "-")).toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"root", "user"})
    void whatThePolicyAllowsWorksWithOrdinaryPrograms(String user) {
        assertThat(run(user, "test \"$(wget -qO- http://a.allowed.test/" + user + ")\" = ok")).isZero();
        assertThat(ARRIVED).contains("GET /" + user + " HTTP/1.1");
        assertThat(told()).contains("dns a.allowed.test", "connect a.allowed.test");
    }

    @ParameterizedTest
    @ValueSource(strings = {"wget -qO- http://denied.test/", "wget -qO- http://45.0.0.1/", "wget -qO- --header 'Host: denied.test' http://a.allowed.test/", "wget -qO- http://0x2d.1/", "wget -qO- http://755580929/",
        "wget -qO- http://a.allowed.test:8080/", "wget -qO- http://169.254.169.254/latest/meta-data/", "wget -qO- http://127.0.0.1/", "echo x | nc -w 3 45.0.0.1 80", "ping -c 1 -W 2 45.0.0.1",
        "wget -qO- http://[::ffff:45.0.0.1]/", "echo x | nc -w 3 198.18.0.1 61443", "ip link add v0 type dummy", "ip addr add 45.0.0.1/32 dev lo", "ip route add default dev lo",
        "ip link set lo down", "ip route del table local 198.18.0.0/15", "echo 1 > /proc/sys/net/ipv4/ip_forward"})
    void whatItDoesNotAllowFailsAtOnceForUserAndRootAndArrivesNowhere(String command) {
        for (String user : List.of("user", "root")) {
            long before = System.nanoTime();
            assertThat(run(user, command)).as(user).isNotZero();
            assertThat(Duration.ofNanos(System.nanoTime() - before)).as(user).isLessThan(Duration.ofSeconds(8));
        }
        assertThat(ARRIVED).isEmpty();
        assertThat(run("root", "test \"$(wget -qO- http://a.allowed.test/still)\" = ok")).isZero();
    }

    @Test
    void anotherResolverIsReachedByNobody() {
        assertThat(run("root", "echo 'nameserver 45.0.0.1' > /etc/resolv.conf; wget -qO- http://a.allowed.test/")).isNotZero();
        assertThat(ARRIVED).isEmpty();
    }

    @Test
    void aNameWrittenIntoHostsLeadsNowhereElse() {
        assertThat(run("root", "cp /etc/hosts /tmp/h; echo '45.0.0.1 a.allowed.test' >> /etc/hosts; wget -qO- http://a.allowed.test/; c=$?; cat /tmp/h > /etc/hosts; exit $c")).isNotZero();
        assertThat(ARRIVED).isEmpty();
    }

    @Test
    void programsInsideMayListenOnTheSamePorts() {
        // A listener whose own input has ended tells so at once, and busybox' client leaves for that before it has said anything.
        assertThat(run("root", "(sleep 20 | nc -l -p 80 > /tmp/got 2>&1 &) ; i=0; until grep -q mine /tmp/got || [ $i = 30 ]; do i=$((i+1)); echo mine | nc -w 1 127.0.0.1 80; sleep 0.2; done; "
                + "test \"$(wget -qO- http://a.allowed.test/both)\" = ok && grep -q mine /tmp/got")).isZero();
        assertThat(ARRIVED).contains("GET /both HTTP/1.1");
    }
}
