// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.redoma.model.SandboxId;
import dev.redoma.model.TenantId;
import dev.redoma.policy.EgressClass;
import dev.redoma.policy.Rule;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// What is counted of a sandbox, and where it stays: under another policy, while the database fails, and after its end.
@Timeout(60)
class EgressKeepingTest {
    @TempDir
    Path dir;

    Lab lab;

    @BeforeEach
    void open() throws Exception {
        lab = new Lab(dir);
        lab.name("a.allowed.test", Lab.HERE);
        lab.name("b.allowed.test", Lab.HERE);
        lab.origin(Lab.HERE, 8443, EgressConnectTest::echo);
    }

    @AfterEach
    void close() throws Exception {
        lab.close();
    }

    private static Rule web(int at, Long bytes, String host) {
        return Lab.rule("request.web[" + at + "]", EgressClass.WEB, Rule.Handling.OPAQUE, 8443, List.of(), Set.of(), null, bytes, host);
    }

    private static String send(Inside inside, String host, int bytes) throws Exception {
        try (var channel = inside.to(host, 8443)) {
            try {
                Inside.say(channel, new byte[bytes]);
                channel.shutdownOutput();
            } catch (java.io.IOException reset) {
                return "reset";
            }
            String heard = Inside.hear(channel);
            return heard.equals("reset") ? heard : heard.length() + " bytes";
        }
    }

    private int rows(String table) {
        return lab.store.read(tx -> tx.createQuery("SELECT count(*) FROM " + table).mapTo(Integer.class).one());
    }

    @Test
    void aRuleThatMovesOrGrantsMoreKeepsWhatItHasSpentAndAnotherInItsPlaceDoesNotGetIt() throws Exception {
        var inside = lab.sandbox(Lab.policy(web(0, 10_000L, "a.allowed.test"), web(1, 10_000L, "b.allowed.test")));
        assertThat(send(inside, "a.allowed.test", 4000)).isEqualTo("4000 bytes");
        lab.apply(inside, Lab.policy(web(0, 10_000L, "b.allowed.test"), web(1, 10_000L, "a.allowed.test")), null);
        assertThat(send(inside, "b.allowed.test", 4000)).as("b has its own").isEqualTo("4000 bytes");
        assertThat(send(inside, "a.allowed.test", 4000)).as("a has spent 8000 of 10000").isIn("reset", "0 bytes");
        lab.apply(inside, Lab.policy(web(0, 30_000L, "a.allowed.test")), null);
        assertThat(send(inside, "a.allowed.test", 4000)).isEqualTo("4000 bytes");
        lab.stop();
        lab.start();
        lab.apply(inside, Lab.policy(web(7, 30_000L, "a.allowed.test")), null);
        assertThat(send(inside, "a.allowed.test", 10_000)).as("over a restart").isIn("reset", "0 bytes");
    }

    @Test
    void ofASandboxThatHasEndedNothingIsWrittenByThoseWhoComeLate() throws Exception {
        var inside = lab.sandbox(Lab.policy(web(0, 1_000_000L, "*.allowed.test")));
        assertThat(send(inside, "a.allowed.test", 1000)).isEqualTo("1000 bytes");
        var budgets = new Budgets(lab.store, inside.id);
        var names = new SandboxNames(lab.store, inside.id);
        lab.gateway.detach(inside.id);
        assertThat(rows("egress_spent")).isEqualTo(1);
        budgets.end();
        names.end();
        lab.store.write(tx -> {
            lab.gateway.forget(tx, inside.id);
            return true;
        });
        Budgets.spend(budgets.charges(List.of(web(0, 1_000_000L, "*.allowed.test"))), 5);
        budgets.save();
        assertThatThrownBy(() -> names.numberOrNew("late.allowed.test", tx -> { }, EgressReadyTest.NOWHERE)).isInstanceOf(IllegalStateException.class);
        assertThat(rows("egress_spent")).isZero();
        assertThat(rows("egress_name")).isZero();
    }

    @Test
    void cuttingASandboxOffWaitsForWhatItsConnectionsMovedLast() throws Exception {
        var inside = lab.sandbox(Lab.policy(web(0, 100_000_000L, "a.allowed.test")));
        var open = new ArrayList<SocketChannel>();
        for (int i = 0; i < 20; i++) {
            var channel = inside.to("a.allowed.test", 8443);
            Inside.say(channel, new byte[1000]);
            open.add(channel);
        }
        await().atMost(java.time.Duration.ofSeconds(30)).untilAsserted(() -> assertThat(lab.arrivals).hasSize(20));
        lab.gateway.detach(inside.id);
        lab.store.write(tx -> {
            lab.gateway.forget(tx, inside.id);
            return true;
        });
        long closed = lab.records(inside).stream().filter(r -> r.action().equals("connect.closed")).mapToLong(r -> r.fields().get("again") instanceof Number n ? n.longValue() : 1).sum();
        assertThat(closed).as("every end is on record when it is cut off").isEqualTo(20);
        assertThat(rows("egress_spent")).isZero();
        for (var one : open) {
            one.close();
        }
    }

