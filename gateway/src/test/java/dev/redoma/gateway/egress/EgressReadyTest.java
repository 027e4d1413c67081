// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.redoma.policy.AddressSpace;
import dev.redoma.policy.EffectivePolicy;
import dev.redoma.policy.EgressDecider;
import dev.redoma.policy.PolicyFile;
import dev.redoma.policy.PolicyStack;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.xbill.DNS.Type;

/// Ways out that were made before they were asked for, and addresses that packet rules lead to before they are durable.
@Timeout(60)
class EgressReadyTest {
    static final SandboxNames.Leading NOWHERE = new SandboxNames.Leading() {
        @Override
        public void lead(String name, int number) {}

        @Override
        public void leadOnlyKnown() {}
    };
    private static final EffectivePolicy WEB = Lab.policy(Lab.web(8443, "*.allowed.test"));
    private static final InetAddress FIRST = InetAddress.ofLiteral("198.18.1.0");

    @TempDir
    Path dir;

    Lab lab;

    @BeforeEach
    void open() throws Exception {
        lab = new Lab(dir);
        lab.name("a.allowed.test", Lab.HERE);
        lab.name("b.allowed.test", Lab.HERE);
        for (String address : List.of(Lab.HERE, Lab.PRIVATE)) {
            lab.origin(address, 8443, EgressConnectTest::echo);
        }
    }

    @AfterEach
    void close() throws Exception {
        lab.close();
    }

    private static void refused(Inside inside, InetAddress address) {
        assertThatThrownBy(() -> inside.connect(address, 8443).close()).isInstanceOf(ConnectException.class);
    }

    private static String said(Inside inside, InetAddress address) throws IOException {
        try (var channel = inside.connect(address, 8443)) {
            Inside.say(channel, Hello.of("a.allowed.test"));
            channel.shutdownOutput();
            return Inside.hear(channel);
        } catch (ConnectException refused) {
            throw refused;
        } catch (IOException reset) {
            return "reset"; // by the gateway, which took it
        }
    }

    private static EffectivePolicy range(String range) {
        return new PolicyStack("test", List.of(PolicyFile.read("request", "test", "egress:\n  internal:\n    - {cidr: " + range + ", ports: [8443]}\n"))).effective(1);
    }

    @Test
    void oneThatIsReadyLeadsNowhereUntilItsSandboxTakesItByItsOwnPolicy() throws Exception {
        var inside = lab.bare();
        lab.gateway.prepare(lab.place(inside, range("10.9.0.0/16")));
        refused(inside, FIRST);
        lab.apply(inside, WEB, null);
        assertThat(said(inside, inside.four("a.allowed.test"))).isNotEmpty();
        assertThat(lab.arrivals).isNotEmpty();
        lab.arrivals.clear();
        assertThatThrownBy(() -> inside.connect(InetAddress.ofLiteral(Lab.PRIVATE), 8443).close()).as("what it was made for is none of this policy's").isInstanceOf(IOException.class);
        assertThat(lab.arrivals).isEmpty();
        lab.gateway.detach(inside.id);
        refused(inside, FIRST);
    }

    @Test
    void byTheSamePolicyItNeedsNoMoreRulesAndALaterChangeHolds() throws Exception {
        var inside = lab.bare();
        var policy = range("10.9.0.0/16");
        lab.gateway.prepare(lab.place(inside, policy));
        lab.apply(inside, policy, null);
        var to = InetAddress.ofLiteral(Lab.PRIVATE);
        try (var channel = inside.connect(to, 8443)) {
            Inside.say(channel, "hello");
            channel.shutdownOutput();
            assertThat(Inside.hear(channel)).isEqualTo("hello");
        }
        lab.apply(inside, WEB, null);
        refused(inside, to);
        assertThat(said(inside, inside.four("a.allowed.test"))).isNotEmpty();
        lab.apply(inside, policy, null);
        refused(inside, FIRST);
    }

    @Test
    void ofAnotherNetworkThanTheSandboxHasNowItIsGivenUp() throws Exception {
        var before = lab.bare();
        var now = new Inside(Lab.namespace("true"), before.id);
        try (now) {
            lab.gateway.prepare(lab.place(before, WEB));
            lab.apply(now, WEB, null);
            assertThat(said(now, now.four("a.allowed.test"))).isNotEmpty();
            assertThat(rest(before)).as("nobody listens there any more").isTrue();
        }
    }

    private static boolean rest(Inside inside) {
        try (var listener = inside.network.serverSocket()) {
            listener.bind(new java.net.InetSocketAddress(61_443));
            return true;
        } catch (IOException taken) {
            return false;
        }
    }

