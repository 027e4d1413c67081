// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// Section 4 of the behaviours: life of a sandbox, over the wire.
@ExtendWith(LabExtension.class)
@Timeout(180)
class LifecycleBehavioursTest {

    @Test
    void lc01_fiveCyclesOfPauseAndResumeKeepEveryFile(Lab lab) {
        try (var box = lab.tiny()) {
            for (int i = 1; i <= 5; i++) {
                box.write("/root/f" + i, ("content " + i).getBytes(UTF_8));
                box.verb("pause");
                box.verb("resume");
                for (int k = 1; k <= i; k++) {
                    assertThat(box.read("/root/f" + k)).isEqualTo(("content " + k).getBytes(UTF_8));
                }
            }
        }
    }

    @Test
    void lc02_anAutoPauseLosesNothing(Lab lab) {
        try (var box = lab.tiny(Map.of("onTimeout", "pause", "limits", Map.of("lifetimeMs", 60_000)))) {
            box.sh("head -c 20000000 /dev/urandom > /root/big; sha256sum /root/big > /root/sum");
            box.api().post(box.path("/lifetime"), Map.of("lifetimeMs", 1000)).expect(200);
            await().atMost(Duration.ofSeconds(30)).until(() -> "paused".equals(box.state()));
            box.verb("resume");
            box.api().post(box.path("/lifetime"), Map.of("lifetimeMs", 60_000)).expect(200);
            assertThat(box.sh("cd /root; sha256sum -c sum").code()).isZero();
        }
    }

    @Test
    void lc03_pauseAndResumeInARowAlwaysAnswer(Lab lab) {
        try (var box = lab.tiny()) {
            for (int i = 0; i < 20; i++) {
                box.verb("pause");
                assertThat(box.verb("resume").get("state").asString()).isEqualTo("running");
                assertThat(box.sh("echo ok").text()).isEqualTo("ok\n");
            }
        }
    }

    @Test
    void stopKeepsTheDiskAndEndsTheProcessesAndStartGoesOn(Lab lab) {
        try (var box = lab.tiny()) {
            box.write("/root/marker", "m".getBytes(UTF_8));
            var exec = box.start(List.of("sleep", "500"));
            assertThat(box.verb("stop").get("state").asString()).isEqualTo("stopped");
            assertThat(box.exec(exec).get("state").asString()).isEqualTo("lost");
            assertThat(box.tryStart(List.of("true")).code()).isEqualTo("wrong-state");
            assertThat(box.verb("start").get("state").asString()).isEqualTo("running");
            assertThat(box.read("/root/marker")).isEqualTo("m".getBytes(UTF_8));
            assertThat(box.sh("ps | grep -c '[s]leep 500'").text()).isEqualTo("0\n");
        }
    }

    @Test
    void resetReturnsTheFileSystemToTheTemplateAndKeepsTheId(Lab lab) {
        try (var box = lab.tiny(Map.of("labels", Map.of("a", "b")))) {
            box.sh("rm /etc/passwd; echo x > /root/x");
            var after = box.verb("reset");
            assertThat(after.get("id").asString()).isEqualTo(box.id());
            assertThat(after.get("labels").get("a").asString()).isEqualTo("b");
            assertThat(box.sh("ls /root; test -f /etc/passwd && echo there").text()).isEqualTo("there\n");
            assertThat(box.api().get(box.path("/changes")).json().get("items").size()).isZero();
        }
    }

    @Test
    void lc09_anEndedIdAnswersGoneWithReasonAndNeverAnEmptyMachine(Lab lab) {
        var box = lab.tiny();
        box.close();
        var shown = box.show();
        assertThat(shown.get("state").asString()).isEqualTo("ended");
        assertThat(shown.get("reason").get("kind").asString()).isEqualTo("killed");
        assertThat(shown.has("endedAt")).isTrue();
        assertThat(box.tryStart(List.of("true")).expect(410).code()).isEqualTo("sandbox-ended");
        assertThat(box.api().post(box.path("/start"), Map.of()).status()).isEqualTo(410);
    }

    @Test
    void lc10_forksDrawDifferentRandomNumbers(Lab lab) {
        try (var box = lab.tiny()) {
            var seen = new HashSet<String>();
            for (int i = 0; i < 4; i++) {
                try (var fork = new Box(box.api(), box.api().post(box.path("/fork"), Map.of()).expect(201).json())) {
                    seen.add(fork.sh("head -c 1024 /dev/urandom | sha256sum; cat /proc/sys/kernel/random/boot_id").text());
                }
            }
            assertThat(seen).hasSize(4);
        }
    }

    @Test
    void lc22_mt05_mt06_fortyParallelCreatesAgainstAQuotaOfEightMakeExactlyEight() throws Exception {
        try (var lab = Lab.start("quota", RigOptions.standard().with("QUOTA_LIVE", "8"))) {
            fortyAgainstEight(lab.tenant("eight"));
        }
    }

