// SPDX-License-Identifier: Apache-2.0
package dev.redoma.tiers.oci;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redoma.engine.InstanceLimits;
import dev.redoma.engine.InstanceSpec;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/// What a program sees and can do inside.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class InsideTest {
    private Host host;

    @BeforeAll
    void open() throws Exception {
        host = new Host();
    }

    @AfterAll
    void close() throws Exception {
        host.close();
    }

    @Test
    void theFirstProgramIsSharedWithinACircleAndWithNobodyElse() throws Exception {
        host.script("sleep 30");
        var first = host.tier.create(circle(host.spec(), "one"));
        var second = host.tier.create(circle(host.spec(), "one"));
        var other = host.tier.create(circle(host.spec(), "two"));
        assertThat(program(second)).isEqualTo(program(first));
        assertThat(program(first)).endsWith("/guests/one");
        assertThat(program(other)).endsWith("/guests/two");
        for (var instance : java.util.List.of(first, second, other)) {
            instance.kill();
        }
    }

    private static InstanceSpec circle(InstanceSpec s, String circle) {
        return new InstanceSpec(s.name(), s.lowers(), s.upper(), s.work(), s.range(), s.hostname(), s.bootId(), s.limits(), s.channelDir(), s.sudo(), circle);
    }

    /// Its file on the host: another one has pages of its own.
    private static String program(dev.redoma.engine.Instance instance) throws Exception {
        var mounts = java.nio.file.Path.of("/proc/" + instance.ref().pid() + "/mountinfo");
        return java.nio.file.Files.readAllLines(mounts).stream().filter(l -> l.contains("/guests/")).map(l -> l.split(" ")[3]).reduce("", String::concat);
    }

    @Test
    void bootIdIsItsOwnAndReadOnly() throws Exception {
        host.script("cat /proc/sys/kernel/random/boot_id > /out; echo x > /proc/sys/kernel/random/boot_id && echo written >> /out");
        var spec = host.spec();
        var instance = host.tier.create(spec);
        assertThat(Host.out(spec)).isEqualTo(spec.bootId());
        instance.kill();
    }

    @Test
    void readingsTellTheLimits() throws Exception {
        var out = host.run("""
                { nproc; cat /sys/devices/system/cpu/online; grep -c ^processor /proc/cpuinfo; grep MemTotal /proc/meminfo; hostname
                  ulimit -n; df -k /dev/shm | tail -1; } > /out""");
        var lines = out.split("\n");
        assertThat(lines[0]).isEqualTo("1");
        assertThat(lines[1]).isEqualTo("0");
        assertThat(lines[2]).isEqualTo("1");
        assertThat(lines[3]).contains(Long.toString((128L << 20) / 1024));
        assertThat(lines[4]).isEqualTo("glass");
        assertThat(lines[5]).isEqualTo("1024");
        assertThat(lines[6]).contains(Long.toString((16L << 20) / 1024));
    }

    @Test
    void twoCoresAreSeenAsTwo() throws Exception {
        var limits = new InstanceLimits(1.5, 128L << 20, 64, 1024, 16L << 20, null);
        assertThat(host.run("{ nproc; cat /sys/devices/system/cpu/online; } > /out", limits, true)).isEqualTo("2\n0-1");
    }

    @Test
    void kernelSecretsAreMaskedAndSettingsReadOnly() throws Exception {
        var out = host.run("""
                { head -c 10 /proc/kcore; head -c 10 /proc/keys; head -c 10 /proc/kallsyms; head -c 10 /proc/timer_list; ls /proc/acpi; ls /sys/firmware
                  for f in cmdline config.gz diskstats iomem ioports key-users partitions swaps; do head -c 10 /proc/$f; done; ls /proc/pressure
                  echo h > /proc/sysrq-trigger && echo sysrq; echo 1 > /proc/sys/kernel/panic && echo panic; touch /sys/x && echo sys
                  touch /run/redoma/x && echo channel; touch /sys/fs/cgroup/memory/x && echo cgroup; mkdir /sys/fs/cgroup/memory/x && echo cgroup
                  mkdir /sys/fs/cgroup/x && echo cgroup
                  if [ -f /sys/fs/cgroup/memory.max ]; then echo max > /sys/fs/cgroup/memory.max && echo cgroup; fi; } > /out 2>/dev/null""");
        assertThat(out).isEmpty();
    }

    @Test
    void devicesAreTheFreshEightAndNoOthersCanBeMade() throws Exception {
        var out = host.run("""
                { ls /dev; mknod /x b 254 0 && echo made; mknod /y c 1 1 && echo made; echo ok > /dev/null && echo null
                  head -c 4 /dev/zero | stat -c %s - >/dev/null; head -c 1 /dev/urandom > /dev/null && echo random; } > /out 2>/dev/null""");
        assertThat(out.lines())
                .contains("full", "null", "ptmx", "pts", "random", "shm", "tty", "urandom", "zero", "mqueue", "fd", "stdin")
                .doesNotContain("made", "console", "kmsg", "mem", "vda", "loop0", "fuse", "kvm")
                .contains("null", "random");
    }

    @Test
    void deviceNodesOfATemplateAreDead() throws Exception {
        var node = host.lower.resolve("node");
        new ProcessBuilder("mknod", "-m", "666", node.toString(), "c", "1", "5").inheritIO().start().waitFor();
        try {
            assertThat(host.run("head -c 1 /node > /out 2>&1 && echo alive >> /out")).contains("denied").doesNotContain("alive");
        } finally {
            Files.delete(node);
        }
    }

    @Test
    void nothingButLoopbackIsThereAndItIsUp() throws Exception {
        assertThat(host.run("ip -o addr > /out 2>&1").lines()).allMatch(l -> l.contains(" lo ")).anyMatch(l -> l.contains("127.0.0.1"));
    }

    @Test
    void lowPortsCanBeBoundByAnyUser() throws Exception {
        var out = host.run("su user -c 'nc -l -p 80 -e cat & sleep 0.3; echo hi | nc 127.0.0.1 80' > /out 2>&1");
        assertThat(out).isEqualTo("hi");
    }

    @Test
    void theHostNameCanBeChangedFromOutsideOnly() throws Exception {
        host.script("hostname evil; while [ ! -f /run/redoma/go ]; do sleep 0.02; done; hostname > /out");
        var spec = host.spec();
        var instance = host.tier.create(spec);
        instance.hostname("renamed");
        Files.writeString(spec.channelDir().resolve("go"), "");
        assertThat(Host.out(spec)).isEqualTo("renamed");
        assertThat(Files.readString(Path.of("/proc/sys/kernel/hostname")).strip()).isNotEqualTo("renamed");
        instance.kill();
    }

    @Test
    void hostPathsAreNotInTheMountTable() throws Exception {
        assertThat(host.run("cat /proc/self/mountinfo > /out").lines().filter(l -> l.contains("overlay"))).hasSize(1).allMatch(l -> !l.contains(host.dir.toString()));
    }

    @Test
    void everythingBoundFromTheHostIsReadOnly() throws Exception {
        var lines = host.run("cat /proc/self/mountinfo > /out").lines().toList();
        var bound = lines.stream().map(l -> l.split(" ")).filter(f -> f[3].contains(host.installation) || f[4].startsWith("/proc/sys")).toList();
        assertThat(bound).hasSizeGreaterThanOrEqualTo(6).allSatisfy(f -> assertThat(f[5]).startsWith("ro"));
    }

    @Test
    void theUserNamespaceBelongsToTheSandboxsOwnRoot() throws Exception {
        var spec = host.spec();
        var instance = host.tier.create(spec);
        assertThat(UserNamespace.ownerOf(instance.ref().pid())).isEqualTo(spec.range().base());
        instance.kill();
    }

    @Test
    void asynchronousIoOfTheKernelDoesNotExist() {
        assertThat(SyscallTable.allowed(true)).isNotEmpty().noneMatch(name -> name.matches("io_(setup|submit|uring.*)"));
    }

    @Test
    void hierarchiesWithoutAGroupOfItsOwnAreHidden() throws Exception {
        if (dev.redoma.kernel.CgroupHost.discover().pureV2()) {
            // One tree, in which it sees its own group as the root.
            assertThat(host.run("{ cat /sys/fs/cgroup/memory.max; cat /proc/self/cgroup; } > /out").lines()).startsWith("" + (128L << 20)).last().asString().matches("0::/(init)?");
            return;
        }
        var hidden = new GroupHost(dev.redoma.kernel.CgroupHost.discover(), "x").unconfined();
        var out = host.run("for h in " + String.join(" ", hidden) + "; do ls -A /sys/fs/cgroup/$h; done > /out 2>&1; ls /sys/fs/cgroup >> /out");
        assertThat(out.lines()).doesNotContain("tasks", "cgroup.procs", "release_agent");
    }

    @Test
    void terminalsAreCountedForEachSandbox() throws Exception {
        assertThat(host.run("grep devpts /proc/self/mountinfo > /out")).contains("max=256");
    }

    @Test
    void setUidProgramsWorkOnlyWithSudo() throws Exception {
        var own = Files.createDirectories(host.lower.resolve("suid")).resolve("inside");
        Files.copy(Host.launcher(), own);
        new ProcessBuilder("chmod", "4755", own.toString()).start().waitFor();
        try {
            // Only root may write its report to /.
            var script = "su user -c '/suid/inside inside' & sleep 0.5; test -f /report && echo root > /out";
            assertThat(host.run(script, Host.LIMITS, true)).isEqualTo("root");
            assertThat(host.run(script, Host.LIMITS, false)).isEmpty();
        } finally {
            Files.delete(own);
            Files.delete(own.getParent());
        }
    }

    @Test
    void aTemplateWithoutAnyDirectoryStarts() throws Exception {
        assertThat(host.run("stat -c '%a %u' /tmp > /out; ls -d /proc/1 /sys/fs /dev/null /run/redoma >> /out"))
                .isEqualTo("1777 0\n/dev/null\n/proc/1\n/run/redoma\n/sys/fs");
    }

    @Test
    void aLinkInPlaceOfProcIsRefusedByName() throws Exception {
        host.script("true");
        var spec = host.spec();
        Files.createSymbolicLink(spec.upper().resolve("proc"), Path.of("/etc"));
        org.assertj.core.api.Assertions.assertThatThrownBy(() -> host.tier.create(spec)).hasMessageContaining("/proc of the sandbox is not a directory");
        assertThat(host.tier.all()).noneMatch(r -> r.name().equals(spec.name()));
    }

    @Test
    void aSavedUpperOfAnotherRangeBelongsToTheNewOne() throws Exception {
        host.script("su user -c 'echo hi > /tmp/f'; touch /g");
        var first = host.spec();
        var a = host.tier.create(first);
        Host.out(first);
        a.kill();
        Files.delete(first.upper().resolve("done"));
        host.script("stat -c '%u %n' /tmp/f /g > /out; cat /tmp/f >> /out; echo more >> /tmp/f && echo written >> /out");
        var next = host.spec();
        var lowers = List.of(new InstanceSpec.Lower(first.upper(), first.range().base()), new InstanceSpec.Lower(host.lower, 0));
        var fork = new InstanceSpec(
                next.name(), lowers, next.upper(), next.work(), next.range(), "fork", next.bootId(), next.limits(), next.channelDir(), true);
        var b = host.tier.create(fork);
        assertThat(Host.out(fork)).isEqualTo("1000 /tmp/f\n0 /g\nhi\nwritten");
        b.kill();
        assertThat(Files.readString(first.upper().resolve("tmp/f"))).isEqualTo("hi\n");
    }

    @Test
    void twoInstancesDoNotSeeEachOther() throws Exception {
        host.script("sleep 500 &");
        var first = host.spec();
        var a = host.tier.create(first);
        Host.out(first);
        host.script("ls -d /proc/[0-9]* | grep -c . > /out; kill -9 -1; ls /dev/mqueue /dev/shm >> /out");
        var second = host.spec();
        var b = host.tier.create(second);
        assertThat(Host.out(second).split("\n")[0]).matches("[1-4]");
        assertThat(a.alive()).isTrue();
        a.kill();
        b.kill();
    }
}