    @Test
    void whatIsCountedWhileTheDatabaseFailsIsToldAfterwardsAllOfIt() throws Exception {
        var sandbox = SandboxId.mint();
        var records = new EgressRecords(lab.store, lab.ledger, Lab.TENANT, sandbox);
        execute("CREATE TRIGGER full BEFORE INSERT ON record BEGIN SELECT RAISE(FAIL, 'database or disk is full'); END");
        for (int i = 0; i < 3000; i++) {
            var end = new Fact("connect.closed", "n" + i + ".allowed.test", Lab.HERE, 443, "web", null, null, Map.of("up", 1L, "down", 2L));
            assertThatThrownBy(() -> records.closed(end)).isNotNull();
        }
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> records.flush(true)).isNotNull();
        }
        execute("DROP TRIGGER full");
        records.flush(true);
        var rows = new ArrayList<>(lab.ledger.read(Lab.TENANT.value(), sandbox.value(), "egress", 0, 1000));
        while (true) {
            var more = lab.ledger.read(Lab.TENANT.value(), sandbox.value(), "egress", rows.getLast().seq(), 1000);
            if (more.isEmpty()) {
                break;
            }
            rows.addAll(more);
        }
        assertThat(rows).hasSize(2049);
        assertThat(rows.getLast().fields()).containsEntry("reason", "unkept");
        assertThat(((Number) rows.getLast().fields().get("again")).longValue()).isEqualTo(3000 - 2048);
        assertThat(((Number) rows.getLast().fields().get("up")).longValue()).isEqualTo(3000 - 2048);
        assertThat(((Number) rows.getLast().fields().get("down")).longValue()).isEqualTo(2 * (3000 - 2048));
    }

    private Map<String, Object> reconciled(SandboxId sandbox) {
        return lab.store.read(tx -> lab.gateway.reconciled(tx, sandbox));
    }

    @Test
    void whatWasCountedIsComparedWithWhatIsOnRecordAlsoOverAFaultOfTheDatabase() throws Exception {
        var inside = lab.sandbox(Lab.policy(web(0, null, "a.allowed.test")));
        for (int i = 0; i < 3; i++) {
            assertThat(send(inside, "a.allowed.test", 1000)).isEqualTo("1000 bytes");
        }
        for (int i = 0; i < 5; i++) {
            inside.code("denied.test", org.xbill.DNS.Type.A);
        }
        lab.gateway.detach(inside.id);
        assertThat(reconciled(inside.id)).containsEntry("whole", true).containsEntry("connections", List.of(3L, 3L)).containsEntry("up", List.of(3000L, 3000L)).containsEntry("down", List.of(3000L, 3000L));
        assertThat((List<?>) reconciled(inside.id).get("refused")).as("at least as many as programs asked").satisfies(both -> assertThat((Long) both.getFirst()).isGreaterThanOrEqualTo(5));

        lab.apply(inside, Lab.policy(web(0, null, "a.allowed.test")), null);
        assertThat(send(inside, "a.allowed.test", 500)).isEqualTo("500 bytes");
        execute("CREATE TRIGGER full BEFORE INSERT ON record BEGIN SELECT RAISE(FAIL, 'database or disk is full'); END");
        inside.code("other.denied.test", org.xbill.DNS.Type.A);
        lab.gateway.detach(inside.id);
        assertThat(reconciled(inside.id)).containsEntry("whole", false).containsEntry("unsettled", 1L);
        execute("DROP TRIGGER full");
        await().atMost(java.time.Duration.ofSeconds(30)).untilAsserted(() -> assertThat(reconciled(inside.id)).containsEntry("whole", true).containsEntry("ways", 2L).containsEntry("up", List.of(3500L, 3500L)));
        assertThat(lab.records(inside)).as("what was refused meanwhile").anyMatch(r -> r.action().equals("dns.denied") && "other.denied.test".equals(r.fields().get("host")));

        lab.store.write(tx -> tx.execute("DELETE FROM record WHERE category = 'egress' AND action = 'connect.closed' AND sandbox = ?", inside.id.value()));
        assertThat(reconciled(inside.id)).as("records that are gone").containsEntry("whole", false).containsEntry("connections", List.of(4L, 0L));
        lab.store.write(tx -> {
            lab.gateway.forget(tx, inside.id);
            return true;
        });
        assertThat(rows("egress_way")).isZero();
    }

    private void execute(String sql) {
        lab.store.write(tx -> tx.execute(sql));
    }

    @Test
    void slowNamesOfOneTenantDoNotKeepAnotherFromItsOwn() throws Exception {
        lab.name("x.slow.test", Lab.HERE);
        var held = new ArrayList<SocketChannel>();
        for (int i = 0; i < 10; i++) {
            var hoarder = lab.sandbox(Lab.policy(Lab.web(8443, "*.slow.test")));
            var address = hoarder.four("x.slow.test");
            for (int n = 0; n < 5; n++) {
                held.add(hoarder.connect(address, 8443));
            }
        }
        await().atMost(java.time.Duration.ofSeconds(30)).untilAsserted(() -> assertThat(lab.lookUps).hasSize(32));
        var other = lab.sandbox(new TenantId("other"), Lab.policy(Lab.web(8443, "a.allowed.test")));
        assertThat(send(other, "a.allowed.test", 10)).isEqualTo("10 bytes");
        assertThat(lab.lookUps).hasSize(33);
        for (var one : held) {
            one.close();
        }
    }
}
