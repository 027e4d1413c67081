// SPDX-License-Identifier: Apache-2.0
package dev.redoma.tiers.oci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.redoma.engine.Instance;
import dev.redoma.engine.InstanceLimits;
import dev.redoma.engine.InstanceRef;
import dev.redoma.kernel.CgroupHost;
import dev.redoma.model.ExecId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/// Limits that bite, groups of execs, freezing, killing, and what is left afterwards.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LimitsTest {
    /// A child of init that waits for a file, then does the rest: the host moves it meanwhile.
    private static final String CHILD = "( while [ ! -f /run/redoma/go ]; do sleep 0.02; done; %s ) &";

    private Host host;

    @BeforeAll
    void open() throws Exception {
        host = new Host();
    }

    @AfterAll
    void close() throws Exception {
        host.close();
    }

    @BeforeEach
    void sleepOnly() throws Exception {
        host.script("");
    }

    private int child(Instance instance) {
        await().atMost(Duration.ofSeconds(30)).until(() -> children(instance.ref().pid()).size() > 0);
        return children(instance.ref().pid()).getFirst();
    }

    private static List<Integer> children(int pid) {
        return ProcessHandle.of(pid).stream().flatMap(ProcessHandle::children).map(p -> (int) p.pid()).toList();
    }

    @Test
    void anExecThatEatsTheMemoryIsKilledAndCounted() throws Exception {
        host.script(CHILD.formatted("exec dd if=/dev/zero of=/dev/null bs=400M count=1"));
        var spec = host.spec();
        var box = host.tier.create(spec);
        var neighbour = host.tier.create(host.spec());
        var group = box.adopt(ExecId.mint(), child(box));
        assertThat(group.populated()).isTrue();
        Files.writeString(spec.channelDir().resolve("go"), "");
        await().atMost(Duration.ofSeconds(30)).until(() -> !group.populated());
        assertThat(group.oomKills()).isEqualTo(1);
        assertThat(group.peakMemoryBytes()).isGreaterThan(50L << 20);
        assertThat(group.remove()).isTrue();
        assertThat(box.usage().oomKills()).isEqualTo(1);
        assertThat(box.alive()).isTrue();
        assertThat(neighbour.usage().oomKills()).isZero();
        box.kill();
        neighbour.kill();
    }

    @Test
    void aForkBombStaysInItsLimitAndDies() throws Exception {
        host.script("( while :; do sleep 900 & done ) 2>/dev/null");
        var box = host.tier.create(host.spec());
        await().atMost(Duration.ofSeconds(30)).until(() -> box.usage().pids() > 60);
        assertThat(box.usage().pids()).isLessThanOrEqualTo(box.usage().pidsLimit());
        box.kill();
        assertThat(box.alive()).isFalse();
    }

    @Test
    void killingAnExecEndsItsTreeAndSparesTheRest() throws Exception {
        host.script("sleep 900 &\n" + CHILD.formatted("(sleep 901 & sleep 902 & sleep 903) & sleep 904"));
        var spec = host.spec();
        var box = host.tier.create(spec);
        await().atMost(Duration.ofSeconds(30)).until(() -> children(box.ref().pid()).size() == 2);
        int last = children(box.ref().pid()).stream().max(Integer::compare).orElseThrow();
        var id = ExecId.mint();
        var group = box.adopt(id, last);
        Files.writeString(spec.channelDir().resolve("go"), "");
        await().atMost(Duration.ofSeconds(30)).until(() -> ProcessHandle.of(last).stream().flatMap(ProcessHandle::descendants).count() >= 2);
        assertThat(host.tier.find(box.ref()).orElseThrow().group(id).orElseThrow().populated()).isTrue();
        group.kill();
        assertThat(group.populated()).isFalse();
        assertThat(group.remove()).isTrue();
        assertThat(box.group(id)).isEmpty();
        assertThat(box.alive()).isTrue();
        assertThat(children(box.ref().pid()).stream().filter(p -> p != last).findFirst()).hasValueSatisfying(p -> assertThat(
                        dev.redoma.kernel.ProcessFacts.of(p).orElseThrow().alive())
                .isTrue());
        box.kill();
    }

    @Test
    void aForeignProcessIsNotAdopted() throws Exception {
        var box = host.tier.create(host.spec());
        int own = (int) ProcessHandle.current().pid();
        assertThat(box.owns(own)).isFalse();
        assertThatThrownBy(() -> box.adopt(ExecId.mint(), own)).hasMessageContaining("another sandbox");
        box.kill();
    }

    @Test
    void freezingStopsAllAndAFrozenInstanceCanBeKilled() throws Exception {
        host.script("while :; do echo x >> /beat; sleep 0.01; done");
        var spec = host.spec();
        var box = host.tier.create(spec);
        var beat = spec.upper().resolve("beat");
        await().atMost(Duration.ofSeconds(30)).until(() -> Files.exists(beat) && Files.size(beat) > 4);
        box.freeze();
        assertThat(box.frozen()).isTrue();
        long size = Files.size(beat);
        Thread.sleep(100);
        assertThat(Files.size(beat)).isEqualTo(size);
        box.thaw();
        assertThat(box.frozen()).isFalse();
        await().atMost(Duration.ofSeconds(30)).until(() -> Files.size(beat) > size);
        box.freeze();
        box.kill();
        assertThat(box.alive()).isFalse();
    }

    @Test
    void anEndIsToldOnce() throws Exception {
        var box = host.tier.create(host.spec());
        var told = new CountDownLatch(2);
        box.onExit(told::countDown);
        box.kill();
        box.onExit(told::countDown);
        assertThat(told.await(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void cpuIsHeldToItsShare() throws Exception {
        host.script("touch /spins; while :; do :; done");
        var limits = new InstanceLimits(0.2, 128L << 20, 64, 1024, 16L << 20, null);
        var spec = host.spec(limits, true);
        var box = host.tier.create(spec);
        await().atMost(Duration.ofSeconds(30)).until(() -> Files.exists(spec.upper().resolve("spins")));
        long begun = System.nanoTime();
        long before = box.usage().cpuMs();
        long beside = spun(Duration.ofSeconds(1));
        long used = box.usage().cpuMs() - before;
        long elapsed = (System.nanoTime() - begun) / 1_000_000;
        // On a machine that has nothing else to do the thread beside it has the whole of one CPU.
        assertThat(used).as("of %d ms, while a thread without a limit had %d", elapsed, beside).isBetween(beside / 20, 4 * elapsed / 10);
        box.kill();
    }

    /// Milliseconds of CPU that a thread that always wants it was given in so long.
    private static long spun(Duration time) {
        var threads = java.lang.management.ManagementFactory.getThreadMXBean();
        long begun = threads.getCurrentThreadCpuTime();
        for (long end = System.nanoTime() + time.toNanos(); System.nanoTime() < end;) {
            Thread.onSpinWait();
        }
        return (threads.getCurrentThreadCpuTime() - begun) / 1_000_000;
    }

    @Test
    void aLimitBelowWhatIsInUseIsRefused() throws Exception {
        host.script("dd if=/dev/zero of=/dev/shm/x bs=1M count=15; touch /filled");
        var spec = host.spec();
        var box = host.tier.create(spec);
        await().atMost(Duration.ofSeconds(30)).until(() -> Files.exists(spec.upper().resolve("filled")));
        assertThatThrownBy(() -> box.limit(new InstanceLimits(1, 4L << 20, 64, 1024, 16L << 20, null))).hasMessageContaining("memoryBytes");
        assertThat(box.alive()).isTrue();
        box.kill();
    }

    @Test
    void limitsChangeInPlace() throws Exception {
        var box = host.tier.create(host.spec());
        box.limit(new InstanceLimits(2, 256L << 20, 100, 1024, 16L << 20, null));
        assertThat(box.usage().memoryLimitBytes()).isEqualTo(256L << 20);
        assertThat(box.usage().pidsLimit()).isEqualTo(100);
        box.limit(new InstanceLimits(1, 64L << 20, 50, 1024, 16L << 20, null));
        assertThat(box.usage().memoryLimitBytes()).isEqualTo(64L << 20);
        box.kill();
    }

    @Test
    void whatCannotBeEnforcedIsRefusedByName() throws Exception {
        var limits = new InstanceLimits(1, 128L << 20, 64, Long.MAX_VALUE - 1, 16L << 20, 1L << 20);
        var expected = CgroupHost.discover().pureV2() ? List.of("openFiles") : List.of("openFiles", "ioBytesPerSecond");
        assertThat(host.tier.unenforceable(limits)).containsExactlyElementsOf(expected);
        var spec = host.spec(limits, true);
        assertThatThrownBy(() -> host.tier.create(spec)).hasMessageContaining(expected.getLast());
    }

    /// As systemd shares all mounts of a host.
    @Test
    void whatIsMountedForAnInstanceDoesNotShowOnAHostThatSharesItsMounts() throws Exception {
        try (var own = new Host()) {
            var shared = own.config().instances().toString();
            run("mount", "--bind", shared, shared);
            run("mount", "--make-shared", shared);
            var box = own.tier.create(own.spec());
            try (var lines = Files.lines(Path.of("/proc/self/mountinfo"))) {
                assertThat(lines.filter(l -> l.contains(" " + shared + "/"))).isEmpty();
            } finally {
                box.kill();
                run("umount", "-l", shared);
            }
        }
    }

    private static void run(String... command) throws Exception {
        assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
    }

    @Test
    void aProgramThatForksFasterThanItIsMovedIsStartedWithItsLimits() throws Exception {
        host.script("i=0; while [ $i -lt 300 ]; do ( : ); i=$((i+1)); done; sleep 900 &");
        var spec = host.spec();
        var box = host.tier.create(spec);
        Host.out(spec);
        assertThat(box.usage().memoryLimitBytes()).isEqualTo(Host.LIMITS.memoryBytes());
        assertThat(box.adopt(ExecId.mint(), child(box)).populated()).isTrue();
        box.kill();
    }

    @Test
    void anotherServerFindsWhatRuns() throws Exception {
        try (var own = new Host()) {
            findByAnother(own);
        }
    }

    private static void findByAnother(Host host) throws Exception {
        var spec = host.spec();
        var box = host.tier.create(spec);
        try (var other = OciTier.open(host.config())) {
            assertThat(other.all()).contains(box.ref());
            var found = other.find(box.ref()).orElseThrow();
            assertThat(found.alive()).isTrue();
            assertThat(other.find(new InstanceRef(spec.name(), box.ref().pid(), 1))).isEmpty();
            found.kill();
            assertThat(box.alive()).isFalse();
            assertThat(other.all()).doesNotContain(box.ref());
        }
    }

    @Test
    void aProgramThatCannotStartLeavesNothing() throws Exception {
        Files.writeString(host.script, "#!/nowhere\n");
        var spec = host.spec();
        var before = Leftovers.now();
        assertThatThrownBy(() -> host.tier.create(spec)).hasMessageContaining("runtime-failed");
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(Leftovers.now()).isEqualTo(before));
        assertThat(host.tier.all()).noneMatch(r -> r.name().equals(spec.name()));
    }

    @Test
    void nothingIsLeftOfAnInstance() throws Exception {
        host.tier.create(host.spec()).kill();
        var before = Leftovers.now();
        var boxes = java.util.stream.IntStream.range(0, 5).mapToObj(i -> create()).toList();
        assertThat(host.tier.all()).hasSizeGreaterThanOrEqualTo(5);
        boxes.forEach(Instance::kill);
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(Leftovers.now()).isEqualTo(before));
    }

    private Instance create() {
        try {
            return host.tier.create(host.spec());
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /// Mounts of the host that name this test's, and its groups in every hierarchy.
    private record Leftovers(long mounts, List<Path> groups) {
        static Leftovers now() throws java.io.IOException {
            var mine = "redoma-t" + ProcessHandle.current().pid() + "x";
            var groups = new java.util.ArrayList<Path>();
            for (var tree : CgroupHost.discover().pureV2() ? List.of(Path.of("/sys/fs/cgroup")) : list(Path.of("/sys/fs/cgroup"))) {
                for (var parent : list(tree)) {
                    if (String.valueOf(parent.getFileName()).startsWith(mine)) {
                        list(parent).stream().filter(Files::isDirectory).forEach(groups::add);
                    }
                }
            }
            try (var lines = Files.lines(Path.of("/proc/self/mountinfo"))) {
                return new Leftovers(lines.filter(l -> l.contains("redoma-test")).count(), groups.stream().sorted().toList());
            }
        }

        private static List<Path> list(Path dir) throws java.io.IOException {
            try (var entries = Files.list(dir)) {
                return entries.toList();
            } catch (java.nio.file.NotDirectoryException file) {
                return List.of();
            }
        }
    }
}
