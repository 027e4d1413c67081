// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// Section 12 of the behaviours: limits bite and tell.
@ExtendWith(LabExtension.class)
@Timeout(180)
class LimitBehavioursTest {
    private static final long MIB = 1 << 20;

    @Test
    void rl01_oneCpuAndHalfAGibibyteShowInsideAndATooLargePoolDiesAlone(Lab lab) {
        try (var box = lab.base(Map.of("limits", Map.of("cpu", 1, "memoryBytes", 512 * MIB)))) {
            assertThat(box.sh("nproc").text()).isEqualTo("1\n");
            assertThat(box.sh("grep MemTotal /proc/meminfo").text()).contains("524288 kB");
            // Its workers die and are made anew until its time is over.
            var result = box.run(List.of("python3", "-c", "import multiprocessing as m\nm.Pool(64).map(bytearray,[30_000_000]*64)"), "timeoutMs", 15_000);
            assertThat(result.exec().get("oomKilled").asBoolean()).as("%s; all of it: %s", result.exec(), box.api().get(box.path("/usage")).json()).isTrue();
            await().atMost(Duration.ofSeconds(5)).until(() -> box.sh("echo ok").text().equals("ok\n"));
        }
    }

    @Test
    void rl02_anOutOfMemoryDeathIsToldWithTheLimitAlsoAfterTheSandboxIsGone(Lab lab) {
        try (var box = lab.base(Map.of("limits", Map.of("memoryBytes", 256 * MIB)))) {
            var result = box.run(List.of("python3", "-c", "x=bytearray(400_000_000)"));
            assertThat(result.code()).isEqualTo(137);
            assertThat(result.exec().get("oomKilled").asBoolean()).as("%s", result.exec()).isTrue();
            var id = result.exec().get("id").asString();
            box.close();
            assertThat(box.exec(id).get("oomKilled").asBoolean()).isTrue();
        }
    }

    @Test
    void rl03_anOutOfMemoryDeathBehindAWrapperIsStillSeen(Lab lab) {
        try (var box = lab.base(Map.of("limits", Map.of("memoryBytes", 256 * MIB)))) {
            var result = box.sh("python3 -c 'x=bytearray(2*10**9)'; exit 1");
            assertThat(result.code()).isEqualTo(1);
            assertThat(result.exec().get("oomKilled").asBoolean()).as("%s", result.exec()).isTrue();
            assertThat(result.exec().get("peakMemoryBytes").asLong()).isPositive();
        }
    }