    @Test
    void manyThatWantItAtOnceGetItOnceAndAfterTheEndNoneIsLeft() throws Exception {
        var inside = lab.bare();
        var decider = new EgressDecider(WEB, own -> false, AddressSpace.INTERNET);
        try (var doors = new ReadyDoors(); var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int round = 0; round < 5; round++) {
                doors.make(lab.place(inside, WEB), decider, new SandboxNames(lab.store, inside.id), new Budgets(lab.store, inside.id));
                Callable<Optional<ReadyDoors.Ready>> take = () -> doors.take(lab.place(inside, WEB));
                var taken = threads.invokeAll(java.util.Collections.nCopies(16, take)).stream().map(f -> f.resultNow()).flatMap(Optional::stream).toList();
                assertThat(taken).hasSize(1);
                taken.getFirst().door().close();
            }
            doors.make(lab.place(inside, WEB), decider, new SandboxNames(lab.store, inside.id), new Budgets(lab.store, inside.id));
            doors.close();
            doors.make(lab.place(inside, WEB), decider, new SandboxNames(lab.store, inside.id), new Budgets(lab.store, inside.id)); // by one that is late
            assertThat(doors.size()).isZero();
        }
        assertThat(rest(inside)).isTrue();
    }

    @Test
    void anAddressStandsForNothingBeforeItIsDurableAndAChangeMeanwhileHolds() throws Exception {
        var inside = lab.sandbox(WEB);
        var writing = new CountDownLatch(1);
        var go = new CountDownLatch(1);
        Thread.ofVirtual().start(() -> lab.store.write(tx -> {
            writing.countDown();
            awaited(go);
            return true;
        }));
        writing.await();
        var answered = new AtomicBoolean();
        var asking = Thread.ofVirtual().start(() -> {
            try {
                inside.four("a.allowed.test");
                answered.set(true);
            } catch (IOException none) {
                // that is told below
            }
        });
        try {
            await().atMost(java.time.Duration.ofSeconds(30)).until(() -> leads(inside, FIRST));
            assertThat(said(inside, FIRST)).as("the gateway knows no such name").isIn("reset", "");
            assertThat(answered).isFalse();
            assertThat(lab.arrivals).isEmpty();
            lab.apply(inside, Lab.policy(Lab.web(8443, "b.allowed.test")), null);
        } finally {
            go.countDown();
        }
        asking.join();
        assertThat(lab.arrivals).isEmpty();
        refused(inside, FIRST);
        assertThat(said(inside, inside.four("b.allowed.test"))).as("of the other name it is the other address").isIn("reset", "");
        assertThat(inside.four("b.allowed.test")).isEqualTo(InetAddress.ofLiteral("198.18.1.1"));
    }

    private static void awaited(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static boolean leads(Inside inside, InetAddress address) {
        try {
            inside.connect(address, 8443).close();
            return true;
        } catch (ConnectException refused) {
            return false;
        } catch (IOException reset) {
            return true; // by the gateway
        }
    }

    @Test
    void anAddressThatDoesNotBecomeDurableLeadsNowhereAndIsTheNextNames() throws Exception {
        var inside = lab.sandbox(WEB);
        lab.store.write(tx -> tx.execute("CREATE TRIGGER full BEFORE INSERT ON egress_name BEGIN SELECT RAISE(FAIL, 'database or disk is full'); END"));
        assertThat(inside.code("a.allowed.test", Type.A)).isEqualTo("SERVFAIL");
        refused(inside, FIRST);
        assertThat(lab.arrivals).isEmpty();
        lab.store.write(tx -> tx.execute("DROP TRIGGER full"));
        assertThat(inside.four("b.allowed.test")).isEqualTo(FIRST);
        assertThat(inside.four("a.allowed.test")).isEqualTo(InetAddress.ofLiteral("198.18.1.1"));
        assertThat(said(inside, InetAddress.ofLiteral("198.18.1.1"))).isNotEmpty();
    }

    @Test
    void aNameThatCouldNotBeLedIsLedWhenItIsAskedForAgain() {
        var names = new SandboxNames(lab.store, dev.redoma.model.SandboxId.mint());
        var fails = new AtomicBoolean(true);
        var led = new java.util.concurrent.CopyOnWriteArrayList<String>();
        var leading = new SandboxNames.Leading() {
            @Override
            public void lead(String name, int number) {
                if (fails.get()) {
                    throw new IllegalStateException("the kernel refuses");
                }
                led.add(name + " " + number + " " + names.all().containsKey(name));
            }

            @Override
            public void leadOnlyKnown() {
                led.add("only known");
            }
        };
        assertThatThrownBy(() -> names.numberOrNew("a.allowed.test", tx -> { }, leading)).hasMessage("the kernel refuses");
        assertThat(names.number("a.allowed.test")).isEmpty();
        fails.set(false);
        int number = names.numberOrNew("a.allowed.test", tx -> { }, leading).orElseThrow();
        assertThat(names.number("a.allowed.test")).hasValue(number);
        assertThat(names.numberOrNew("b.allowed.test", tx -> { }, leading)).hasValue(number + 1);
        assertThatThrownBy(() -> names.numberOrNew("c.allowed.test", tx -> {
            throw new IllegalStateException("no record");
        }, leading)).hasMessage("no record");
        assertThat(names.all()).doesNotContainKey("c.allowed.test");
        assertThat(led).containsExactly("a.allowed.test " + number + " true", "b.allowed.test " + (number + 1) + " true", "c.allowed.test " + (number + 2) + " true", "only known");
    }
}
