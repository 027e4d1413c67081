// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.redoma.gateway.OwnTime;
import dev.redoma.policy.EffectivePolicy;
import dev.redoma.policy.EgressClass;
import dev.redoma.policy.Rate;
import dev.redoma.policy.Rule;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What of a sandbox's connections arrives where. A case passes on what the origins saw and on the record.
@Timeout(60)
class EgressConnectTest {
    @TempDir
    Path dir;

    Lab lab;

    @BeforeEach
    void open() throws Exception {
        lab = new Lab(dir);
        for (String address : List.of(Lab.HERE, Lab.THERE, Lab.PRIVATE, Lab.OWN, "169.254.169.254", "100.100.100.200")) {
            lab.origin(address, 443, EgressConnectTest::echo);
        }
        lab.origin(Lab.HERE, 5432, EgressConnectTest::echo);
        lab.origin(Lab.PRIVATE, 5432, EgressConnectTest::greet);
        lab.name("a.allowed.test", Lab.HERE);
    }

    @AfterEach
    void close() throws Exception {
        lab.close();
    }

    static void echo(SocketChannel connection, java.util.function.Consumer<String> noted) throws IOException {
        byte[] all = connection.socket().getInputStream().readAllBytes();
        noted.accept(all.length + " bytes");
        Inside.say(connection, all);
    }

    static void greet(SocketChannel connection, java.util.function.Consumer<String> noted) throws IOException {
        Inside.say(connection, "hello\n");
        noted.accept(new String(connection.socket().getInputStream().readAllBytes()));
    }

    private static final EffectivePolicy WEB = Lab.policy(Lab.web(443, "*.allowed.test"));

    private void nothingArrived() {
        assertThat(lab.arrivals).isEmpty();
    }

    private String said(Inside inside, InetAddress address, int port, byte[] words) throws IOException {
        try (var channel = inside.connect(address, port)) {
            try {
                Inside.say(channel, words);
                channel.shutdownOutput();
            } catch (IOException reset) {
                return "reset";
            }
            return Inside.hear(channel);
        }
    }

