// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.redoma.model.wire.AuditRecord;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// What packet rules refuse comes on record, by the kernel's own log.
@Timeout(60)
class RefusedPacketsTest {
    @TempDir
    static Path dir;

    static Lab lab;

    @BeforeAll
    static void open() throws Exception {
        lab = new Lab(dir);
        lab.name("a.allowed.test", Lab.HERE);
    }

    @AfterAll
    static void close() throws Exception {
        lab.close();
    }

    private static void refused(Inside inside, String address, int port) throws IOException {
        assertThatThrownBy(() -> inside.connect(InetAddress.ofLiteral(address), port)).isInstanceOf(java.net.ConnectException.class).hasMessageContaining("refused");
    }

    private static void datagrams(Inside inside, String address, int firstPort, int many) throws IOException {
        var to = InetAddress.ofLiteral(address);
        try (var channel = inside.network.datagram(to.getAddress().length == 4 ? StandardProtocolFamily.INET : StandardProtocolFamily.INET6)) {
            for (int i = 0; i < many; i++) {
                try {
                    channel.send(ByteBuffer.wrap(new byte[40]), new InetSocketAddress(to, firstPort + i));
                } catch (IOException refused) {
                    // the kernel tells it of this one or one before
                }
            }
        }
    }

    private static String told(AuditRecord r) {
        Map<String, Object> f = r.fields();
        return r.action() + " " + f.getOrDefault("protocol", "tcp") + " " + f.getOrDefault("host", f.getOrDefault("address", "-")) + " " + f.getOrDefault("port", 0) + " " + f.getOrDefault("reason", "-")
                + (f.containsKey("again") ? " +" + f.get("again") : "");
    }

    private static List<String> records(Inside inside) {
        lab.gateway.note(inside.id);
        return lab.records(inside).stream().map(RefusedPacketsTest::told).toList();
    }

    private static Map<String, Object> reconciled(Inside inside) {
        return lab.store.read(tx -> lab.gateway.reconciled(tx, inside.id));
    }

    @Test
    void whatNothingGrantsIsOnRecordAsSoonAsItIsAskedForAndWhatRepeatsIsCounted() throws Exception {
        var inside = lab.sandbox(Lab.policy(Lab.web(443, "*.allowed.test")));
        var named = inside.four("a.allowed.test");
        for (String address : List.of("45.0.0.1", "169.254.169.254", "10.0.0.1", "2a00:45::1", "64:ff9b::a9fe:a9fe", "198.18.77.7", named.getHostAddress())) {
            refused(inside, address, 8080);
        }
        datagrams(inside, "8.8.8.8", 53, 1);
        datagrams(inside, "2a00:45::53", 443, 1);
        datagrams(inside, named.getHostAddress(), 443, 1);
        assertThat(records(inside)).containsExactly("dns tcp a.allowed.test 0 -",
                "connect.denied tcp 45.0.0.1 8080 no-rule", "connect.denied tcp 169.254.169.254 8080 never-dialled", "connect.denied tcp 10.0.0.1 8080 no-rule",
                "connect.denied tcp 2a00:45:0:0:0:0:0:1 8080 no-rule", "connect.denied tcp 64:ff9b:0:0:0:0:a9fe:a9fe 8080 never-dialled", "connect.denied tcp 198.18.77.7 8080 never-dialled",
                "connect.denied tcp a.allowed.test 8080 no-rule", "packet.denied udp 8.8.8.8 53 protocol", "packet.denied udp 2a00:45:0:0:0:0:0:53 443 protocol", "packet.denied udp a.allowed.test 443 protocol");
        for (int i = 0; i < 5; i++) {
            refused(inside, "169.254.169.254", 8080);
        }
        datagrams(inside, "8.8.8.8", 53, 1);
        assertThat(records(inside)).as("nothing new").hasSize(11);
        var count = lab.gateway.refused(inside.id).orElseThrow();
        assertThat(count.connections()).isEqualTo(12);
        assertThat(count.packets()).isEqualTo(4);
        assertThat(count.latest()).as("what no connection was explains none").satisfies(l -> assertThat(l.address()).isEqualTo("169.254.169.254"));
        lab.gateway.detach(inside.id);
        assertThat(records(inside)).hasSize(13).contains("connect.denied tcp 169.254.169.254 8080 never-dialled +5", "packet.denied udp 8.8.8.8 53 protocol +1");
        assertThat(reconciled(inside)).containsEntry("whole", true).containsEntry("refused", List.of(16L, 16L));
        assertThat(lab.arrivals).isEmpty();
    }

