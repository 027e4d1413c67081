// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;

/// Templates built from recipes, over the wire.
@Timeout(180)
@ExtendWith(LabExtension.class)
class BuildBehavioursTest {
    private final Lab lab;
    private final List<String> names = new ArrayList<>();

    BuildBehavioursTest(Lab lab) {
        this.lab = lab;
    }

    @AfterEach
    void remove() {
        names.forEach(name -> lab.api().delete("/v1/templates/" + name));
    }

    /// Builds from the text alone and waits for the end.
    private JsonNode build(String name, String recipe, Object... more) {
        names.add(name);
        return Building.of(lab.api(), name, recipe, more);
    }

    private Box box(String template) {
        return Box.create(lab.api(), Map.of("template", template));
    }

    private JsonNode ready(String name, String recipe, Object... more) {
        var build = build(name, recipe, more);
        assertThat(build.get("state").asString()).as(() -> build + "\n" + Building.log(lab.api(), build)).isEqualTo("ready");
        return build;
    }

    @Test
    void lc31_aStepsFilesAreThereInEverySandboxOfTheTemplate() {
        var build = ready("marked", """
                FROM tiny
                RUN echo 'app:x:1234:1234::/home/app:/bin/sh' >> /etc/passwd && echo 42 > /marker && chown app /marker && chmod 4755 /marker
                RUN rm /etc/hostname-of-template && mkdir /d && ln /marker /d/same && ln -s marker /l
                """);
        for (int i = 0; i < 3; i++) {
            try (var box = box("marked")) {
                assertThat(box.sh("cat /l; stat -c '%U %a %h' /marker; ls /etc/hostname-of-template 2>&1; ls /d /run").text())
                        .isEqualTo("42\napp 4755 2\nls: /etc/hostname-of-template: No such file or directory\n/d:\nsame\n\n/run:\nredoma\n");
                assertThat(box.created().get("template").get("digest")).isEqualTo(build.get("digest"));
            }
        }
    }

    @Test
    void lc31_aFailingStepSaysWhichHowAndWhatItPrintedLastAndTheNameStays() {
        var good = ready("kept", "FROM tiny\nRUN echo good > /v\n");
        var bad = build("kept", "FROM tiny\nRUN echo bad > /v\nRUN i=0; while [ $i -lt 30 ]; do echo line $i; i=$((i+1)); done; exit 7\n");
        assertThat(bad.get("state").asString()).isEqualTo("failed");
        var error = bad.get("error");
        assertThat(error.get("code").asString()).isEqualTo("step-failed");
        var details = error.get("details");
        assertThat(details.get("step").asInt()).isEqualTo(3);
        assertThat(details.get("exitCode").asInt()).isEqualTo(7);
        assertThat(details.get("network").asString()).isEqualTo("none");
        assertThat(error.get("remedy").asString()).contains("no network (policy none)");
        assertThat(details.get("command").asString()).startsWith("/bin/sh -c i=0; while");
        var lines = new ArrayList<String>();
        details.get("output").forEach(l -> lines.add(l.asString()));
        assertThat(lines).hasSize(20).first().isEqualTo("line 10");
        assertThat(lines).last().isEqualTo("line 29");
        assertThat(Building.log(lab.api(), bad)).contains("line 0\nline 1\n");
        try (var box = box("kept")) {
            assertThat(box.sh("cat /v").text()).isEqualTo("good\n");
            assertThat(box.created().get("template").get("digest")).isEqualTo(good.get("digest"));
        }
    }

    @Test
    void sameInputsAreTakenFromBeforeAndOthersAreNot() {
        var recipe = "FROM tiny\nARG A=1\nRUN echo $A > /a; head -c 16 /dev/urandom | od -x > /r\nRUN cat /r > /s\n";
        assertThat(ready("cached", recipe).get("cached").asInt()).isZero();
        var again = ready("cached", recipe);
        assertThat(again.get("cached").asInt()).isEqualTo(2);
        assertThat(ready("cached", recipe, "args", Map.of("A", "2")).get("cached").asInt()).isZero();
        assertThat(ready("cached", recipe, "noCache", true).get("cached").asInt()).isZero();
        assertThat(ready("cached", recipe).get("digest")).isNotEqualTo(again.get("digest"));
    }

    @Test
    void anArgumentThatTheRecipeDoesNotDeclareChangesNothingAndIsNamed() {
        var recipe = "FROM tiny\nARG A=1\nRUN head -c 16 /dev/urandom > /r\n";
        var first = ready("undeclared", recipe);
        var again = ready("undeclared", recipe, "args", Map.of("NOBODY", "2"));
        assertThat(again.get("cached").asInt()).isEqualTo(1);
        assertThat(again.get("digest")).isEqualTo(first.get("digest"));
        assertThat(Building.log(lab.api(), again)).contains("note: the argument NOBODY is declared nowhere in the recipe");
    }

    @Test
    void whatCannotBeBuiltIsRefusedBeforeAnythingBegins() {
        for (var recipe : List.of("RUN true\n", "FROM tiny\nVOLUME /x\n", "FROM tiny\nFROM tiny\n", "FROM tiny\nRUN --mount=type=cache x\n", "FROM tiny\nRUN a\0b\n", "")) {
            var answer = lab.api().post("/v1/templates/refused/builds", Building.body(recipe));
            assertThat(answer.status()).as(recipe).isEqualTo(422);
            assertThat(answer.code()).isEqualTo("recipe-refused");
        }
        assertThat(lab.api().get("/v1/templates/refused").status()).isEqualTo(404);
        assertThat(lab.tenant("builder").post("/v1/templates/refused/builds", Building.body("FROM tiny\n")).status()).isEqualTo(403);
    }

    @Test
    void aCancelledBuildEndsAtOnceAndLeavesNothing() {
        var begun = lab.api().post("/v1/templates/gone/builds", Building.body("FROM tiny\nRUN sleep 1000\n")).expect(202).json();
        var path = "/v1/builds/" + begun.get("id").asString();
        Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> lab.api().get(path).expect(200).json().get("step").asInt() == 2);
        assertThat(lab.api().delete(path).expect(200).json().get("state").asString()).isEqualTo("cancelled");
        assertThat(lab.api().get("/v1/templates/gone").status()).isEqualTo(404);
        assertThat(lab.api().get("/v1/sandboxes?label=redoma-build=" + begun.get("id").asString()).expect(200).json().get("items")).isEmpty();
        assertThat(lab.api().delete(path).expect(200).json().get("state").asString()).isEqualTo("cancelled");
    }
}
