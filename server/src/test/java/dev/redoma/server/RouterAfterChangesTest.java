// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redoma.model.wire.ExposePort;
import dev.redoma.model.wire.Exposure;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What the router remembers of a sandbox is never older than the last change that was answered.
@Timeout(120)
class RouterAfterChangesTest {
    private static final int PORT = 3000;
    private static RealServer server;

    @BeforeAll
    static void start() throws Exception {
        server = RealServer.start(Map.of());
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    private static EnvdClient made() throws Exception {
        return serving(EnvdClient.create(server, "{\"templateID\":\"tiny\",\"timeout\":600}"));
    }

    /// It answers `ok`, and the router has seen it do so.
    private static EnvdClient serving(EnvdClient box) throws Exception {
        box.run("printf '%s' 'while read -r l; do [ ${#l} -le 1 ] && break; done; printf \"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok\"' > /tmp/app");
        try (var started = box.stream("process.Process/Start", EnvdClient.sh("exec nc -ll -p " + PORT + " -e sh /tmp/app"))) {
            started.next(); // it runs on without its client
        }
        Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> get(box).statusCode() == 200);
        return box;
    }

    private static HttpResponse<String> get(EnvdClient box) throws Exception {
        return box.send(box.to(PORT, "/").GET());
    }

    private static void change(EnvdClient box, String verb) throws Exception {
        var answer = server.post("/v1/sandboxes/" + box.sandbox + "/" + verb, Map.of());
        assertThat(answer.statusCode()).as(verb + ": " + answer.body()).isEqualTo(200);
    }

    private static void refused(EnvdClient box, String state) throws Exception {
        var answer = get(box);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(502);
        assertThat(EnvdClient.JSON.readTree(answer.body()).get("state").stringValue()).isEqualTo(state);
    }

    @Test
    void aPauseAStopAndTheirEndsAreSeenByTheNextRequest() throws Exception {
        var box = made();
        for (int i = 0; i < 5; i++) {
            change(box, "pause");
            refused(box, "paused");
            change(box, "resume");
            assertThat(get(box).body()).isEqualTo("ok");
        }
        change(box, "stop");
        refused(box, "stopped");
        change(box, "start");
        assertThat(get(box).statusCode()).as("nothing listens in what was started anew").isEqualTo(502);
        assertThat(get(serving(box)).body()).isEqualTo("ok");
    }

    @Test
    void noRequestThatBeginsAfterAKillWasAnsweredReachesAnything() throws Exception {
        var box = made();
        var killedAt = new AtomicLong(Long.MAX_VALUE);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var reached = new AtomicInteger();
            var askers = new ArrayList<Future<Boolean>>();
            for (int i = 0; i < 8; i++) {
                askers.add(threads.submit(() -> {
                    for (int after = 0; after < 5; ) {
                        long began = System.nanoTime();
                        int status = get(box).statusCode();
                        if (began - killedAt.get() > 0 && killedAt.get() != Long.MAX_VALUE) {
                            assertThat(status).isEqualTo(502);
                            after++;
                        } else if (status == 200) {
                            reached.incrementAndGet();
                        }
                    }
                    return true;
                }));
            }
            Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> reached.get() >= 80);
            assertThat(server.delete("/v1/sandboxes/" + box.sandbox).statusCode()).isEqualTo(200);
            killedAt.set(System.nanoTime());
            for (var asker : askers) {
                assertThat(asker.get()).isTrue();
            }
        }
        assertThat(get(box).body()).contains("sandbox-not-found");
    }

    @Test
    void aRevokedExposureLetsNobodyInFromItsAnswerOn() throws Exception {
        var made = EnvdClient.JSON.readTree(server.send("POST", "/v2/sandboxes", BodyPublishers.ofString("{\"templateID\":\"tiny\",\"network\":{\"allowPublicTraffic\":false}}"),
                "Content-Type", "application/json").body());
        var box = new EnvdClient(server.client(), server.router(), made.get("sandboxID").stringValue(), made.get("envdAccessToken").stringValue());
        for (int i = 0; i < 5; i++) {
            var exposed = server.post("/v1/sandboxes/" + box.sandbox + "/exposures", new ExposePort(PORT, null, null), Exposure.class);
            for (int j = 0; j < 3; j++) {
                var answer = box.send(box.to(PORT, "/").header("Redoma-Preview-Token", String.valueOf(exposed.token())).GET());
                assertThat(answer.statusCode()).as(answer.body()).isEqualTo(502); // let in; nothing listens
                assertThat(answer.body()).contains("nothing-listens");
            }
            assertThat(server.delete("/v1/sandboxes/" + box.sandbox + "/exposures/" + exposed.id()).statusCode()).isEqualTo(204);
            assertThat(box.send(box.to(PORT, "/").header("Redoma-Preview-Token", String.valueOf(exposed.token())).GET()).statusCode()).isEqualTo(403);
        }
    }
}
