// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Timeouts, kills, limits, and what is left behind.
@Timeout(240)
class ExecEndTest {
    static GuestRig rig;

    @BeforeAll
    static void open() throws IOException {
        rig = new GuestRig();
    }

    @AfterAll
    static void close() throws IOException {
        rig.close();
    }

    private static boolean kill(dev.redoma.model.wire.Exec exec) {
        return rig.execs.kill(GuestRig.CALLER, rig.id.value(), exec.id());
    }

    private static boolean running(String... words) {
        var wanted = List.of(words);
        return ProcessHandle.allProcesses().anyMatch(p -> rig.instance.owns((int) p.pid()) && cmdline(p.pid()).equals(wanted));
    }

    private static List<String> cmdline(long pid) {
        try {
            return List.of(Files.readString(Path.of("/proc/" + pid + "/cmdline")).split("\0"));
        } catch (IOException gone) {
            return List.of();
        }
    }

    @Test
    void ex01_a_timeout_ends_the_command_in_time_and_leaves_nothing() throws Exception {
        long before = System.nanoTime();
        var done = rig.run(GuestRig.sh("sleep 311", 1000L));
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isBetween(Duration.ofMillis(950), Duration.ofSeconds(3));
        assertThat(done.exec().timedOut()).as("%s", done.exec()).isTrue();
        assertThat(done.exec().killed()).as("%s", done.exec()).isFalse();
        assertThat(running("sleep", "311")).isFalse();
        assertThat(rig.sh("echo ok").text()).isEqualTo("ok\n");
    }

    @Test
    void ex17_ex18_a_timed_out_result_is_no_success_and_keeps_what_was_printed() throws Exception {
        var done = rig.run(GuestRig.sh("echo A; sleep 60", 1500L));
        assertThat(done.text()).isEqualTo("A\n");
        assertThat(done.exec().timedOut()).as("%s", done.exec()).isTrue();
        assertThat(done.exec().exitCode()).isEqualTo(137);
        assertThat(done.exec().reason()).isEqualTo("timeout");
    }

    @Test
    void ex02_a_kill_ends_the_whole_tree_and_a_second_one_finds_nothing() throws Exception {
        var exec = rig.start("bash", "-c", "sleep 321 & sleep 322 & wait");
        await().atMost(Duration.ofSeconds(30)).until(() -> running("sleep", "321") && running("sleep", "322"));
        assertThat(kill(exec)).isTrue();
        assertThat(running("sleep", "321") || running("sleep", "322")).isFalse();
        assertThat(kill(exec)).isFalse();
        var seen = rig.get(exec);
        assertThat(seen.state()).isEqualTo("exited");
        assertThat(seen.killed()).as("%s", seen).isTrue();
        assertThat(seen.exitCode()).isEqualTo(137);
    }

    @Test
    void ex02_children_in_sessions_of_their_own_are_killed_too() throws Exception {
        var exec = rig.start("bash", "-c", "setsid sleep 331 & (setsid setsid sleep 332 &) ; wait; sleep 5");
        await().atMost(Duration.ofSeconds(30)).until(() -> running("sleep", "331") && running("sleep", "332"));
        assertThat(kill(exec)).isTrue();
        assertThat(running("sleep", "331") || running("sleep", "332")).isFalse();
    }

    @Test
    void ex03_when_a_kill_returns_the_leaf_writes_no_more() throws Exception {
        var file = rig.dir.resolve("leaf");
        var exec = rig.start("bash", "-c", "bash -c 'bash -c \"while :; do printf x >> " + file + "; sleep 0.02; done\"; :'; :");
        await().atMost(Duration.ofSeconds(30)).until(() -> Files.exists(file) && Files.size(file) > 2);
        assertThat(kill(exec)).isTrue();
        long size = Files.size(file);
        Thread.sleep(400);
        assertThat(Files.size(file)).isEqualTo(size);
    }

    @Test
    void an_exec_ends_when_its_process_ends_and_its_children_live_on_and_are_heard() throws Exception {
        var go = rig.dir.resolve("go-on");
        var exec = rig.start("sh", "-c", "(while [ ! -e " + go + " ]; do sleep 0.05; done; echo late; sleep 0.2) & echo early");
        var done = rig.finish(exec); // while the child waits for what comes only after this
        assertThat(done.text()).isEqualTo("early\n");
        assertThat(done.exec().exitCode()).isZero();
        assertThat(done.exec().outputClosed()).as("%s", done.exec()).isFalse();
        Files.createFile(go);
        var out = new java.io.ByteArrayOutputStream();
        try (var output = rig.execs.output(GuestRig.CALLER, rig.id.value(), exec.id(), 0, true, true)) {
            GuestRig.drain(output, out, out);
        }
        assertThat(out.toString()).isEqualTo("early\nlate\n");
        await().atMost(Duration.ofSeconds(30)).until(() -> rig.get(exec).outputClosed());
    }