    @Test
    void whatIsAllowedArrivesByteForByteAndBothEndsAreRecorded() throws Exception {
        var inside = lab.sandbox(WEB);
        byte[] words = Hello.of("a.allowed.test");
        assertThat(said(inside, inside.four("a.allowed.test"), 443, words).length()).isEqualTo(words.length);
        assertThat(said(inside, inside.six("a.allowed.test"), 443, words).length()).isEqualTo(words.length);
        assertThat(lab.arrivals).containsExactly("45.0.0.1:443 connection", "45.0.0.1:443 " + words.length + " bytes", "45.0.0.1:443 connection", "45.0.0.1:443 " + words.length + " bytes");
        assertThat(lab.lookUps).containsOnly("a.allowed.test");
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(lab.told(inside)).contains("connect a.allowed.test -", "connect.closed a.allowed.test -"));
        var closed = lab.records(inside).stream().filter(r -> r.action().equals("connect.closed")).findFirst().orElseThrow();
        assertThat(closed.fields()).containsEntry("address", Lab.HERE).containsEntry("rule", "request.web[443]").containsEntry("class", "web");
        assertThat(((Number) closed.fields().get("up")).longValue()).isEqualTo(words.length);
        assertThat(((Number) closed.fields().get("down")).longValue()).isEqualTo(words.length);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 7, 40})
    void aFragmentedHelloIsReadWholeBeforeAnythingGoesOn(int size) throws Exception {
        var inside = lab.sandbox(WEB);
        assertThat(said(inside, inside.four("a.allowed.test"), 443, Hello.records(Hello.message("denied.test"), size))).isIn("reset", "");
        nothingArrived();
        byte[] good = Hello.records(Hello.message("A.allowed.test"), size);
        assertThat(said(inside, inside.four("a.allowed.test"), 443, good)).hasSize(good.length);
    }

    static byte[][] foreignHellos() {
        return new byte[][] {Hello.of(), Hello.of("denied.test"), Hello.of("b.allowed.test"), Hello.of("a.allowed.test", "denied.test"), Hello.of("denied.test", "a.allowed.test"), Hello.of("a.allowed.test", "a.allowed.test"),
            Hello.of("a.allowed.test\0.denied.test"), Hello.of("45.0.0.1"), "GET / HTTP/1.1\r\nHost: a.allowed.test\r\n\r\n".getBytes(), "SSH-2.0-x\r\n".getBytes(), new byte[] {22, 3, 1, 0, 0}, new byte[] {22, 3, 1, 0, 4, 1, 1, 0, 0}};
    }

    @ParameterizedTest
    @org.junit.jupiter.params.provider.MethodSource("foreignHellos")
    void whatDoesNotSayTheNameThatWasAskedForGoesNowhere(byte[] words) throws Exception {
        var inside = lab.sandbox(WEB);
        assertThat(said(inside, inside.four("a.allowed.test"), 443, words)).isIn("reset", "");
        nothingArrived();
        assertThat(lab.lookUps).isEmpty();
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(lab.told(inside)).anyMatch(t -> t.startsWith("connect.denied a.allowed.test ")));
        assertThat(lab.records(inside)).filteredOn(r -> r.action().equals("connect.denied")).allSatisfy(r -> assertThat(r.fields()).containsEntry("class", "web").containsEntry("rule", "request.web[443]").containsEntry("port", 443L));
    }

    @Test
    void whatIsKnownOfARefusalIsOnRecordAlsoWhereAnAddressWasNamed() throws Exception {
        var inside = lab.sandbox(Lab.policy(Lab.web(443, "*")));
        assertThat(said(inside, InetAddress.ofLiteral(Lab.HERE), 443, "GET / HTTP/1.1\r\n\r\n".getBytes())).isIn("reset", "");
        assertThat(said(inside, InetAddress.ofLiteral("45.0.0.77"), 443, Hello.of())).isIn("reset", "");
        assertThat(lab.told(inside)).contains("connect.denied - not-tls", "connect.failed - -");
        assertThat(lab.records(inside)).filteredOn(r -> r.action().equals("connect.denied") || r.action().equals("connect.failed")).hasSize(2)
                .allSatisfy(r -> assertThat(r.fields()).containsEntry("class", "web").containsEntry("rule", "request.web[443]").containsKey("address"));
    }

    @Test
    void whoHasSaidThatNothingMoreComesDoesNotBreakAConnectionByLeaving() throws Exception {
        lab.origin(Lab.HERE, 8443, (connection, noted) -> {
            Inside.say(connection, "hello\n");
            connection.shutdownOutput();
            noted.accept(connection.socket().getInputStream().readAllBytes().length + " bytes");
        });
        lab.origin(Lab.HERE, 8444, (connection, noted) -> {
            noted.accept(connection.socket().getInputStream().readAllBytes().length + " bytes");
            for (int i = 0; i < 20; i++) {
                Inside.say(connection, "late");
                Thread.sleep(5);
            }
        });
        lab.origin(Lab.HERE, 8445, (connection, noted) -> {
            connection.socket().getInputStream().read(); // by then it is a connection, which can break
            Inside.say(connection, "hello\n");
            connection.setOption(java.net.StandardSocketOptions.SO_LINGER, 0);
        });
        var inside = lab.sandbox(Lab.policy(Lab.web(8443, "a.allowed.test"), Lab.web(8444, "a.allowed.test"), Lab.web(8445, "a.allowed.test")));
        try (var channel = inside.to("a.allowed.test", 8443)) {
            assertThat(Inside.hear(channel)).isEqualTo("hello\n");
            Inside.say(channel, "and goodbye");
            channel.setOption(java.net.StandardSocketOptions.SO_LINGER, 0);
        }
        try (var channel = inside.to("a.allowed.test", 8444)) {
            Inside.say(channel, "hello");
        }
        try (var channel = inside.to("a.allowed.test", 8445)) {
            Inside.say(channel, "x");
            assertThat(Inside.hear(channel)).isEqualTo("reset");
        }
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(lab.records(inside)).filteredOn(r -> r.action().equals("connect.closed")).extracting(r -> r.fields().get("port") + " " + r.fields().getOrDefault("reason", "-"))
                .containsExactlyInAnyOrder("8443 -", "8444 -", "8445 broken"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.9.0.1", "127.0.0.1", "169.254.169.254", "100.100.100.200", "45.0.0.99", "::1", "::ffff:10.9.0.1", "64:ff9b::a09:1", "2002:a09:1::1", "::10.9.0.1", "0.0.0.0", "224.0.0.1", "fd00:ec2::254",
        "45.0.0.1 10.9.0.1", "45.0.0.1 169.254.169.254", "10.9.0.1 45.0.0.1"})
    void aNameThatLeadsInwardsIsNotDialled(String addresses) throws Exception {
        var inside = lab.sandbox(WEB);
        lab.name("a.allowed.test", addresses);
        assertThat(said(inside, inside.four("a.allowed.test"), 443, Hello.of("a.allowed.test"))).isIn("reset", "");
        nothingArrived();
        assertThat(lab.told(inside)).anyMatch(t -> t.startsWith("connect.denied a.allowed.test ") && (t.endsWith("never-dialled") || t.endsWith("private-address")));
    }

    @Test
    void aNameThatChangesIsCheckedEachTime() throws Exception {
        var inside = lab.sandbox(WEB);
        lab.name("a.allowed.test", Lab.HERE, Lab.PRIVATE);
        byte[] words = Hello.of("a.allowed.test");
        assertThat(said(inside, inside.four("a.allowed.test"), 443, words)).hasSize(words.length);
        lab.arrivals.clear();
        assertThat(said(inside, inside.four("a.allowed.test"), 443, words)).isIn("reset", "");
        nothingArrived();
    }

    @Test
    void aPrivateAddressIsReachedWhereARuleOfClassInternalNamesItsRange() throws Exception {
        lab.name("db.inside.test", Lab.PRIVATE);
        var inside = lab.sandbox(Lab.policy(Lab.internal(5432, "db.inside.test", "10.9.0.0/24")));
        try (var channel = inside.to("db.inside.test", 5432)) {
            assertThat(new String(channel.socket().getInputStream().readNBytes(6))).isEqualTo("hello\n");
            Inside.say(channel, "bye");
            channel.shutdownOutput();
            assertThat(Inside.hear(channel)).isEmpty();
        }
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(lab.arrivals).contains("10.9.0.1:5432 bye"));
        lab.name("db.inside.test", "10.9.1.1");
        lab.arrivals.clear();
        assertThat(said(inside, inside.four("db.inside.test"), 5432, new byte[] {1})).isIn("reset", "");
        nothingArrived();
    }

    @ParameterizedTest
    @CsvSource({"45.0.0.1,443", "10.9.0.1,443", "169.254.169.254,80", "8.8.8.8,53", "1.1.1.1,853", "2a00:45::1,443", "fd00:ec2::254,80"})
    void anAddressThatAProgramNamesItselfLeadsNowhere(String address, int port) throws Exception {
        var inside = lab.sandbox(WEB);
        assertThatThrownBy(() -> inside.connect(InetAddress.ofLiteral(address), port).close()).isInstanceOf(IOException.class);
        try (var datagrams = inside.network.datagram(address.contains(":") ? StandardProtocolFamily.INET6 : StandardProtocolFamily.INET)) {
            assertThatThrownBy(() -> datagrams.send(ByteBuffer.wrap(new byte[] {1}), new InetSocketAddress(address, port))).isInstanceOf(IOException.class);
        }
        nothingArrived();
    }

    @ParameterizedTest
    @ValueSource(ints = {22, 53, 80, 853, 5432, 8443, 61_443})
    void otherPortsOfAnAllowedNameAreRefusedAtOnce(int port) throws Exception {
        var inside = lab.sandbox(WEB);
        var address = inside.four("a.allowed.test");
        assertThatThrownBy(() -> inside.connect(address, port).close()).isInstanceOf(java.net.ConnectException.class);
        try (var quic = inside.network.datagram(StandardProtocolFamily.INET)) {
            assertThatThrownBy(() -> quic.send(ByteBuffer.wrap(new byte[1200]), new InetSocketAddress(address, 443))).isInstanceOf(IOException.class);
        }
        nothingArrived();
    }

    @Test
    void whereARuleAllowsEveryHostPublicAddressesAreReachedAndNoOthers() throws Exception {
        var inside = lab.sandbox(Lab.policy(Lab.web(443, "*")));
        byte[] words = Hello.of();
        assertThat(said(inside, InetAddress.ofLiteral(Lab.HERE), 443, words)).hasSize(words.length);
        lab.arrivals.clear();
        for (String address : List.of(Lab.PRIVATE, Lab.OWN, "169.254.169.254", "100.100.100.200", "198.18.9.9")) {
            String heard;
            try {
                heard = said(inside, InetAddress.ofLiteral(address), 443, words);
            } catch (IOException refused) {
                heard = "reset";
            }
            assertThat(heard).as(address).isIn("reset", "");
        }
        nothingArrived();
        assertThat(lab.lookUps).isEmpty();
    }

    @Test
    void aPolicyThatAllowsLessClosesWhatItDoesNotAllow() throws Exception {
        lab.name("b.allowed.test", Lab.HERE);
        lab.origin(Lab.HERE, 8443, EgressConnectTest::greet);
        var both = Lab.policy(Lab.web(8443, "a.allowed.test", "b.allowed.test"));
        var inside = lab.sandbox(both);
        try (var a = inside.to("a.allowed.test", 8443); var b = inside.to("b.allowed.test", 8443)) {
            assertThat(a.socket().getInputStream().readNBytes(6)).hasSize(6);
            assertThat(b.socket().getInputStream().readNBytes(6)).hasSize(6);
            var time = new OwnTime();
            lab.apply(inside, Lab.policy(Lab.web(8443, "b.allowed.test")), null);
            assertThat(Inside.hear(a)).as("an end in order would say that there was no more").isEqualTo("reset");
            assertThat(time.since()).isLessThan(Duration.ofMillis(100));
            Inside.say(b, "still here");
            b.shutdownOutput();
            assertThat(Inside.hear(b)).isEmpty();
        }
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(lab.arrivals).contains("45.0.0.1:8443 still here"));
        var address = inside.four("b.allowed.test");
        assertThatThrownBy(() -> inside.connect(InetAddress.ofLiteral("198.18.1.0"), 8443).close()).isInstanceOf(java.net.ConnectException.class);
        inside.connect(address, 8443).close();
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(lab.told(inside)).contains("connect.closed a.allowed.test policy"));
    }

    /// Each of them allows it, wherever it stands.
    @Test
    void whatOneRuleGrantsNoMoreAnotherMayThatAllowsItToo() throws Exception {
        lab.origin(Lab.HERE, 8443, EgressConnectTest::echo);
        var inside = lab.sandbox(Lab.policy(Lab.rule("request.web[0]", EgressClass.WEB, Rule.Handling.OPAQUE, 8443, List.of(), Set.of(), null, 10L, "a.allowed.test"),
                Lab.rule("request.web[1]", EgressClass.WEB, Rule.Handling.OPAQUE, 8443, List.of(), Set.of(), new Rate(1, Duration.ofHours(1)), null, "a.allowed.test"),
                Lab.rule("request.web[2]", EgressClass.WEB, Rule.Handling.OPAQUE, 8443, List.of(), Set.of(), new Rate(2, Duration.ofHours(1)), null, "a.allowed.test")));
        for (int i = 0; i < 4; i++) {
            assertThat(said(inside, inside.four("a.allowed.test"), 8443, new byte[5])).as("connection " + i).hasSize(5);
        }
        assertThat(said(inside, inside.four("a.allowed.test"), 8443, new byte[5])).isIn("reset", "");
        assertThat(lab.records(inside)).filteredOn(r -> r.action().equals("connect")).extracting(r -> r.fields().get("rule")).startsWith("request.web[0]", "request.web[1]", "request.web[2]");
        assertThat(lab.records(inside)).filteredOn(r -> r.action().equals("connect.denied")).singleElement().satisfies(r -> assertThat(r.fields()).containsEntry("reason", "rate"));
    }

    @Test
    void aProgramThatBreaksOffIsHeardToBreakOff() throws Exception {
        lab.origin(Lab.HERE, 8443, (connection, noted) -> {
            Inside.say(connection, "hello\n");
            noted.accept(Inside.hear(connection));
        });
        var inside = lab.sandbox(Lab.policy(Lab.web(8443, "a.allowed.test")));
        try (var channel = inside.to("a.allowed.test", 8443)) {
            assertThat(channel.socket().getInputStream().readNBytes(6)).hasSize(6);
            Inside.say(channel, "half");
            channel.setOption(java.net.StandardSocketOptions.SO_LINGER, 0);
        }
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(lab.arrivals).contains("45.0.0.1:8443 reset"));
    }

    @Test
    void withoutTheGatewayNothingLeavesAndWithItAgainTheSameAddressesLead() throws Exception {
        var inside = lab.sandbox(WEB);
        var address = inside.four("a.allowed.test");
        byte[] words = Hello.of("a.allowed.test");
        lab.stop();
        assertThatThrownBy(() -> inside.connect(address, 443).close()).isInstanceOf(java.net.ConnectException.class);
        nothingArrived();
        lab.start();
        lab.apply(inside, WEB, null);
        assertThat(said(inside, address, 443, words)).hasSize(words.length);
    }

    @Test
    void whatCannotBeRecordedIsNotDialled() throws Exception {
        var inside = lab.sandbox(WEB);
        var address = inside.four("a.allowed.test");
        lab.store.close();
        assertThat(said(inside, address, 443, Hello.of("a.allowed.test"))).isIn("reset", "");
        nothingArrived();
    }

    @Test
    void portsThatProgramsTookBeforeDoNotKeepTheGatewayOut() throws Exception {
        try (var inside = new Inside(Lab.namespace("true"), dev.redoma.model.SandboxId.mint()); var squatter = inside.network.serverSocket().bind(new InetSocketAddress(61_443))) {
            assertThat(squatter.isOpen()).isTrue();
            lab.apply(inside, WEB, null);
            byte[] words = Hello.of("a.allowed.test");
            assertThat(said(inside, inside.four("a.allowed.test"), 443, words)).hasSize(words.length);
            lab.gateway.detach(inside.id);
        }
    }

    @Test
    void aByteBudgetEndsTheConnectionThatExceedsIt() throws Exception {
        lab.origin(Lab.HERE, 8443, EgressConnectTest::echo);
        var inside = lab.sandbox(Lab.policy(Lab.rule("request.web[0]", EgressClass.WEB, Rule.Handling.OPAQUE, 8443, List.of(), Set.of(), null, 100_000L, "a.allowed.test")));
        assertThat(said(inside, inside.four("a.allowed.test"), 8443, new byte[10_000])).hasSize(10_000);
        lab.arrivals.clear();
        assertThat(said(inside, inside.four("a.allowed.test"), 8443, new byte[200_000])).isEqualTo("reset");
        assertThat(said(inside, inside.four("a.allowed.test"), 8443, new byte[10])).isIn("reset", "");
        assertThat(lab.arrivals).doesNotContain("45.0.0.1:8443 200000 bytes", "45.0.0.1:8443 10 bytes");
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(lab.told(inside)).contains("connect.closed a.allowed.test bytes", "connect.denied a.allowed.test budget"));
    }
}
