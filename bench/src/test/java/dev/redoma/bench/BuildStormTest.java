// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Builds of few names, on each other, on a snapshot and on an image, while what they stand on is deleted, they are cancelled and the server is
/// killed: each ends in a way that is told, and nothing stays.
@Tag("long")
@Timeout(600)
class BuildStormTest {
    private static final Set<String> ENDED = Set.of("ready", "failed", "cancelled");

    @Test
    void everyBuildEndsInAWayThatIsToldAndNothingStays() throws Exception {
        try (var registry = RegistryServer.start();
                var lab = Lab.start("storm", RigOptions.standard().with("WARM_SIZE", "0").with("BUILDS_AT_ONCE", "4").with("TIMES_SWEEP", "1s").with("TIMES_GRACE", "2s")
                        .withFile("default-registry: \"" + registry.host() + "\"\nregistries: [{host: \"" + registry.host() + "\", plain-http: true, allow-private: true}]\n"))) {
            registry.push("image", "latest", new TestImage().gzip(new LayerTar().dir("bin").file("bin/busybox", 0755, Files.readAllBytes(java.nio.file.Path.of("/bin/busybox")))
                    .symlink("bin/sh", "busybox")));
            var random = new Random(11);
            for (int round = 0; round < 3; round++) {
                storm(lab, random);
                lab.killServer();
                lab.startServer();
                ended(lab);
            }
            clear(lab);
        }
    }

    private static void storm(Lab lab, Random random) {
        try (var box = lab.tiny()) {
            box.sh("echo saved > /saved");
            lab.api().post(box.path("/snapshots"), Map.of("name", "saved", "tag", "latest"));
        }
        for (int i = 0; i < 24; i++) {
            var name = "storm" + random.nextInt(4);
            var from = List.of("tiny", "saved", "image", "storm" + random.nextInt(4)).get(random.nextInt(4));
            var begun = lab.api().post("/v1/templates/" + name + "/builds", Building.body("FROM " + from + "\nUSER 0\nRUN echo " + random.nextInt(3) + " > /f\nRUN echo same\n"));
            assertThat(begun.status()).as(begun.text()).isEqualTo(202);
            switch (random.nextInt(6)) {
                case 0 -> assertThat(lab.api().delete("/v1/templates/storm" + random.nextInt(4)).status()).isIn(204, 404, 409);
                case 1 -> assertThat(lab.api().delete("/v1/snapshots/saved").status()).isIn(204, 404);
                case 2 -> assertThat(lab.api().delete("/v1/builds/" + begun.json().get("id").asString()).status()).isEqualTo(200);
                default -> Rig.pause(random.nextInt(400));
            }
        }
    }

    private static void ended(Lab lab) {
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> lab.api().get("/v1/builds").expect(200).json().get("items").forEach(build -> {
            assertThat(build.get("state").asString()).isIn(ENDED);
            if (build.get("state").asString().equals("failed")) {
                assertThat(build.get("error").get("code").asString()).as(build.toString())
                        .isIn("build-interrupted", "image-not-found", "template-not-found", "template-not-ready", "recipe-refused");
            }
        }));
    }

    private static void clear(Lab lab) throws IOException {
        var api = lab.api();
        await().atMost(Duration.ofSeconds(60)).until(() -> api.get("/v1/sandboxes").expect(200).json().get("items").isEmpty());
        for (var name : List.of("storm0", "storm1", "storm2", "storm3")) {
            api.delete("/v1/templates/" + name);
        }
        api.get("/v1/snapshots").expect(200).json().get("items").forEach(s -> api.delete("/v1/snapshots/" + s.get("id").asString()).expect(204));
        var pool = lab.rig().place().pool();
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
            assertThat(pool.resolve("saved")).isEmptyDirectory();
            assertThat(pool.resolve("layers")).isDirectoryNotContaining("glob:**.new");
            assertThat(pool).isDirectoryNotContaining("glob:**.incoming*");
        });
        assertThat(lab.verifyLedger()).isEqualTo("ok");
        var kept = new ArrayList<String>();
        api.get("/v1/templates").expect(200).json().get("items").forEach(t -> kept.add(t.get("name").asString()));
        assertThat(kept).containsOnly("tiny");
        var build = Building.of(api, "after", "FROM tiny\nRUN echo ok > /ok\n");
        assertThat(build.get("state").asString()).as(build.toString()).isEqualTo("ready");
    }
}
