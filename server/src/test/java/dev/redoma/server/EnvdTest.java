// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// E2B's daemon of a sandbox over the wire: processes and files, without an SDK.
class EnvdTest {
    private static RealServer server;
    private static EnvdClient envd;

    @BeforeAll
    static void start() throws Exception {
        server = RealServer.start(Map.of());
        envd = EnvdClient.create(server, "{\"templateID\":\"tiny\",\"timeout\":600,\"envVars\":{\"COLOUR\":\"blue\"}}");
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    @Test
    void aCommandTellsStartOutputAndItsExactEnd() throws Exception {
        var ran = envd.run("echo out; echo err >&2; echo $COLOUR $E2B_SANDBOX $E2B_SANDBOX_ID; exit 3");
        assertThat(ran.pid()).isPositive();
        assertThat(ran.out()).isEqualTo("out\nblue true " + envd.sandbox + "\n");
        assertThat(ran.err()).isEqualTo("err\n");
        assertThat(ran.end().get("exitCode").intValue()).isEqualTo(3);
        assertThat(ran.end().get("exited").booleanValue()).isTrue();
        assertThat(ran.end().get("status").stringValue()).isEqualTo("exit status 3");
        assertThat(ran.end().get("error").stringValue()).isEqualTo("exit status 3");
        assertThat(ran.error()).isNull();
        assertThat(ran.kinds().getFirst()).isEqualTo("start");
        assertThat(ran.kinds().getLast()).isEqualTo("end");
    }

    @Test
    void aWrongTokenIsUnauthenticatedEverywhereButForHealth() throws Exception {
        var stranger = new EnvdClient(server.client(), server.router(), envd.sandbox, "0".repeat(64));
        assertThat(stranger.unary("process.Process/List", "{}").statusCode()).isEqualTo(401);
        assertThat(EnvdClient.JSON.readTree(stranger.unary("filesystem.Filesystem/Stat", "{\"path\":\"/\"}").body()).get("code").stringValue()).isEqualTo("unauthenticated");
        assertThat(stranger.send(stranger.request("/files?path=/etc/passwd").GET()).statusCode()).isEqualTo(401);
        assertThat(stranger.send(stranger.request("/envs").GET()).statusCode()).isEqualTo(401);
        assertThat(stranger.send(stranger.to(49_983, "/health").GET()).statusCode()).isEqualTo(204);
    }

    @Test
    void whatOnlyAControlPlaneMayCallDoesNotExist() throws Exception {
        for (var path : new String[] {"/init", "/freeze", "/unfreeze", "/collapse", "/fsfreeze", "/fsthaw", "/upgrade"}) {
            assertThat(envd.send(envd.request(path).POST(BodyPublishers.ofString("{}"))).statusCode()).isEqualTo(404);
        }
    }

    @Test
    void aDeadlineKillsTheCommandAndIsToldAsSuch() throws Exception {
        var ran = envd.run("echo before; sleep 60", "Connect-Timeout-Ms", "700");
        assertThat(ran.out()).isEqualTo("before\n");
        assertThat(ran.error().get("code").stringValue()).isEqualTo("deadline_exceeded");
        assertThat(envd.call("process.Process/List", "{}").get("processes").toString()).doesNotContain("echo before; sleep 60");
    }

    @Test
    void stdinIsWrittenAndClosedAndTheListNamesPidAndTag() throws Exception {
        try (var cat = envd.stream("process.Process/Start", "{\"process\":{\"cmd\":\"/bin/cat\"},\"tag\":\"talker\"}")) {
            int pid = cat.next().get("event").get("start").get("pid").intValue();
            assertThat(envd.call("process.Process/List", "{}").get("processes").toString()).contains("\"pid\":" + pid).contains("\"tag\":\"talker\"");
            envd.call("process.Process/SendInput", "{\"process\":{\"tag\":\"talker\"},\"input\":{\"stdin\":\"" + base64("hello\n") + "\"}}");
            assertThat(new String(Base64.getDecoder().decode(cat.next().get("event").get("data").get("stdout").stringValue()))).isEqualTo("hello\n");
            envd.call("process.Process/CloseStdin", "{\"process\":{\"pid\":" + pid + "}}");
            assertThat(cat.next().get("event").get("end").get("exitCode").intValue()).isZero();
            assertThat(cat.next()).isNull();
            assertThat(envd.stream("process.Process/Connect", "{\"process\":{\"pid\":" + pid + "}}").all().kinds()).containsExactly("start", "end");
        }
        assertThat(envd.unary("process.Process/SendSignal", "{\"process\":{\"pid\":999999},\"signal\":\"SIGNAL_SIGKILL\"}").statusCode()).isEqualTo(404);
    }

    @Test
    void inputForACommandThatHasJustEndedIsNotFoundNeverAWrongState() throws Exception {
        for (int i = 0; i < 60; i++) {
            try (var quick = envd.stream("process.Process/Start", "{\"process\":{\"cmd\":\"/bin/sh\",\"args\":[\"-c\",\"exit 7\"]},\"stdin\":true}")) {
                int pid = quick.next().get("event").get("start").get("pid").intValue();
                var close = envd.unary("process.Process/CloseStdin", "{\"process\":{\"pid\":" + pid + "}}");
                assertThat(close.statusCode()).as(close.body()).isIn(200, 404);
                var input = envd.unary("process.Process/SendInput", "{\"process\":{\"pid\":" + pid + "},\"input\":{\"stdin\":\"" + base64("late\n") + "\"}}");
                assertThat(input.statusCode()).as(input.body()).isEqualTo(404);
                assertThat(quick.all().end().get("exitCode").intValue()).isEqualTo(7);
            }
        }
    }

    @Test
    void aCommandThatClosedItsInputItselfTakesACloseButNoInput() throws Exception {
        try (var deaf = envd.stream("process.Process/Start", "{\"process\":{\"cmd\":\"/bin/sh\",\"args\":[\"-c\",\"exec <&-; echo closed; sleep 2; exit 3\"]},\"stdin\":true}")) {
            int pid = deaf.next().get("event").get("start").get("pid").intValue();
            assertThat(deaf.next().get("event").has("data")).isTrue();
            var input = envd.unary("process.Process/SendInput", "{\"process\":{\"pid\":" + pid + "},\"input\":{\"stdin\":\"" + base64("x") + "\"}}");
            assertThat(input.body()).contains("failed_precondition");
            assertThat(envd.unary("process.Process/CloseStdin", "{\"process\":{\"pid\":" + pid + "}}").statusCode()).isEqualTo(200);
            assertThat(deaf.all().end().get("exitCode").intValue()).isEqualTo(3);
        }
    }

    @Test
    void aKilledCommandEndsBySignalAndAnotherIsAttachedTo() throws Exception {
        try (var first = envd.stream("process.Process/Start", EnvdClient.sh("while :; do echo tick; sleep 0.05; done"))) {
            int pid = first.next().get("event").get("start").get("pid").intValue();
            try (var second = envd.stream("process.Process/Connect", "{\"process\":{\"pid\":" + pid + "}}")) {
                assertThat(second.next().get("event").get("start").get("pid").intValue()).isEqualTo(pid);
                assertThat(second.next().get("event").has("data")).isTrue();
                envd.call("process.Process/SendSignal", "{\"process\":{\"pid\":" + pid + "},\"signal\":\"SIGNAL_SIGKILL\"}");
                var end = second.all().end();
                assertThat(end.get("status").stringValue()).isEqualTo("signal: killed");
                assertThat(end.get("exited").booleanValue()).isFalse();
                assertThat(end.get("exitCode").intValue()).isEqualTo(-1);
            }
        }
    }

    @Test
    void aTerminalTakesInputAndASize() throws Exception {
        try (var shell = envd.stream("process.Process/Start", "{\"process\":{\"cmd\":\"/bin/sh\"},\"pty\":{\"size\":{\"cols\":90,\"rows\":30}}}")) {
            int pid = shell.next().get("event").get("start").get("pid").intValue();
            envd.call("process.Process/Update", "{\"process\":{\"pid\":" + pid + "},\"pty\":{\"size\":{\"cols\":100,\"rows\":40}}}");
            envd.call("process.Process/SendInput", "{\"process\":{\"pid\":" + pid + "},\"input\":{\"pty\":\"" + base64("stty size; exit 5\n") + "\"}}");
            var ran = shell.all();
            assertThat(ran.out()).contains("40 100");
            assertThat(ran.end().get("exitCode").intValue()).isEqualTo(5);
        }
    }

    @Test
    void anUnknownUserIsUnauthenticatedAndAMissingDirectoryInvalid() throws Exception {
        var nobody = envd.stream("process.Process/Start", EnvdClient.sh("true"), "Authorization", "Basic " + base64("ghost:")).all().error();
        assertThat(nobody.get("code").stringValue()).isEqualTo("unauthenticated");
        assertThat(nobody.get("message").stringValue()).contains("invalid username: 'ghost'");
        var nowhere = envd.stream("process.Process/Start", "{\"process\":{\"cmd\":\"/bin/sh\",\"cwd\":\"/no/such\"}}").all().error();
        assertThat(nowhere.get("code").stringValue()).isEqualTo("invalid_argument");
    }

    @Test
    void silenceIsBrokenByKeepalives() throws Exception {
        var ran = envd.run("sleep 2.5", "Keepalive-Ping-Interval", "1");
        assertThat(ran.kinds()).contains("keepalive");
        assertThat(ran.end().get("exitCode").intValue()).isZero();
    }

    @Test
    void theEndOfTheSandboxBreaksTheStreamOffAndTheRouterSays502() throws Exception {
        var doomed = EnvdClient.create(server, "{\"templateID\":\"tiny\",\"timeout\":600}");
        try (var stream = doomed.stream("process.Process/Start", EnvdClient.sh("echo on; sleep 600"))) {
            stream.next();
            assertThat(stream.next().get("event").has("data")).isTrue();
            var killing = Thread.ofVirtual().start(() -> {
                try {
                    server.delete("/sandboxes/" + doomed.sandbox);
                } catch (IOException | InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            assertThatThrownBy(() -> {
                while (stream.next() != null) {
                    // to an end frame, which must not come
                }
            }).isInstanceOf(IOException.class);
            // at once: clients ask as soon as the stream breaks
            var health = doomed.send(doomed.to(49_983, "/health").GET());
            assertThat(health.statusCode()).isEqualTo(502);
            assertThat(EnvdClient.JSON.readTree(health.body()).get("sandboxId").stringValue()).isEqualTo(doomed.sandbox);
            killing.join();
        }
    }

    @Test
    void whatSleepsIsWokenByUseAndNotByALookAtItsHealth() throws Exception {
        var sleeper = EnvdClient.create(server, "{\"templateID\":\"tiny\",\"timeout\":600,\"autoPause\":true,\"autoResume\":{\"enabled\":true}}");
        assertThat(server.send("POST", "/sandboxes/" + sleeper.sandbox + "/pause", BodyPublishers.ofString("{}"), "Content-Type", "application/json").statusCode()).isEqualTo(204);
        assertThat(sleeper.send(sleeper.to(49_983, "/health").GET()).statusCode()).isEqualTo(502);
        var stranger = new EnvdClient(server.client(), server.router(), sleeper.sandbox, "wrong");
        assertThat(stranger.unary("process.Process/List", "{}").statusCode()).isEqualTo(401);
        assertThat(sleeper.send(sleeper.to(49_983, "/health").GET()).statusCode()).isEqualTo(502);
        assertThat(sleeper.run("echo awake").out()).isEqualTo("awake\n");
        assertThat(sleeper.send(sleeper.to(49_983, "/health").GET()).statusCode()).isEqualTo(204);
        assertThat(server.delete("/sandboxes/" + sleeper.sandbox).statusCode()).isEqualTo(204);
    }

    @Test
    void whatIsPausedAndNotToBeWokenByUseIsNotFound() throws Exception {
        var paused = EnvdClient.create(server, "{\"templateID\":\"tiny\",\"timeout\":600}");
        assertThat(server.send("POST", "/sandboxes/" + paused.sandbox + "/pause", BodyPublishers.ofString("{}"), "Content-Type", "application/json").statusCode()).isEqualTo(204);
        assertThat(paused.unary("process.Process/List", "{}").statusCode()).isEqualTo(502);
        assertThat(server.delete("/sandboxes/" + paused.sandbox).statusCode()).isEqualTo(204);
    }

    @Test
    void aHundredCommandsAtOnceLoseNoByte() throws Exception {
        var work = new ArrayList<Callable<Integer>>();
        for (int i = 0; i < 100; i++) {
            int n = i;
            work.add(() -> {
                var ran = envd.run("i=0; while [ $i -lt 200 ]; do echo line-" + n + "-$i; i=$((i+1)); done");
                var expected = new StringBuilder();
                for (int line = 0; line < 200; line++) {
                    expected.append("line-").append(n).append('-').append(line).append('\n');
                }
                assertThat(ran.out()).isEqualTo(expected.toString());
                return ran.end().get("exitCode").intValue();
            });
        }
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var done : threads.invokeAll(work)) {
                assertThat(done.get()).isZero();
            }
        }
    }

    static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes());
    }
}
