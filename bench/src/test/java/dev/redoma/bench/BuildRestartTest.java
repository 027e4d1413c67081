// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Builds and what templates start, over kills of the server. Each test has an installation of its own.
@Timeout(180)
class BuildRestartTest {
    private Lab lab;

    @BeforeEach
    void install() {
        lab = Lab.start("build-restart");
    }

    @AfterEach
    void uninstall() {
        lab.close();
    }

    @Test
    void aBuildThatTheServersEndBreaksOffIsFailedAndLeavesNothing() {
        var recipe = "FROM tiny\nRUN echo first > /first\nRUN sleep 1000\n";
        var begun = lab.api().post("/v1/templates/broken/builds", Building.body(recipe)).expect(202).json();
        var waiting = lab.api().post("/v1/templates/broken/builds", Building.body("FROM tiny\n")).expect(202).json();
        var path = "/v1/builds/" + begun.get("id").asString();
        await().atMost(Duration.ofSeconds(30)).until(() -> lab.api().get(path).expect(200).json().get("step").asInt() == 3);
        lab.killServer();
        lab.startServer();
        var api = lab.api();
        for (var build : java.util.List.of(begun, waiting)) {
            var now = api.get("/v1/builds/" + build.get("id").asString()).expect(200).json();
            assertThat(now.get("state").asString()).isEqualTo("failed");
            assertThat(now.get("error").get("code").asString()).isEqualTo("build-interrupted");
        }
        assertThat(Building.log(api, begun)).startsWith("step 1/3 FROM tiny\n");
        assertThat(api.get("/v1/templates/broken").status()).isEqualTo(404);
        await().atMost(Duration.ofSeconds(30)).until(() -> api.get("/v1/sandboxes").expect(200).json().get("items").isEmpty());
        var again = Building.of(api, "broken", "FROM tiny\nRUN echo first > /first\nRUN true\n");
        assertThat(again.get("state").asString()).as(again.toString()).isEqualTo("ready");
        assertThat(again.get("cached").asInt()).isEqualTo(1);
        assertThat(lab.verifyLedger()).isEqualTo("ok");
    }

    @Test
    void aGracefulStopEndsBuildsToo() {
        var begun = lab.api().post("/v1/templates/broken/builds", Building.body("FROM tiny\nRUN sleep 1000\n")).expect(202).json();
        var path = "/v1/builds/" + begun.get("id").asString();
        await().atMost(Duration.ofSeconds(30)).until(() -> lab.api().get(path).expect(200).json().get("step").asInt() == 2);
        lab.stopServer();
        lab.startServer();
        var now = lab.api().get(path).expect(200).json();
        assertThat(now.get("state").asString()).isEqualTo("failed");
        assertThat(now.get("error").get("code").asString()).isEqualTo("build-interrupted");
        await().atMost(Duration.ofSeconds(30)).until(() -> lab.api().get("/v1/sandboxes").expect(200).json().get("items").isEmpty());
    }

    @Test
    void lc31_aTemplateHasItsFilesAfterARestartAndItsStartCommandGoesOnOrRunsAgain() {
        var build = Building.of(lab.api(), "lasts", """
                from: tiny
                steps: [run: echo 42 > /marker]
                start: {command: 'echo x >> /starts; touch /tmp/ready; exec sleep 1000', ready: {command: [test, -e, /tmp/ready]}}
                """, "form", "recipe");
        assertThat(build.get("state").asString()).as(build.toString()).isEqualTo("ready");
        var box = Box.create(lab.api(), Map.of("template", "lasts"));
        lab.killServer();
        lab.startServer();
        var after = box.as(lab.api());
        assertThat(after.sh("cat /marker /starts; ps | grep -c '[s]leep 1000'").text()).isEqualTo("42\nx\n1\n");
        try (var other = Box.create(lab.api(), Map.of("template", "lasts"))) {
            assertThat(other.sh("cat /marker /starts").text()).isEqualTo("42\nx\n");
        }
        lab.reboot();
        var rebooted = box.as(lab.api());
        rebooted.verb("start");
        // Ready at once, by the file of the first life: the command itself may take a moment more.
        await().atMost(Duration.ofSeconds(30)).untilAsserted(
                () -> assertThat(rebooted.sh("cat /marker /starts; ps | grep -c '[s]leep 1000'").text()).isEqualTo("42\nx\nx\n1\n"));
        rebooted.close();
    }
}
