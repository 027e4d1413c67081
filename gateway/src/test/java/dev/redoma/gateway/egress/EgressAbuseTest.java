// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redoma.model.SandboxId;
import dev.redoma.policy.EgressClass;
import dev.redoma.policy.HostPattern;
import dev.redoma.policy.Ports;
import dev.redoma.policy.Rule;
import dev.redoma.policy.Target;
import java.net.InetAddress;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/// A sandbox that asks for more than its part, or holds on to what its policy no longer gives.
@Timeout(60)
class EgressAbuseTest {
    @TempDir
    Path dir;

    Lab lab;

    @BeforeEach
    void open() throws Exception {
        lab = new Lab(dir);
        lab.name("a.allowed.test", Lab.HERE);
        lab.origin(Lab.HERE, 443, EgressConnectTest::echo);
        lab.origin(Lab.HERE, 8443, EgressConnectTest::greet);
    }

    @AfterEach
    void close() throws Exception {
        lab.close();
    }

    private static Rule web(Long bytes) {
        return Lab.rule("request.web[0]", EgressClass.WEB, Rule.Handling.OPAQUE, 8443, List.of(), Set.of(), null, bytes, "a.allowed.test");
    }

    private static Rule deny(int port, String host) {
        List<Target> targets = List.of(new Target.Named(HostPattern.parse(host).orElseThrow(), Ports.of(port)));
        return new Rule("request.web[deny]", EgressClass.WEB, true, targets, List.of(), Set.of(), List.of(), Rule.Handling.OPAQUE, null, null, new Rule.Place("request", "test", 0, 0));
    }

    @Test
    void aBudgetThatComesWithANewPolicyBindsConnectionsThatAreOpen() throws Exception {
        var inside = lab.sandbox(Lab.policy(web(null)));
        try (var channel = inside.to("a.allowed.test", 8443)) {
            assertThat(channel.socket().getInputStream().readNBytes(6)).hasSize(6);
            lab.apply(inside, Lab.policy(web(1000L)), null);
            Inside.say(channel, new byte[2000]);
            assertThat(Inside.hear(channel)).isIn("reset", "");
        }
        await().atMost(java.time.Duration.ofSeconds(30)).untilAsserted(() -> assertThat(lab.told(inside)).contains("connect.closed a.allowed.test bytes"));
        assertThat(lab.arrivals).noneMatch(a -> a.length() > 1000);
    }

    @Test
    void aNameToldToAnAddressIsDecidedForItsPortAndAgainWhenThePolicyChanges() throws Exception {
        var every = Lab.policy(Lab.web(443, "*"), Lab.web(8443, "*"));
        var denied = Lab.policy(Lab.web(443, "*"), Lab.web(8443, "*"), deny(443, "a.allowed.test"));
        var inside = lab.sandbox(every);
        InetAddress here = InetAddress.ofLiteral(Lab.HERE);
        byte[] words = Hello.of("a.allowed.test");
        try (var channel = inside.connect(here, 443)) {
            Inside.say(channel, words);
            await().atMost(java.time.Duration.ofSeconds(30)).untilAsserted(() -> assertThat(lab.arrivals).isNotEmpty());
            await().atMost(java.time.Duration.ofSeconds(30)).untilAsserted(() -> assertThat(lab.told(inside)).anyMatch(t -> t.startsWith("connect ")));
            lab.apply(inside, denied, null);
            assertThat(Inside.hear(channel)).isIn("reset", "");
        }
        await().atMost(java.time.Duration.ofSeconds(30)).untilAsserted(() -> assertThat(lab.told(inside)).anyMatch(t -> t.startsWith("connect.closed ") && t.endsWith(" policy")));
        lab.arrivals.clear();
        try (var channel = inside.connect(here, 443)) {
            Inside.say(channel, words);
            assertThat(Inside.hear(channel)).isIn("reset", "");
        }
        assertThat(lab.arrivals).isEmpty();
    }

    @Test
    void questionsAreReadNoFasterThanTheyMayCost() throws Exception {
        var inside = lab.sandbox(Lab.policy(Lab.web(443, "*.allowed.test")));
        var over = new AtomicBoolean();
        try (var channel = inside.network.datagram(StandardProtocolFamily.INET)) {
            channel.connect(Inside.RESOLVER);
            long begun = System.nanoTime();
            var sender = Thread.ofPlatform().start(() -> {
                byte[] noQuestion = new byte[40];
                noQuestion[5] = 9;
                while (!over.get()) {
                    try {
                        channel.write(ByteBuffer.wrap(noQuestion));
                    } catch (java.io.IOException full) {
                        Thread.onSpinWait();
                    }
                }
            });
            int answers = 0;
            channel.socket().setSoTimeout(2000);
            var packet = new java.net.DatagramPacket(new byte[512], 512);
            try {
                while (System.nanoTime() - begun < TimeUnit.SECONDS.toNanos(3)) {
                    channel.socket().receive(packet);
                    answers++;
                }
            } catch (SocketTimeoutException none) {
                // what is too much is dropped
            }
            over.set(true);
            sender.join();
            double seconds = (System.nanoTime() - begun) / 1e9;
            assertThat(answers).isPositive().isLessThan((int) (1000 + 1000 * seconds) + 50);
        }
        assertThat(inside.askByTcp("a.allowed.test", Type.A).getSection(Section.ANSWER)).hasSize(1);
    }