    @Test
    void eachRoundReadsThemAndAChangeOfPolicyJudgesThemByTheOneThatRefusedThem() throws Exception {
        var inside = lab.sandbox(Lab.policy(Lab.web(443, "a.allowed.test")));
        refused(inside, "45.0.0.7", 22);
        await().atMost(java.time.Duration.ofSeconds(30)).untilAsserted(() -> assertThat(lab.records(inside).stream().map(RefusedPacketsTest::told)).containsExactly("connect.denied tcp 45.0.0.7 22 no-rule"));
        refused(inside, "45.0.0.8", 443);
        lab.apply(inside, Lab.policy(Lab.web(443, "*")), null);
        assertThat(records(inside)).contains("connect.denied tcp 45.0.0.8 443 no-rule");
        refused(inside, "45.0.0.8", 61_443);
        assertThat(records(inside)).as("under a rule for 443 alone").contains("connect.denied tcp 45.0.0.8 61443 no-rule");
    }

    @Test
    void aFloodCostsNoOtherRecordItsPlaceAndItsCountsAddUp() throws Exception {
        var flood = lab.sandbox(Lab.policy(Lab.web(8443, "*.allowed.test")));
        var other = lab.sandbox(Lab.policy(Lab.web(8443, "*.allowed.test")));
        for (int i = 0; i < 5; i++) {
            datagrams(flood, "10.0.0.1", 1 + 1000 * i, 1000);
            refused(other, "10.0.0.1", 1 + i);
            lab.gateway.note(flood.id);
        }
        for (int i = 0; i < 200; i++) {
            flood.code("n" + i + ".denied.test", org.xbill.DNS.Type.A);
        }
        assertThat(records(flood)).filteredOn(r -> r.startsWith("packet.denied udp")).hasSizeBetween(100, 256);
        assertThat(records(flood)).as("names that are denied have their own places").filteredOn(r -> r.matches("dns.denied tcp n\\d+.denied.test 0 no-rule")).hasSize(200);
        assertThat(lab.gateway.refused(flood.id).orElseThrow().packets()).isEqualTo(5000);
        assertThat(records(other)).hasSize(5);
        lab.gateway.detach(flood.id);
        var packets = lab.records(flood).stream().filter(r -> r.action().equals("packet.denied")).toList();
        assertThat(packets.stream().mapToLong(r -> r.fields().get("again") instanceof Number n ? n.longValue() : 1).sum()).isEqualTo(5000);
        assertThat(packets.stream().map(r -> r.fields().get("reason"))).contains("protocol", "many", "unseen");
        assertThat(reconciled(flood)).containsEntry("whole", true).containsEntry("unsettled", 0L);
    }

    @Test
    void whileTheDatabaseTakesNothingTheyAreKeptAndAfterwardsToldAllOfThem() throws Exception {
        var inside = lab.sandbox(Lab.policy(Lab.web(8443, "*.allowed.test")));
        lab.store.write(tx -> tx.execute("CREATE TRIGGER full BEFORE INSERT ON record BEGIN SELECT RAISE(FAIL, 'database or disk is full'); END"));
        refused(inside, "45.0.0.1", 1);
        refused(inside, "45.0.0.1", 1);
        assertThat(records(inside)).isEmpty();
        refused(inside, "45.0.0.1", 2);
        lab.gateway.detach(inside.id);
        assertThat(reconciled(inside)).containsEntry("whole", false);
        lab.store.write(tx -> tx.execute("DROP TRIGGER full"));
        await().atMost(java.time.Duration.ofSeconds(30)).untilAsserted(() -> assertThat(reconciled(inside)).containsEntry("whole", true).containsEntry("refused", List.of(3L, 3L)));
        assertThat(records(inside)).containsExactlyInAnyOrder("connect.denied tcp 45.0.0.1 1 no-rule", "connect.denied tcp 45.0.0.1 1 no-rule +1", "connect.denied tcp 45.0.0.1 2 no-rule");
    }

    @Test
    void anotherServerReadsOn() throws Exception {
        var other = new Lab(java.nio.file.Files.createDirectory(dir.resolve("other")));
        try (other) {
            var inside = other.sandbox(Lab.policy(Lab.web(443, "*.allowed.test")));
            refused(inside, "45.0.0.1", 1);
            other.stop();
            refused(inside, "45.0.0.1", 2);
            other.start();
            other.apply(inside, Lab.policy(Lab.web(443, "*.allowed.test")), null);
            refused(inside, "45.0.0.1", 3);
            other.gateway.note(inside.id);
            assertThat(other.records(inside).stream().map(RefusedPacketsTest::told)).as("what nobody saw is not made up").containsExactly("connect.denied tcp 45.0.0.1 1 no-rule", "connect.denied tcp 45.0.0.1 3 no-rule");
            assertThat(other.gateway.refused(inside.id).orElseThrow().connections()).isEqualTo(2);
        }
    }
}
