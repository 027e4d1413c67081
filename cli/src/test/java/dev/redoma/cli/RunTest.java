// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import static dev.redoma.cli.FakeServer.exec;
import static org.assertj.core.api.Assertions.assertThat;

import dev.redoma.client.json.Json;
import dev.redoma.model.wire.Refusals;
import dev.redoma.model.wire.Usage;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RunTest {
    private FakeServer server;

    @BeforeEach
    void start() throws IOException {
        server = new FakeServer();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private static byte[] everyByte() {
        var bytes = new byte[256 * 16];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) i;
        }
        return bytes;
    }

    @Test
    void theCommandsOwnCodeIsReturnedAndItsBytesAreExact() {
        server.runs(exec("exited", 7), everyByte(), "oops".getBytes());
        var called = Called.with(server.address(), "run", "-q", "--", "cmd");
        assertThat(called.code()).isEqualTo(7);
        assertThat(called.out()).isEqualTo(everyByte());
        assertThat(called.err()).isEqualTo("oops");
    }

    @Test
    void theSandboxIsEndedAfterwardsUnlessKept() {
        server.runs(exec("exited", 0), new byte[0], new byte[0]);
        Called.with(server.address(), "run", "--", "cmd");
        assertThat(server.asked).contains("DELETE /v1/sandboxes/" + FakeServer.BOX);
        server.asked.clear();
        var kept = Called.with(server.address(), "run", "--keep", "--", "cmd");
        assertThat(server.asked).doesNotContain("DELETE /v1/sandboxes/" + FakeServer.BOX);
        assertThat(kept.err()).contains(FakeServer.BOX);
    }

    @Test
    void aTimeLimitIs124AndSaysSo() {
        server.runs(exec("exited", 137, true, false), "partial".getBytes(), new byte[0]);
        var called = Called.with(server.address(), "run", "--timeout", "2s", "--", "cmd");
        assertThat(called.code()).isEqualTo(124);
        assertThat(called.text()).isEqualTo("partial");
        assertThat(called.err()).contains("time limit of 2.0 s");
    }

    @Test
    void anExitThatWasNeverSeenIs125() {
        server.runs(exec("lost", null), new byte[0], new byte[0]);
        assertThat(Called.with(server.address(), "run", "--", "cmd").code()).isEqualTo(125);
    }

    @Test
    void outOfMemoryIsSaidAndKeepsTheCommandsCode() {
        server.runs(exec("exited", 137, false, true), new byte[0], new byte[0]);
        var called = Called.with(server.address(), "run", "--", "cmd");
        assertThat(called.code()).isEqualTo(137);
        assertThat(called.err()).contains("memory limit");
    }

    @Test
    void anyFailureOfOursIs125() {
        server.on("POST /v1/sandboxes", x -> FakeServer.json(x, 429, FakeServer.problem(429, "quota-exceeded")));
        var called = Called.with(server.address(), "run", "--json", "--", "cmd");
        assertThat(called.code()).isEqualTo(125);
        assertThat(called.err()).contains("what is wrong").contains("what to do").contains("limit: 8");
        assertThat(called.text()).contains("\"code\":\"quota-exceeded\"");
        assertThat(Called.withoutServer("run", "--", "cmd").code()).isEqualTo(125);
        assertThat(Called.with(server.address(), "run").code()).isEqualTo(125);
        assertThat(Called.with(server.address(), "run", "--timeout", "soon", "--", "cmd").code()).isEqualTo(125);
    }

    @Test
    void jsonIsOneEventALine() {
        server.runs(exec("exited", 3), new byte[] {(byte) 0xff}, new byte[0]);
        var lines = Called.with(server.address(), "run", "--json", "--", "cmd").text().lines().map(Json::parse).toList();
        assertThat(lines.stream().map(line -> String.valueOf(((Map<?, ?>) line).get("event")))).containsExactly("started", "stdout", "exited", "changes");
        assertThat(((Map<?, ?>) lines.get(1)).get("base64")).isEqualTo("/w==");
        assertThat(((Map<?, ?>) lines.get(2)).get("code")).isEqualTo(3L);
    }

    @Test
    void whatPolicyRefusedIsCountedInTheSummary() {
        server.runs(exec("exited", 1), new byte[0], new byte[0]);
        var told = new java.util.ArrayDeque<>(java.util.List.of(2, 2, 2, 5));
        server.on("GET /v1/sandboxes/" + FakeServer.BOX + "/usage", x -> FakeServer.json(x, 200, new Usage(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, new Refusals(told.remove(), 1, 0, 2))));
        assertThat(Called.with(server.address(), "run", "--", "cmd").err()).contains("redoma: the policy refused 2 names, 1 connection and 2 packets;").contains("policy learn " + FakeServer.BOX);
        assertThat(Called.with(server.address(), "run", "--json", "--", "cmd").text()).contains("{\"event\":\"refused\",").contains("\"names\":2").contains("\"connections\":1").contains("\"packets\":2");
        assertThat(Called.with(server.address(), "exec", FakeServer.BOX, "--", "cmd").err()).as("those while it ran").contains("redoma: the policy refused 3 names;");
    }

    @Test
    void nothingIsSaidOfRefusalsWhereNobodyCountsOrNothingWasRefused() {
        server.runs(exec("exited", 0), new byte[0], new byte[0]);
        for (var none : new Refusals[] {null, new Refusals(0, 0, 0, 0)}) {
            server.on("GET /v1/sandboxes/" + FakeServer.BOX + "/usage", x -> FakeServer.json(x, 200, new Usage(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, none)));
            assertThat(Called.with(server.address(), "run", "--", "cmd").err()).doesNotContain("refused");
            assertThat(Called.with(server.address(), "exec", FakeServer.BOX, "--", "cmd").err()).isEmpty();
        }
    }

    @Test
    void optionsAfterTheTwoDashesBelongToTheCommand() throws IOException {
        var body = new StringBuilder();
        server.on("POST /v1/sandboxes/" + FakeServer.BOX + "/execs", x -> {
            body.append(new String(x.getRequestBody().readAllBytes()));
            FakeServer.json(x, 400, FakeServer.problem(400, "invalid-field"));
        });
        Called.with(server.address(), "exec", "-e", "A=1", FakeServer.BOX, "--", "sh", "-c", "echo --json", "-e");
        assertThat(body).contains("[\"sh\",\"-c\",\"echo --json\",\"-e\"]").contains("\"env\":{\"A\":\"1\"}");
    }
}
