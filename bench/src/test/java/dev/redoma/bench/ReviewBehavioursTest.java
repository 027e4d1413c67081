// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/// What a sandbox changed, over the wire: while it lives, however it ended, and after the server was killed.
@Timeout(180)
class ReviewBehavioursTest {
    private static Lab lab;

    @BeforeAll
    static void install() {
        lab = Lab.start("review");
    }

    @AfterAll
    static void uninstall() {
        lab.close();
    }

    private static List<String> entries(JsonNode set) {
        return set.get("items").valueStream().map(c -> c.get("kind").asString() + " " + c.get("path").asString()).toList();
    }

    private static JsonNode changes(Box box, String scope) {
        return lab.api().get(box.path("/changes?scope=" + scope)).expect(200).json();
    }

    private static List<JsonNode> records(Box box, String action) {
        return lab.api().get("/v1/audit?sandbox=" + box.id() + "&limit=200").expect(200).json().get("items").valueStream().filter(r -> r.get("action").asString().equals(action)).toList();
    }

    @Test
    void aSandboxThatDidNothingChangedNothingWhateverTheEngineMountsInIt() {
        lab.api().post("/v1/volumes", Map.of("name", "mounted", "sizeBytes", 16 << 20)).expect(201);
        try (var box = lab.tiny(Map.of("name", "quiet", "volumes", List.of(Map.of("name", "mounted", "path", "/srv/deep/volume"))))) {
            box.run(List.of("true"));
            assertThat(entries(changes(box, "template"))).isEmpty();
            box.verb("stop");
            assertThat(entries(changes(box, "template"))).isEmpty();
        }
        lab.api().delete("/v1/volumes/mounted").expect(204);
    }

    @Test
    void theChangeSetOfAWorkspaceIsToldFromItsStartWithDigestsFlagsAndText() {
        var box = lab.tiny();
        box.sh("mkdir -p /srv/w/.git/hooks; cd /srv/w; echo one > a; echo two > b; echo three > c");
        assertThat(lab.api().post(box.path("/workspace/start"), Map.of("path", "/srv/w/")).expect(201).json().get("path").asString()).isEqualTo("/srv/w");
        assertThat(lab.api().post(box.path("/workspace/start"), Map.of("path", "/srv")).code()).as("kept once").isEqualTo("wrong-state");
        assertThat(entries(changes(box, "workspace"))).isEmpty();
        box.sh("cd /srv/w; echo more >> a; rm b; mv c d; ln -s /etc/shadow out; mkfifo p; echo x > .git/hooks/post-checkout; chmod 4755 d; echo elsewhere > /srv/other");
        var set = changes(box, "workspace");
        assertThat(entries(set)).containsExactlyInAnyOrder("changed a", "deleted b", "renamed d", "added out", "added p", "added .git/hooks/post-checkout");
        assertThat(set.get("flags").propertyNames()).containsExactlyInAnyOrder("git-hook", "link-leaves-tree", "set-uid", "special-file");
        assertThat(set.get("complete").asBoolean()).isTrue();
        assertThat(set.get("counts").get("added").asInt()).isEqualTo(3);
        var patches = lab.api().get(box.path("/changes/patches")).expect(200).json().get("items").valueStream().filter(p -> p.get("path").asString().equals("a")).toList();
        assertThat(patches.getFirst().get("patch").asString()).isEqualTo("--- a/a\n+++ b/a\n@@ -1,1 +1,2 @@\n one\n+more\n");
        var tar = new String(lab.api().get(box.path("/changes/archive")).expect(200).bytes(), UTF_8);
        assertThat(tar).contains("more").contains("post-checkout").doesNotContain("elsewhere");
        assertThat(entries(changes(box, "template"))).contains("added /srv/other", "added /srv/w/a");
        assertThat(lab.api().get(box.path("/changes?scope=other")).code()).isEqualTo("invalid-field");
        box.close();
        var after = changes(box, "workspace");
        assertThat(after.get("digest").asString()).isEqualTo(set.get("digest").asString());
        assertThat(after.get("ended").asBoolean()).isTrue();
        assertThat(new String(lab.api().get(box.path("/changes/archive")).expect(200).bytes(), UTF_8)).contains("more");
        assertThat(lab.api().get(box.path("/changes/patches")).expect(200).json().get("items").size()).isGreaterThan(0);
        var recorded = records(box, "changes");
        assertThat(recorded).extracting(r -> r.get("category").asString() + " " + r.get("fields").get("scope").asString()).containsExactlyInAnyOrder("file template", "file workspace");
        assertThat(recorded.toString()).contains(set.get("digest").asString()).contains("git-hook");
    }

    @Test
    void howeverItEndedItsChangesAreThereAndAServerThatIsKilledMeanwhileReadsThemWhenItIsBack() {
        var killed = lab.tiny();
        var crashed = lab.tiny();
        var timed = lab.tiny();
        var oom = lab.tiny(Map.of("limits", Map.of("memoryBytes", 48L << 20)));
        var alive = lab.tiny();
        var all = new ArrayList<>(List.of(killed, crashed, timed, oom, alive));
        all.forEach(b -> b.sh("mkdir -p /srv; echo " + b.id() + " > /srv/result"));
        lab.api().post(timed.path("/lifetime"), Map.of("lifetimeMs", 1000)).expect(200);
        oom.sh("tail /dev/zero");
        lab.killInit(crashed);
        killed.close();
        oom.close();
        lab.killServer();
        lab.startServer();
        for (var was : all) {
            var box = was.as(lab.api());
            if (was == timed) {
                org.awaitility.Awaitility.await().atMost(java.time.Duration.ofSeconds(30)).until(() -> box.state().equals("ended"));
            }
            assertThat(entries(changes(box, "template"))).as("%s: %s", box.id(), box.show().get("reason")).contains("added /srv/result");
            assertThat(new String(lab.api().get(box.path("/changes/archive")).expect(200).bytes(), UTF_8)).contains(box.id() + "\n");
            if (box.state().equals("ended")) {
                assertThat(records(box, "changes")).hasSize(1);
            }
        }
        alive.as(lab.api()).close();
        assertThat(lab.verifyLedger()).isEqualTo("ok");
    }
}