    @Test
    void children_left_behind_can_be_killed_after_the_exec_has_ended() throws Exception {
        var done = rig.sh("sleep 341 >/dev/null 2>&1 & echo $!");
        await().atMost(Duration.ofSeconds(30)).until(() -> rig.get(done.exec()).outputClosed());
        assertThat(running("sleep", "341")).isTrue();
        assertThat(kill(done.exec())).isTrue();
        assertThat(running("sleep", "341")).isFalse();
        assertThat(kill(done.exec())).isFalse();
    }

    @Test
    void the_cgroup_of_an_exec_goes_with_its_last_process() throws Exception {
        var go = rig.dir.resolve("go-away");
        var done = rig.sh("while [ ! -e " + go + " ]; do sleep 0.05; done & true");
        var id = new dev.redoma.model.ExecId(done.exec().id());
        assertThat(rig.instance.group(id)).isPresent();
        Files.createFile(go);
        await().atMost(Duration.ofSeconds(60)).until(() -> rig.instance.group(id).isEmpty());
    }

    @Test
    void rl02_an_exec_that_runs_out_of_memory_says_so() throws Exception {
        try (var small = new GuestRig(64L << 20)) {
            var done = small.run(GuestRig.spec("python3", "-c", "x = bytearray(96 << 20); print('never')"));
            assertThat(done.exec().oomKilled()).as("%s", done.exec()).isTrue();
            assertThat(done.exec().exitCode()).isEqualTo(137);
            assertThat(done.exec().reason()).isEqualTo("oom");
            assertThat(small.sh("echo ok").text()).isEqualTo("ok\n");
        }
    }

    @Test
    void rl03_a_wrapper_that_hides_the_oom_kill_does_not_hide_it_from_us() throws Exception {
        try (var small = new GuestRig(64L << 20)) {
            var done = small.run(GuestRig.sh("python3 -c 'x = bytearray(96 << 20)'; exit 1", null));
            assertThat(done.exec().exitCode()).isEqualTo(1);
            assertThat(done.exec().oomKilled()).as("%s", done.exec()).isTrue();
        }
    }

    @Test
    void what_it_used_is_what_the_host_counted() throws Exception {
        var exec = rig.run(GuestRig.spec("python3", "-c", "x = bytearray(40 << 20)\nfor i in range(2000000): pass")).exec();
        assertThat(exec.cpuMs()).isGreaterThan(20);
        assertThat(exec.peakMemoryBytes()).isGreaterThan(40L << 20);
        assertThat(exec.wallMs()).isPositive();
    }

    @Test
    void a_signal_goes_to_the_process_group() throws Exception {
        var exec = rig.start("sh", "-c", "trap 'echo got; exit 9' USR1; echo ready; while :; do sleep 0.05; done");
        await().atMost(Duration.ofSeconds(30)).until(() -> rig.get(exec).outputBytes() > 0);
        assertThat(rig.execs.signal(GuestRig.CALLER, rig.id.value(), exec.id(), 10)).isTrue();
        var done = rig.finish(exec);
        assertThat(done.text()).isEqualTo("ready\ngot\n");
        assertThat(done.exec().exitCode()).isEqualTo(9);
        assertThat(rig.execs.signal(GuestRig.CALLER, rig.id.value(), exec.id(), 10)).isFalse();
    }

    @Test
    void a_timeout_waits_while_the_sandbox_is_paused() throws Exception {
        var exec = rig.start(GuestRig.sh("sleep 351", 1500L));
        rig.instance.freeze();
        Thread.sleep(2000);
        assertThat(rig.get(exec).state()).isEqualTo("running");
        rig.instance.thaw();
        assertThat(rig.finish(exec).exec().timedOut()).isTrue();
    }

    @Test
    void no_more_commands_than_the_quota_run_at_a_time() throws Exception {
        var execs = java.util.stream.IntStream.range(0, 256).mapToObj(i -> rig.start("sleep", "361")).toList();
        var e = org.assertj.core.api.Assertions.catchThrowableOfType(
                dev.redoma.model.RedomaException.class, () -> rig.start("true"));
        assertThat(e.code()).isEqualTo(dev.redoma.model.Code.QUOTA_EXCEEDED);
        assertThat(e.problem().details()).containsEntry("limit", 256);
        execs.forEach(ExecEndTest::kill);
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(rig.sh("echo ok").text()).isEqualTo("ok\n"));
    }

    @Test
    void without_sudo_no_new_privileges_are_gained() throws Exception {
        rig.sudo = false;
        try {
            assertThat(rig.sh("grep NoNewPrivs /proc/self/status").text()).contains("1");
        } finally {
            rig.sudo = true;
        }
        assertThat(rig.sh("grep NoNewPrivs /proc/self/status").text()).contains("0");
    }

    @Test
    void open_files_are_limited() throws Exception {
        assertThat(rig.sh("ulimit -n; ulimit -Hn").text()).isEqualTo("1024\n1024\n");
    }

}