    private static void fortyAgainstEight(Api tenant) throws Exception {
        var made = new ArrayList<Box>();
        try (var pool = Executors.newVirtualThreadPerTaskExecutor()) {
            var calls = new ArrayList<Callable<Api.Answer>>();
            for (int i = 0; i < 40; i++) {
                calls.add(() -> tenant.post("/v1/sandboxes", Map.of("template", "tiny")));
            }
            for (var result : pool.invokeAll(calls)) {
                var answer = result.get();
                if (answer.status() == 201) {
                    made.add(new Box(tenant, answer.json()));
                } else {
                    assertThat(answer.status()).isEqualTo(429);
                    assertThat(answer.code()).isEqualTo("quota-exceeded");
                    assertThat(answer.json().get("details").get("limit").asInt()).isEqualTo(8);
                }
            }
        }
        assertThat(made).hasSize(8);
        assertThat(tenant.get("/v1/sandboxes?limit=50").json().get("items").size()).isEqualTo(8);
        made.getFirst().close();
        made.set(0, Box.create(tenant, Map.of("template", "tiny")));
        made.forEach(Box::close);
    }

    @Test
    void lc23_theSameIdempotencyKeyGivesTheSameSandboxAndAnotherBodyAConflict(Lab lab) {
        var body = Map.of("template", "tiny");
        var one = lab.api().send(lab.api().json("/v1/sandboxes", body).header("Idempotency-Key", "k-1").build()).expect(201);
        var two = lab.api().send(lab.api().json("/v1/sandboxes", body).header("Idempotency-Key", "k-1").build());
        assertThat(two.json().get("id")).isEqualTo(one.json().get("id"));
        var other = lab.api().send(lab.api().json("/v1/sandboxes", Map.of("template", "tiny", "privileges", "none")).header("Idempotency-Key", "k-1").build());
        assertThat(other.code()).isEqualTo("idempotency-conflict");
        new Box(lab.api(), one.json()).close();
    }

    @Test
    void dx09_getOrCreateFromTenClientsMakesOne(Lab lab) throws Exception {
        var body = Map.of("template", "tiny", "name", "shared-name", "getOrCreate", true);
        var ids = new HashSet<String>();
        try (var pool = Executors.newVirtualThreadPerTaskExecutor()) {
            var calls = new ArrayList<Callable<Api.Answer>>();
            for (int i = 0; i < 10; i++) {
                calls.add(() -> lab.api().post("/v1/sandboxes", body));
            }
            for (var result : pool.invokeAll(calls)) {
                assertThat(result.get().status()).isIn(200, 201);
                ids.add(result.get().json().get("id").asString());
                assertThat(result.get().json().get("state").asString()).isEqualTo("running");
            }
        }
        assertThat(ids).hasSize(1);
        var first = new Box(lab.api(), lab.api().get("/v1/sandboxes/shared-name").expect(200).json());
        first.close();
        var again = lab.api().post("/v1/sandboxes", body).expect(201).json();
        assertThat(again.get("id").asString()).isNotEqualTo(first.id());
        new Box(lab.api(), again).close();
    }

    @Test
    void lc26_aVanishedInstanceIsToldAndItsNameCanBeUsedAnew(Lab lab) {
        var box = lab.tiny(Map.of("name", "vanishing"));
        lab.killInit(box);
        await().atMost(Duration.ofSeconds(30)).until(() -> !"running".equals(box.state()));
        assertThat(box.show().get("reason").get("kind").asString()).isIn("crashed", "host");
        box.close();
    }

    @Test
    void lc29_snapshotsAreMadeListedUsedAndDeleted(Lab lab) {
        try (var box = lab.tiny()) {
            box.sh("echo saved > /root/s; rm /etc/group; chmod 4755 /bin/busybox-copy 2>/dev/null; echo");
            var snapshot = box.api().post(box.path("/snapshots"), Map.of("name", "snap-29")).expect(201).json();
            box.sh("echo later > /root/s");
            try (var copy = lab.tiny(Map.of("template", "snap-29"))) {
                assertThat(copy.sh("cat /root/s; test -e /etc/group || echo gone; stat -c %u:%g /root/s").text()).isEqualTo("saved\ngone\n0:0\n");
                assertThat(box.api().get("/v1/snapshots?sandbox=" + box.id()).json().get("items").size()).isEqualTo(1);
            }
            box.api().delete("/v1/snapshots/" + snapshot.get("id").asString()).expect(204);
            assertThat(box.api().get("/v1/snapshots/" + snapshot.get("id").asString()).status()).isEqualTo(404);
            assertThat(box.sh("cat /root/s").text()).isEqualTo("later\n");
        }
    }