    @Test
    void slowNamesOfSomeDoNotKeepOthersFromTheirs() throws Exception {
        lab.name("x.slow.test", Lab.HERE);
        var held = new ArrayList<SocketChannel>();
        for (int i = 0; i < 6; i++) {
            var hoarder = lab.sandbox(Lab.policy(Lab.web(8443, "*.slow.test")));
            var address = hoarder.four("x.slow.test");
            for (int n = 0; n < 6; n++) {
                held.add(hoarder.connect(address, 8443));
            }
        }
        await().atMost(java.time.Duration.ofSeconds(30)).untilAsserted(() -> assertThat(lab.lookUps).hasSize(24));
        var other = lab.sandbox(Lab.policy(Lab.web(8443, "a.allowed.test")));
        try (var channel = other.to("a.allowed.test", 8443)) {
            channel.socket().setSoTimeout(5000);
            assertThat(channel.socket().getInputStream().readNBytes(6)).hasSize(6);
        }
        for (var one : held) {
            one.close();
        }
    }

    @Test
    void refusalsInTheLongRunAreCountedAndNoneIsLost() {
        var sandbox = SandboxId.mint();
        var records = new EgressRecords(lab.store, lab.ledger, Lab.TENANT, sandbox, new Bucket(3, 1e-9));
        for (int i = 0; i < 10; i++) {
            records.refused(new Fact("dns.denied", "n" + i + ".denied.test", null, 0, null, null, "no-rule", Map.of()));
        }
        assertThat(records.allowed(new Fact("dns", "a.allowed.test", null, 0, "web", null, null, Map.of()))).isEqualTo(EgressRecords.Told.WRITTEN);
        records.flush(true);
        var rows = lab.ledger.read(Lab.TENANT.value(), sandbox.value(), "egress", 0, 1000);
        assertThat(rows).hasSize(5);
        assertThat(rows.getLast().fields()).containsEntry("reason", "many");
        assertThat(((Number) rows.getLast().fields().get("again")).intValue()).isEqualTo(7);
    }

    @Test
    void whatIsRefusedManyTimesAtOnceIsOneRecordAndANumber() throws Exception {
        var sandbox = SandboxId.mint();
        var records = new EgressRecords(lab.store, lab.ledger, Lab.TENANT, sandbox);
        var together = new java.util.concurrent.CountDownLatch(1);
        var all = new ArrayList<Thread>();
        for (int i = 0; i < 300; i++) {
            all.add(Thread.ofVirtual().start(() -> {
                try {
                    together.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                records.refused(new Fact("connect.denied", "a.allowed.test", null, 443, "web", "request.web[0]", "not-tls", Map.of()));
            }));
        }
        together.countDown();
        for (Thread one : all) {
            one.join();
        }
        records.flush(true);
        var rows = lab.ledger.read(Lab.TENANT.value(), sandbox.value(), "egress", 0, 1000);
        assertThat(rows).hasSize(2);
        assertThat(((Number) rows.getLast().fields().get("again")).intValue()).isEqualTo(299);
        assertThat(records.refusedSoFar().told().connections()).isEqualTo(300);
    }

    @Test
    void endsOfConnectionsThatAreCountedAreNotWrittenEverySecond() {
        var sandbox = SandboxId.mint();
        var records = new EgressRecords(lab.store, lab.ledger, Lab.TENANT, sandbox);
        var end = new Fact("connect.closed", "a.allowed.test", Lab.HERE, 443, "web", null, null, Map.of());
        for (int i = 0; i < 5; i++) {
            records.closedToo(end, 1, 2);
            records.flush(false);
        }
        assertThat(lab.ledger.read(Lab.TENANT.value(), sandbox.value(), "egress", 0, 1000)).isEmpty();
        records.flush(true);
        var rows = lab.ledger.read(Lab.TENANT.value(), sandbox.value(), "egress", 0, 1000);
        assertThat(rows).hasSize(1);
        assertThat(((Number) rows.getFirst().fields().get("again")).intValue()).isEqualTo(5);
    }
}
