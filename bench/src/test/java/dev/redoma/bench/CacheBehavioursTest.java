// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// Caches over the wire: private copies, off unless asked for, and nothing comes back but by an operator's word.
@ExtendWith(LabExtension.class)
@Timeout(120)
class CacheBehavioursTest {
    private static final String PIP = "/var/cache/redoma/pip";
    private final Lab lab;

    CacheBehavioursTest(Lab lab) {
        this.lab = lab;
    }

    private Box box(String... caches) {
        return lab.tiny(Map.of("caches", List.of(caches)));
    }

    @Test
    void whatASandboxPutsIntoItsCopyIsItsOwnUntilItIsPromoted() {
        try (var first = box("pip", "npm"); var beside = box("pip")) {
            assertThat(first.sh("echo $PIP_CACHE_DIR $npm_config_cache; echo wheel > $PIP_CACHE_DIR/w && cat " + PIP + "/w").text())
                    .isEqualTo(PIP + " /var/cache/redoma/npm\nwheel\n");
            assertThat(first.show().get("volumes").get(0).get("cache").asString()).isEqualTo("pip");
            assertThat(beside.sh("ls -A " + PIP).text()).as("never shared live").isEmpty();
            try (var before = box("pip")) {
                assertThat(before.sh("ls -A " + PIP).text()).as("nothing comes back by itself").isEmpty();
            }
            var promoted = lab.api().post(first.path("/caches/pip/promote"), Map.of()).expect(201).json();
            assertThat(promoted.get("template").asString()).isEqualTo("tiny");
            try (var after = box("pip"); var also = box("pip")) {
                assertThat(after.sh("cat " + PIP + "/w; echo changed > " + PIP + "/w").text()).isEqualTo("wheel\n");
                assertThat(also.sh("cat " + PIP + "/w").text()).as("each has its own").isEqualTo("wheel\n");
            }
            try (var none = lab.tiny()) {
                assertThat(none.sh("echo [$PIP_CACHE_DIR]; ls " + PIP + " 2>&1 | grep -c 'No such'").text()).as("off by default").isEqualTo("[]\n1\n");
            }
            first.sh("echo second > " + PIP + "/w");
            lab.api().post(first.path("/caches/pip/promote"), Map.of()).expect(201);
            assertThat(lab.api().get("/v1/caches").expect(200).json().get("items").size()).isEqualTo(1);
        }
        try (var again = box("pip")) {
            assertThat(again.sh("cat " + PIP + "/w").text()).as("outlives the sandbox that it came from").isEqualTo("second\n");
            again.verb("stop");
            again.verb("start");
            assertThat(again.sh("cat " + PIP + "/w").text()).isEqualTo("second\n");
        }
        assertThat(lab.api().delete("/v1/caches?template=tiny&name=pip").expect(200).json().get("cleared").asInt()).isEqualTo(1);
        try (var empty = box("pip")) {
            assertThat(empty.sh("ls -A " + PIP).text()).isEmpty();
        }
    }

    @Test
    void onlyOperatorsPromoteAndTenantsHaveTheirOwn() {
        var bob = lab.tenant("cachebob");
        try (var mine = box("pip"); var his = Box.create(bob, Map.of("template", "tiny", "caches", List.of("pip")))) {
            assertThat(bob.post(his.path("/caches/pip/promote"), Map.of()).status()).isEqualTo(403);
            mine.sh("echo mine > " + PIP + "/w");
            lab.api().post(mine.path("/caches/pip/promote"), Map.of()).expect(201);
            assertThat(lab.api().post(mine.path("/caches/npm/promote"), Map.of()).code()).isEqualTo("volume-not-found");
            assertThat(bob.get("/v1/caches").expect(200).json().get("items").size()).isZero();
            try (var next = Box.create(bob, Map.of("template", "tiny", "caches", List.of("pip")))) {
                assertThat(next.sh("ls -A " + PIP).text()).isEmpty();
            }
            assertThat(bob.delete("/v1/caches").expect(200).json().get("cleared").asInt()).isZero();
        }
        assertThat(lab.api().delete("/v1/caches").expect(200).json().get("cleared").asInt()).isEqualTo(1);
    }

    @Test
    void unknownCachesAndPlacesThatAreTakenAreRefusedByField() {
        var answer = lab.api().post("/v1/sandboxes", Map.of("template", "tiny", "caches", List.of("pip", "nonsense")));
        assertThat(answer.json().get("details").get("field").asString()).isEqualTo("caches[1]");
        lab.api().post("/v1/volumes", Map.of("name", "cache-place", "sizeBytes", 1 << 24)).expect(201);
        var taken = lab.api().post("/v1/sandboxes", Map.of("template", "tiny", "caches", List.of("pip"), "volumes", List.of(Map.of("name", "cache-place", "path", "/var/cache"))));
        assertThat(taken.json().get("details").get("field").asString()).isEqualTo("volumes[0].path");
        lab.api().delete("/v1/volumes/cache-place").expect(204);
    }

    @Test
    void theCommandLineDoesAllOfIt() throws Exception {
        var redoma = Redoma.of(lab);
        var id = redoma.call("create", "--template", "tiny", "--cache", "uv").text().strip();
        assertThat(redoma.call("exec", id, "--", "sh", "-c", "echo x > $UV_CACHE_DIR/x").code()).isZero();
        assertThat(redoma.call("cache", "promote", id, "uv").code()).isZero();
        assertThat(redoma.call("cache", "list").text()).contains("uv").contains("tiny").contains("USED").contains("QUOTA");
        assertThat(redoma.call("run", "-q", "--template", "tiny", "--cache", "uv", "--", "sh", "-c", "ls $UV_CACHE_DIR").text()).isEqualTo("x\n");
        assertThat(redoma.call("cache", "clear", "--name", "uv").text()).contains("1");
        redoma.call("kill", id);
    }
}