    @Test
    void aForkHasTheDiskOfThatMomentAndBothGoOnAlone(Lab lab) {
        try (var box = lab.tiny()) {
            box.sh("echo one > /root/f; dd if=/dev/urandom of=/root/dirty bs=1M count=20 2>/dev/null");
            try (var fork = new Box(box.api(), box.api().post(box.path("/fork"), Map.of()).expect(201).json())) {
                box.sh("echo two > /root/f");
                fork.sh("echo three >> /root/f");
                assertThat(fork.sh("cat /root/f").text()).isEqualTo("one\nthree\n");
                assertThat(fork.sh("sha256sum < /root/dirty").text()).isEqualTo(box.sh("sha256sum < /root/dirty").text());
                assertThat(fork.created().get("forkedFrom").asString()).isEqualTo(box.id());
            }
            assertThat(box.sh("cat /root/f").text()).isEqualTo("two\n");
        }
    }

    @Test
    void listsFilterByLabelAndPage(Lab lab) {
        var boxes = new ArrayList<Box>();
        for (int i = 0; i < 5; i++) {
            boxes.add(lab.tiny(Map.of("labels", Map.of("page", "yes", "n", "" + i))));
        }
        var ids = new HashSet<String>();
        String cursor = "";
        int pages = 0;
        while (cursor != null) {
            var page = lab.api().get("/v1/sandboxes?label=page%3Dyes&limit=2" + (cursor.isEmpty() ? "" : "&cursor=" + Api.encode(cursor))).expect(200).json();
            page.get("items").forEach(s -> ids.add(s.get("id").asString()));
            cursor = page.has("next") ? page.get("next").asString() : null;
            pages++;
        }
        assertThat(ids).hasSize(5);
        assertThat(pages).isEqualTo(3);
        assertThat(lab.api().get("/v1/sandboxes?label=n%3D3&label=page%3Dyes").json().get("items").size()).isEqualTo(1);
        boxes.forEach(Box::close);
    }

    @Test
    void badRequestsNameTheFieldAndMakeNothing(Lab lab) {
        int before = lab.api().get("/v1/sandboxes?limit=200").json().get("items").size();
        refused(lab, Map.of("template", "no-such"), "template");
        refused(lab, Map.of("template", "tiny", "limits", Map.of("memoryBytes", 1)), "memoryBytes");
        refused(lab, Map.of("template", "tiny", "limits", Map.of("cpu", 10_000)), "cpu");
        refused(lab, Map.of("template", "tiny", "limits", Map.of("pids", -1)), "pids");
        refused(lab, Map.of("template", "tiny", "isolation", "strong"), "isolation");
        refused(lab, Map.of("template", "tiny", "isolation", "microvm"), "isolation");
        refused(lab, Map.of("template", "tiny", "policy", "egress: {web: [{hosts: [a.example.com], secret: forge}]}"), "policy");
        refused(lab, Map.of("template", "tiny", "privileges", "root"), "privileges");
        refused(lab, Map.of("template", "tiny", "unknown", 1), "unknown");
        refused(lab, Map.of("template", "tiny", "name", "Not A Name!"), "name");
        refused(lab, Map.of("template", "tiny", "env", Map.of("A=B", "x")), "env");
        var malformed = lab.api().send(lab.api().request("/v1/sandboxes").header("Content-Type", "application/json")
                .POST(java.net.http.HttpRequest.BodyPublishers.ofString("{\"template\": ")).build());
        assertThat(malformed.status()).isEqualTo(400);
        assertThat(malformed.code()).isEqualTo("bad-request");
        assertThat(lab.api().get("/v1/sandboxes?limit=200").json().get("items").size()).isEqualTo(before);
    }

    private static void refused(Lab lab, Map<String, ?> body, String names) {
        var answer = lab.api().post("/v1/sandboxes", body);
        assertThat(answer.status()).as(body.toString()).isIn(400, 403, 404, 501);
        assertThat(answer.code()).isNotEmpty();
        assertThat(answer.text()).as(body.toString()).contains(names);
    }

    @Test
    void aClientThatClosesAsSoonAsItHasTheAnswerKeepsItsSandbox(Lab lab) throws Exception {
        for (int i = 0; i < 12; i++) {
            var id = createAndClose(lab.api());
            try (var box = new Box(lab.api(), lab.api().get("/v1/sandboxes/" + id).expect(200).json())) {
                Thread.sleep(50);
                assertThat(box.state()).isEqualTo("running");
            }
        }
    }

    private static String createAndClose(Api api) throws Exception {
        var body = "{\"template\":\"tiny\"}";
        try (var socket = new java.net.Socket(api.base().getHost(), api.base().getPort())) {
            socket.getOutputStream().write(("POST /v1/sandboxes HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + api.key()
                    + "\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: " + body.length() + "\r\n\r\n" + body).getBytes(UTF_8));
            var answer = new String(socket.getInputStream().readAllBytes(), UTF_8);
            return Api.JSON.readTree(answer.substring(answer.indexOf('{'))).get("id").asString();
        }
    }
}
