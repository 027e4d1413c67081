// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// What a template says about its sandboxes holds in each of them, and what it starts is started.
@Timeout(180)
@ExtendWith(LabExtension.class)
class StartCommandTest {
    private final Lab lab;

    StartCommandTest(Lab lab) {
        this.lab = lab;
    }

    @AfterEach
    void remove() {
        for (var name : List.of("starts", "starts-base")) {
            lab.api().delete("/v1/templates/" + name);
        }
    }

    private void build(String name, String form, String recipe) {
        var build = Building.of(lab.api(), name, recipe, "form", form);
        assertThat(build.get("state").asString()).as(() -> build + Building.log(lab.api(), build)).isEqualTo("ready");
    }

    private Box box() {
        return Box.create(lab.api(), Map.of("template", "starts"));
    }

    private static void holds(Box box) {
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(box.sh("cat /tmp/ep").text()).isEqualTo("1234 /srv/app 1 given\n"));
        assertThat(box.sh("id -u; pwd; echo $A").text()).isEqualTo("1234\n/srv/app\n1\n");
    }

    @Test
    void lc30_userDirectoryEnvironmentAndInheritedEntryPointHoldInEveryLifeOfASandbox() {
        build("starts-base", "dockerfile", """
                FROM tiny
                RUN printf '#!/bin/sh\\necho $(id -u) $(pwd) $A $1 >> /tmp/ep\\n' > /ep && chmod 755 /ep && chmod 1777 /tmp
                ENTRYPOINT ["/ep"]
                """);
        build("starts", "dockerfile", "FROM starts-base\nENV A=1\nWORKDIR /srv/app\nUSER 1234\nCMD [\"given\"]\n");
        for (int i = 0; i < 3; i++) { // from nothing and from the warm pool
            try (var box = box()) {
                holds(box);
                box.verb("pause");
                box.verb("resume");
                holds(box);
                box.sh("rm /tmp/ep");
                box.verb("stop");
                box.verb("start");
                holds(box);
                box.verb("reset");
                holds(box);
            }
        }
    }

    @Test
    void aSandboxIsHandedOutWhenItsStartCommandIsReady() {
        build("starts", "recipe", """
                from: tiny
                start:
                  command: sleep 1; touch /ready; exec sleep 1000
                  ready: {command: [test, -e, /ready], timeout: 30s}
                """);
        for (int i = 0; i < 2; i++) {
            try (var box = box()) {
                assertThat(box.sh("ls /ready; rm /ready").text()).isEqualTo("/ready\n");
                box.verb("stop");
                box.verb("start");
                assertThat(box.sh("ls /ready").text()).isEqualTo("/ready\n");
                box.verb("reset");
                assertThat(box.sh("ls /ready; ps | grep -c '[s]leep 1000'").text()).isEqualTo("/ready\n1\n");
            }
        }
    }

    @Test
    void aPortThatAnswersIsReadiness() {
        build("starts", "recipe", """
                from: tiny
                start:
                  command: [sh, -c, 'sleep 1; mkdir -p /www; exec httpd -f -p 8080 -h /www']
                  ready: {port: 8080}
                """);
        try (var box = box()) {
            assertThat(box.sh("wget -q -O - http://127.0.0.1:8080/none 2>&1").text()).contains("404");
        }
    }

    @Test
    void au07_aStartCommandThatDiesGivesItsCodeAndOutputAndNothingStays() {
        build("starts", "recipe", "from: tiny\nstart: {command: 'echo BOOM; exit 3', ready: {port: 8080, timeout: 30s}}\n");
        var answer = lab.api().post("/v1/sandboxes", Map.of("template", "starts"));
        assertThat(answer.status()).isEqualTo(422);
        assertThat(answer.code()).isEqualTo("start-failed");
        var details = answer.json().get("details");
        assertThat(details.get("exitCode").asInt()).isEqualTo(3);
        assertThat(details.get("output").get(0).asString()).isEqualTo("BOOM");
        var box = "/v1/sandboxes/" + details.get("sandbox").asString();
        assertThat(lab.api().get(box).expect(200).json().get("state").asString()).isEqualTo("ended");
        var exec = lab.api().get(box + "/execs/" + details.get("exec").asString()).expect(200).json();
        assertThat(exec.get("exitCode").asInt()).isEqualTo(3);
        var output = lab.api().send(lab.api().request(box + "/execs/" + details.get("exec").asString() + "/output?follow=false").header("Accept", "text/event-stream").GET().build());
        assertThat(output.expect(200).text()).contains(java.util.Base64.getEncoder().encodeToString("BOOM\n".getBytes(java.nio.charset.StandardCharsets.UTF_8)));
    }

    @Test
    void aStartCommandThatIsNeverReadyIsToldAfterItsTime() {
        build("starts", "recipe", "from: tiny\nstart: {command: 'echo waiting; exec sleep 1000', ready: {port: 8080, timeout: 700ms}}\n");
        var answer = lab.api().post("/v1/sandboxes", Map.of("template", "starts"));
        assertThat(answer.code()).isEqualTo("start-failed");
        assertThat(answer.json().get("details").get("output").get(0).asString()).isEqualTo("waiting");
        assertThat(answer.json().get("details").has("exitCode")).isFalse();
    }

    @Test
    void whatATemplateStartsDoesNotKeepASandboxFromBeingIdle() {
        build("starts", "recipe", "from: tiny\nstart: {command: [sleep, '1000']}\n");
        try (var box = Box.create(lab.api(), Map.of("template", "starts", "limits", Map.of("idleMs", 2000)))) {
            await().atMost(Duration.ofSeconds(40)).until(() -> "ended".equals(box.state()));
            assertThat(box.show().get("reason").get("kind").asString()).isEqualTo("idle");
        }
        assertThat(lab.tiny().tryStart(List.of("true"), "label", "redoma.start").status()).isEqualTo(400);
    }
}
