// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The server killed at any instant, and the host rebooted. Each test has an installation of its own.
@Timeout(180)
class RestartBehavioursTest {
    private Lab lab;

    @BeforeEach
    void install() {
        lab = Lab.start("restart");
    }

    @AfterEach
    void uninstall() {
        lab.close();
    }

    @Test
    void runningExecsOutliveTheServerAndNotAByteIsMissing() throws Exception {
        var box = lab.tiny();
        var exec = box.start(Box.shell("i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); [ $((i % 100)) = 0 ] && sleep 0.1; done; exit 4"));
        Thread.sleep(800);
        lab.killServer();
        Thread.sleep(700);
        lab.startServer();
        var result = box.as(lab.api()).output(exec, 0, true, false);
        var expected = new StringBuilder();
        for (int i = 0; i < 3000; i++) {
            expected.append("line ").append(i).append('\n');
        }
        assertThat(result.text()).isEqualTo(expected.toString());
        assertThat(result.code()).isEqualTo(4);
    }

    @Test
    void lc07_sandboxesKeepProcessesFilesAndStatesOverAKill() {
        var running = lab.tiny();
        var paused = lab.tiny();
        var stopped = lab.tiny();
        running.write("/root/m", "m".getBytes(UTF_8));
        var sleeper = running.start(List.of("sleep", "1000"));
        paused.verb("pause");
        stopped.write("/root/m", "s".getBytes(UTF_8));
        stopped.verb("stop");
        lab.killServer();
        lab.startServer();
        var api = lab.api();
        assertThat(running.as(api).state()).isEqualTo("running");
        assertThat(running.as(api).read("/root/m")).isEqualTo("m".getBytes(UTF_8));
        assertThat(running.as(api).exec(sleeper).get("state").asString()).isEqualTo("running");
        assertThat(running.as(api).sh("ps | grep -c '[s]leep 1000'").text()).isEqualTo("1\n");
        assertThat(running.as(api).killExec(sleeper)).isTrue();
        assertThat(paused.as(api).state()).isEqualTo("paused");
        paused.as(api).verb("resume");
        assertThat(paused.as(api).sh("echo ok").text()).isEqualTo("ok\n");
        assertThat(stopped.as(api).state()).isEqualTo("stopped");
        stopped.as(api).verb("start");
        assertThat(stopped.as(api).read("/root/m")).isEqualTo("s".getBytes(UTF_8));
        for (var box : List.of(running, paused, stopped)) {
            box.as(api).close();
        }
        assertThat(lab.verifyLedger()).isEqualTo("ok");
    }

    @RepeatedTest(4)
    void killedInTheMiddleOfEverythingNothingIsHalfDoneNorLost() throws Exception {
        var random = new Random();
        var acknowledged = new ArrayList<String>();
        try (var pool = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 6; i++) {
                pool.submit(() -> worker(acknowledged));
            }
            Thread.sleep(300 + random.nextInt(1500));
            lab.killServer();
        }
        lab.startServer();
        var api = lab.api();
        var states = new ArrayList<String>();
        api.get("/v1/sandboxes?limit=200&state=running&state=paused&state=stopped&state=creating").expect(200).json().get("items").forEach(s -> {
            var box = new Box(api, s);
            if ("creating".equals(box.state())) {
                await().atMost(Duration.ofSeconds(30)).until(() -> !"creating".equals(box.state()));
            }
            if ("running".equals(box.state())) {
                assertThat(box.sh("echo ok").text()).isEqualTo("ok\n");
            }
            states.add(box.state());
            box.close();
        });
        assertThat(states).doesNotContain("creating");
        for (var exec : acknowledged) {
            var parts = exec.split(" ");
            var shown = api.get("/v1/sandboxes/" + parts[0] + "/execs/" + parts[1]).expect(200).json();
            assertThat(shown.get("exitCode").asInt()).isEqualTo(3);
        }
        assertThat(lab.verifyLedger()).isEqualTo("ok");
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> assertThat(lab.leftovers()).isEmpty());
    }

    private void worker(List<String> acknowledged) {
        try {
            while (true) {
                var box = lab.tiny();
                var result = box.sh("exit 3");
                if (result.exec() != null && "exited".equals(result.state())) {
                    synchronized (acknowledged) {
                        acknowledged.add(box.id() + " " + result.exec().get("id").asString());
                    }
                }
                box.api().post(box.path("/snapshots"), Map.of());
                box.close();
            }
        } catch (RuntimeException | AssertionError expected) {
            // the server was killed under this worker, which is what the test is about
        }
    }

    @Test
    void afterARebootNothingClaimsToRunAndStartWorks() {
        var box = lab.tiny();
        box.write("/root/m", "m".getBytes(UTF_8));
        box.start(List.of("sleep", "1000"));
        lab.reboot();
        var after = box.as(lab.api());
        assertThat(after.state()).isEqualTo("stopped");
        assertThat(after.show().get("reason").get("kind").asString()).isEqualTo("host");
        after.verb("start");
        assertThat(after.read("/root/m")).isEqualTo("m".getBytes(UTF_8));
        after.close();
        assertThat(lab.verifyLedger()).isEqualTo("ok");
    }

    @Test
    void volumesOverAKillStayWithWhoHasThemAndARebootLetsGo() {
        lab.api().post("/v1/volumes", Map.of("name", "data", "sizeBytes", 16 << 20)).expect(201);
        var mounts = List.of(Map.of("name", "data", "path", "/data"));
        var box = lab.tiny(Map.of("volumes", mounts));
        box.sh("echo before > /data/f");
        lab.killServer();
        lab.startServer();
        var after = box.as(lab.api());
        assertThat(after.sh("cat /data/f; echo after > /data/f").text()).isEqualTo("before\n");
        assertThat(lab.api().post("/v1/sandboxes", Map.of("template", "tiny", "volumes", mounts)).code()).isEqualTo("volume-in-use");
        lab.reboot();
        try (var next = lab.tiny(Map.of("volumes", mounts))) {
            assertThat(next.sh("cat /data/f; dd if=/dev/zero of=/data/big bs=1M count=32 2>&1 | grep -o quota").text()).isEqualTo("after\nquota\n");
            assertThat(lab.api().post(after.path("/start"), Map.of()).code()).isEqualTo("volume-in-use");
        }
        after.as(lab.api()).verb("start");
        after.as(lab.api()).close();
        lab.api().delete("/v1/volumes/data").expect(204);
        assertThat(lab.verifyLedger()).isEqualTo("ok");
    }

    @Test
    void ex31_execsPendingAtARestartEndAndNewOnesAnswer() throws Exception {
        var box = lab.tiny();
        var exec = box.start(Box.shell("sleep 2; exit 6"));
        lab.killServer();
        lab.startServer();
        assertThat(box.as(lab.api()).await(exec, 30_000).get("exitCode").asInt()).isEqualTo(6);
        assertThat(box.as(lab.api()).sh("echo new").text()).isEqualTo("new\n");
        box.as(lab.api()).close();
    }

    @Test
    void aGracefulStopKeepsSandboxesToo() {
        var box = lab.tiny();
        var exec = box.start(List.of("sleep", "1000"));
        lab.stopServer();
        lab.startServer();
        assertThat(box.as(lab.api()).exec(exec).get("state").asString()).isEqualTo("running");
        box.as(lab.api()).close();
    }
}
