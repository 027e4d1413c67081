// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.Executors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The router wakes what sleeps (`autoResume`), and nothing else.
@Timeout(120)
class WakingTest {
    private static final String SLEEPS = "\"autoPause\":true,\"autoResume\":{\"enabled\":true}";
    private static RealServer server;

    @BeforeAll
    static void start() throws Exception {
        server = RealServer.start(Map.of());
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    /// One that answers `ok` on port 3000 from a process that counts its answers.
    private static EnvdClient app(String more) throws Exception {
        var box = EnvdClient.create(server, "{\"templateID\":\"tiny\",\"timeout\":600," + more + "}");
        box.run("printf '%s' 'while read -r l; do [ ${#l} -le 1 ] && break; done; printf \"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok\"' > /tmp/app");
        try (var started = box.stream("process.Process/Start", EnvdClient.sh("exec nc -ll -p 3000 -e sh /tmp/app"))) {
            started.next(); // it runs on without its client
        }
        Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> box.send(box.to(3000, "/").GET()).statusCode() == 200);
        return box;
    }

    private static void pause(EnvdClient box) throws Exception {
        var answer = server.send("POST", "/sandboxes/" + box.sandbox + "/pause", BodyPublishers.ofString("{}"), "Content-Type", "application/json");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(204);
    }

    private static String state(EnvdClient box) throws Exception {
        return EnvdClient.JSON.readTree(server.get("/sandboxes/" + box.sandbox).body()).get("state").stringValue();
    }

    @Test
    void aRequestToAPortResumesItAndIsAnsweredByTheSameProcess() throws Exception {
        var box = app(SLEEPS);
        pause(box);
        assertThat(state(box)).isEqualTo("paused");
        assertThat(box.send(box.to(3000, "/").GET()).body()).isEqualTo("ok");
        assertThat(state(box)).isEqualTo("running");
    }

    @Test
    void requestsToItsDaemonResumeIt() throws Exception {
        var box = app(SLEEPS);
        pause(box);
        assertThat(box.run("echo here").out()).isEqualTo("here\n");
        pause(box);
        assertThat(box.send(box.request("/files?path=/tmp/app").GET()).statusCode()).isEqualTo(200);
        assertThat(state(box)).isEqualTo("running");
    }

    @Test
    void manyAtOnceResumeItOnceAndAllAreAnswered() throws Exception {
        var box = app(SLEEPS);
        pause(box);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var answers = new ArrayList<java.util.concurrent.Future<String>>();
            for (int i = 0; i < 12; i++) {
                answers.add(threads.submit(() -> box.send(box.to(3000, "/").GET()).body()));
            }
            for (var answer : answers) {
                assertThat(answer.get()).isEqualTo("ok");
            }
        }
    }

    @Test
    void onePausedWithoutItStaysPausedAndIsNotFound() throws Exception {
        var box = app("\"autoPause\":true");
        pause(box);
        assertThat(box.send(box.to(3000, "/").GET()).statusCode()).isEqualTo(502);
        assertThat(box.send(box.to(49_983, "/health").GET()).statusCode()).isEqualTo(502);
        assertThat(state(box)).isEqualTo("paused");
    }

    @Test
    void aRequestWithoutTheTrafficTokenWakesNothing() throws Exception {
        var box = EnvdClient.create(server, "{\"templateID\":\"tiny\",\"timeout\":600,\"network\":{\"allowPublicTraffic\":false}," + SLEEPS + "}");
        pause(box);
        assertThat(box.send(box.to(3000, "/").GET()).statusCode()).isEqualTo(403);
        assertThat(state(box)).isEqualTo("paused");
    }

    @Test
    void oneInQuarantineIsNotWokenAndThatIsToldByItsCode() throws Exception {
        var box = app(SLEEPS);
        var held = server.post("/v1/sandboxes/" + box.sandbox + "/quarantine", Map.of());
        assertThat(held.statusCode()).as(held.body()).isEqualTo(200);
        var refused = box.send(box.to(3000, "/").GET());
        assertThat(refused.statusCode()).as(refused.body()).isEqualTo(409);
        assertThat(refused.body()).contains("could not be resumed (wrong-state)").contains(box.sandbox);
    }
}
