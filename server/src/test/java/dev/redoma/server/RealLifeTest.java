// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import static dev.redoma.server.RealEngine.ALICE;
import static dev.redoma.server.RealEngine.ALL;
import static dev.redoma.server.RealEngine.OPERATOR;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redoma.engine.InstanceRef;
import dev.redoma.model.wire.CreateSandbox;
import dev.redoma.model.wire.CreateSnapshot;
import dev.redoma.model.wire.ForkSandbox;
import dev.redoma.model.wire.Limits;
import dev.redoma.model.wire.Sandbox;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// The lifecycle on the real tier and pool.
class RealLifeTest {
    private static Path dir;
    private static RealEngine server;

    @BeforeAll
    static void open() throws Exception {
        dir = Files.createTempDirectory(Path.of("/tmp"), "rdl");
        server = new RealEngine(dir, 1);
        server.importTiny();
    }

    @AfterEach
    void none() {
        server.sandboxes().killAll(OPERATOR, null);
    }

    @AfterAll
    static void close() throws Exception {
        try {
            server.uninstall();
            await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(Leftovers.of(dir)).isEmpty());
        } finally {
            Leftovers.remove(dir);
        }
    }

    private static String state(Sandbox box) {
        return server.sandboxes().get(ALICE, box.id()).state();
    }

    private static InstanceRef ref(Sandbox box) {
        return server.tier.all().stream().filter(r -> r.name().equals(box.id())).findAny().orElseThrow();
    }

    @Test
    void resetGivesTheTemplateBackAndTheHandOverIsNoChange() throws Exception {
        Sandbox box = server.create("resettable");
        assertThat(server.reviews().changes(ALICE, box.id(), null).items()).isEmpty();
        server.sh(box.id(), "echo x > /root/f; echo 1.2.3.4 example >> /etc/hosts");
        assertThat(server.reviews().changes(ALICE, box.id(), null).items()).extracting("path").contains("/root/f", "/etc/hosts");
        server.sandboxes().reset(ALICE, box.id());
        assertThat(server.reviews().changes(ALICE, box.id(), null).items()).isEmpty();
        assertThat(server.sh(box.id(), "ls /root; hostname")).isEqualTo("resettable\n");
    }

    @Test
    void aForkAndASandboxFromASnapshotHaveTheFilesWithTheirOwners() throws Exception {
        Sandbox box = server.create(null);
        server.sh(box.id(), "echo root > /root/r; echo user > /home/user/u; chown 1000:1000 /home/user/u; rm /etc/os-release");
        Sandbox fork = server.sandboxes().fork(ALICE, box.id(), new ForkSandbox(null, null, null), null);
        String look = "cat /root/r /home/user/u; stat -c %u /root/r /home/user/u; test -e /etc/os-release || echo none; echo more > /root/more";
        assertThat(server.sh(fork.id(), look)).isEqualTo("root\nuser\n0\n1000\nnone\n");
        server.sandboxes().snapshot(ALICE, fork.id(), new CreateSnapshot("second", null));
        Sandbox second = server.sandboxes().create(ALICE, new CreateSandbox("second", null, null, null, null, null, null, null, null, null, null, null), null);
        server.sandboxes().deleteSnapshot(ALICE, "second");
        server.sandboxes().kill(ALICE, box.id());
        server.sandboxes().kill(ALICE, fork.id());
        assertThat(server.sh(second.id(), "cat /root/more; " + look)).startsWith("more\nroot\nuser\n0\n1000\nnone\n");
        server.sandboxes().kill(ALICE, second.id());
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(server.pool.snapshots()).isEmpty());
    }

    @Test
    void oneWhoseInitIsKilledIsCrashedAndOneTakenAwayIsLost() throws Exception {
        Sandbox crashed = server.create(null);
        server.sh(crashed.id(), "echo kept > /root/k");
        ProcessHandle.of(ref(crashed).pid()).orElseThrow().destroyForcibly();
        await().atMost(Duration.ofSeconds(30)).until(() -> state(crashed).equals("stopped"));
        assertThat(server.sandboxes().get(ALICE, crashed.id()).reason().kind()).isEqualTo("crashed");
        server.sandboxes().start(ALICE, crashed.id());
        assertThat(server.sh(crashed.id(), "cat /root/k")).isEqualTo("kept\n");

        Sandbox lost = server.create("vanishing");
        server.tier.remove(ref(lost));
        await().atMost(Duration.ofSeconds(30)).until(() -> state(lost).equals("lost"));
        Sandbox next = server.sandboxes().create(ALICE, new CreateSandbox(null, "vanishing", null, null, null, null, null, null, null, null, true, null), null);
        assertThat(next.reused()).isFalse();
        assertThat(next.id()).isNotEqualTo(lost.id());
        assertThat(server.sh(next.id(), "echo ok")).isEqualTo("ok\n");
    }

    @Test
    void aWarmMemberBecomesWhatWasAskedFor() throws Exception {
        server.create(null);
        await().atMost(Duration.ofSeconds(30)).until(() -> server.count("SELECT count(*) FROM uid_range WHERE owner LIKE 'warm:%'") == 1 && server.tier.all().size() == 2);
        Thread.sleep(1000);
        Limits small = new Limits(1.0, 96L << 20, 64L << 20, null, null, null, null, null, null);
        Sandbox box = server.sandboxes().create(ALICE, RealEngine.request("quick", null, small), null);
        for (int i = 0; i < 30 && !box.warm(); i++) { // it runs, but may not have said so yet
            server.sandboxes().kill(ALICE, box.id());
            Thread.sleep(1000);
            box = server.sandboxes().create(ALICE, RealEngine.request("quick", null, small), null);
        }
        assertThat(box.warm()).isTrue();
        assertThat(server.sh(box.id(), "hostname; nproc; test $(stat -c %s /etc/machine-id) = 33 && echo id")).isEqualTo("quick\n1\nid\n");
        assertThat(server.sh(box.id(), "dd if=/dev/zero of=/root/big bs=1M count=100 2>/dev/null; stat -c %s /root/big")).satisfies(
                size -> assertThat(Long.parseLong(size.strip())).isLessThan(65L << 20));
        assertThat(server.sandboxes().usage(ALICE, box.id()).memoryLimitBytes()).isEqualTo(96L << 20);
        assertThat(server.sh(box.id(), "cat /sys/fs/cgroup/memory/memory.limit_in_bytes 2>/dev/null || cat /sys/fs/cgroup/memory.max || true")).contains("" + (96L << 20));
    }

    @Test
    void pausedStoppedAndRunningOnesOutliveAServer() throws Exception {
        Sandbox running = server.create(null);
        Sandbox paused = server.create(null);
        server.sandboxes().pause(ALICE, paused.id());
        server.close();
        server = new RealEngine(dir, 1);
        assertThat(state(running)).isEqualTo("running");
        assertThat(server.sh(running.id(), "echo ok")).isEqualTo("ok\n");
        assertThat(state(paused)).isEqualTo("paused");
        server.sandboxes().resume(ALICE, paused.id());
        assertThat(server.sh(paused.id(), "echo ok")).isEqualTo("ok\n");
        server.engine.close();
        server.tier.all().forEach(server.tier::remove);
        server.tier.close();
        server.pool.close();
        server.store.close();
        server = new RealEngine(dir, 1);
        for (Sandbox box : server.sandboxes().list(ALICE, ALL).items()) {
            assertThat(box.state()).isEqualTo("stopped");
            assertThat(box.reason().kind()).isEqualTo("host");
            server.sandboxes().start(ALICE, box.id());
            assertThat(server.sh(box.id(), "echo ok")).isEqualTo("ok\n");
        }
    }
}