    @Test
    void rl05_aForkBombHurtsNeitherTheNeighbourNorForGoodItself(Lab lab) {
        try (var bomb = lab.tiny(Map.of("limits", Map.of("pids", 100))); var neighbour = lab.tiny()) {
            // A bomb alone may collapse by itself before anybody looked; the sleepers keep most of the places taken.
            var exec = bomb.start(Box.shell("i=0; while [ $i -lt 70 ]; do sleep 1000 & i=$((i+1)); done; b() { b | b & }; b; wait"));
            await().atMost(Duration.ofSeconds(60)).until(() -> usage(bomb, "pids") > 60);
            assertThat(usage(bomb, "pids")).isLessThanOrEqualTo(100);
            long start = System.nanoTime();
            assertThat(neighbour.sh("echo ok").text()).isEqualTo("ok\n");
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(2));
            bomb.killExec(exec);
            await().atMost(Duration.ofSeconds(30)).until(() -> bomb.sh("echo ok").text().equals("ok\n"));
        }
    }

    private static long usage(Box box, String what) {
        return box.api().get(box.path("/usage")).expect(200).json().get(what).asLong();
    }

    @Test
    void rl06_rl07_rl09_theDiskLimitHoldsInEveryWritablePlaceAndAFullSandboxStillAnswers(Lab lab) {
        try (var box = lab.tiny(Map.of("limits", Map.of("diskBytes", 100 * MIB, "memoryBytes", 256 * MIB, "shmBytes", 32 * MIB)))) {
            var mounts = box.sh("awk '{print $2\" \"$4}' /proc/mounts | grep -E ' rw' | cut -d' ' -f1").text().lines().toList();
            assertThat(mounts).contains("/", "/dev/shm");
            for (var mount : mounts) {
                // A message queue takes messages, no bytes; what may be in it is bounded by the user's RLIMIT_MSGQUEUE.
                if (mount.equals("/dev/mqueue") || box.sh("[ -d " + mount + " ] && [ -w " + mount + " ] && touch " + mount + "/probe 2>/dev/null && echo w").text().isEmpty()) {
                    continue;
                }
                var result = box.sh("dd if=/dev/zero of=" + mount + "/fill bs=1M count=300 2>&1; ls -l " + mount + "/fill | awk '{print $5}'");
                assertThat(result.text()).as(mount).containsAnyOf("No space left", "quota exceeded", "Quota exceeded", "Killed");
                box.sh("rm -f " + mount + "/fill " + mount + "/probe");
            }
            box.sh("dd if=/dev/zero of=/tmp/fill bs=1M count=300; true");
            assertThat(box.sh("echo ok").text()).isEqualTo("ok\n");
            var full = box.tryWrite("/root/more", new byte[20 << 20]);
            assertThat(full.status()).isEqualTo(507);
            assertThat(full.code()).isEqualTo("disk-full");
            assertThat(box.read("/etc/passwd")).isNotEmpty();
            box.sh("rm /tmp/fill");
            await().atMost(Duration.ofSeconds(10)).until(() -> box.tryWrite("/root/more", new byte[1 << 20]).status() == 200);
        }
    }

    @Test
    void rl09_aSandboxThatWasStoppedWithAFullDiskStartsAndCanBeEmptied(Lab lab) {
        try (var box = lab.tiny(Map.of("limits", Map.of("diskBytes", 100 * MIB)))) {
            for (int round = 0; round < 2; round++) {
                // Down to the last byte: large pieces first, then as small as they come.
                box.sh("dd if=/dev/zero of=/root/fill bs=1M count=300; i=0; while echo x >/root/small-$i; do i=$((i+1)); done; true");
                assertThat(box.sh("echo more >/root/more; echo $?").text()).isEqualTo("1\n");
                box.verb("stop");
                box.verb("start");
                assertThat(box.sh("echo ok").text()).startsWith("ok\n");
                assertThat(box.sh("dd if=/dev/zero of=/root/more bs=1M count=8; ls -s /root/more | awk '{exit $1 > 4096}'; echo $?").text()).isEqualTo("0\n");
                box.sh("rm -f /root/fill /root/more; find /root -name 'small-*' -delete");
                await().atMost(Duration.ofSeconds(30)).until(() -> box.tryWrite("/root/again", new byte[1 << 20]).status() == 200);
            }
        }
    }

    @Test
    void rl10_memoryLimitsAreNoAddressSpaceLimits(Lab lab) {
        try (var box = lab.base(Map.of("limits", Map.of("memoryBytes", 1024 * MIB)))) {
            assertThat(box.sh("ulimit -v").text()).isEqualTo("unlimited\n");
            assertThat(box.run(List.of("python3", "-c", "import mmap; m=mmap.mmap(-1, 8<<30); print('mapped')")).text()).isEqualTo("mapped\n");
        }
    }

    @Test
    void rl11_runningOutOfFilesLeavesTheChannelAlone(Lab lab) {
        try (var box = lab.base(Map.of("limits", Map.of("openFiles", 256)))) {
            var exec = box.start(List.of("python3", "-c", "import time\nf=[]\ntry:\n  while True: f.append(open('/dev/null'))\nexcept OSError as e: print(e.errno, len(f), flush=True)\ntime.sleep(30)"));
            await().atMost(Duration.ofSeconds(10)).until(() -> box.output(exec, 0, false, false).text().startsWith("24 "));
            assertThat(box.sh("ulimit -n").text()).isEqualTo("256\n");
            assertThat(box.sh("echo ok").text()).isEqualTo("ok\n");
            assertThat(box.read("/etc/passwd")).isNotEmpty();
        }
    }

    @Test
    void aLimitThatThisHostCannotEnforceMakesCreateFailByName(Lab lab) {
        var answer = lab.api().post("/v1/sandboxes", Map.of("template", "tiny", "limits", Map.of("ioBytesPerSecond", 50 * MIB)));
        if (answer.status() == 201) {
            new Box(lab.api(), answer.json()).close();
            assertThat(lab.hasV2Io()).as("create accepted an I/O limit: only a pure cgroup v2 host can hold it").isTrue();
        } else {
            assertThat(answer.status()).isEqualTo(501);
            assertThat(answer.code()).isEqualTo("not-enforceable");
            assertThat(answer.text()).contains("ioBytesPerSecond");
        }
    }

    /// Buffered writes too, and each way by itself. A host that cannot hold it refuses: see above.
    @Test
    void theBandwidthOfTheDiskIsHeld(Lab lab) {
        assumeTrue(lab.hasV2Io(), "this host has cgroups of version 1, by which it cannot be held");
        try (var box = lab.tiny(Map.of("limits", Map.of("ioBytesPerSecond", 4 * MIB)))) {
            assertThat(millis(box, "dd if=/dev/urandom of=/x bs=1M count=20 conv=fsync")).isGreaterThan(3500);
            assertThat(millis(box, "dd if=/x of=/dev/null bs=1M iflag=direct")).isGreaterThan(3500);
        }
    }

    private static long millis(Box box, String script) {
        long begun = System.nanoTime();
        assertThat(box.sh(script + " 2>/dev/null").code()).isZero();
        return (System.nanoTime() - begun) / 1_000_000;
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
    void cpuIsBounded(Lab lab) {
        try (var box = lab.tiny(Map.of("limits", Map.of("cpu", 0.5)))) {
            var beside = java.util.concurrent.CompletableFuture.supplyAsync(() -> spun(Duration.ofSeconds(3)));
            box.run(Box.shell("yes > /dev/null"), "timeoutMs", 3000);
            // On a machine that has nothing else to do a thread beside it has the whole of one CPU.
            assertThat(usage(box, "cpuMs")).isBetween(beside.join() / 6, 2400L);
        }
    }
}
