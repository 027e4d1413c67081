// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/// What a build may stand on, over the wire: templates, images of a registry on loopback, snapshots.
@Timeout(180)
class BuildBaseTest {
    private static RegistryServer registry;
    private static FakeRegistry fake;
    private static Lab lab;

    @BeforeAll
    static void start() {
        registry = RegistryServer.start();
        fake = new FakeRegistry();
        lab = Lab.start("bases", RigOptions.standard().with("WARM_SIZE", "0").withFile("""
                default-registry: "%1$s"
                registries:
                  - {host: "%1$s", plain-http: true, allow-private: true}
                  - {host: "%2$s", plain-http: true, allow-private: true}
                """.formatted(registry.host(), fake.host())));
    }

    @AfterAll
    static void stop() {
        lab.close();
        fake.close();
        registry.close();
    }

    private static TestImage image(String marker) throws IOException {
        var tar = new LayerTar().dir("bin").file("bin/busybox", 0755, Files.readAllBytes(Path.of("/bin/busybox")));
        for (var tool : List.of("sh", "cat", "id", "ls", "rm", "mkdir", "stat", "env", "grep")) {
            tar.symlink("bin/" + tool, "busybox");
        }
        tar.dir("etc").file("etc/passwd", "root:x:0:0:root:/:/bin/sh\napp:x:1234:1235:app:/srv/app:/bin/sh\n").file("etc/group", "app:x:1235:\n");
        return new TestImage().config("User", "app").config("Env", List.of("A=image", "PATH=/bin")).config("WorkingDir", "/srv/app").config("Labels", Map.of("maker", "tests"))
                .gzip(tar).zstd(new LayerTar().dir("data").file("data/marker", marker).file("data/old", "old"));
    }

    private static JsonNode build(String name, String recipe, Object... more) {
        return Building.of(lab.api(), name, recipe, more);
    }

    private static JsonNode ready(String name, String recipe, Object... more) {
        var build = build(name, recipe, more);
        assertThat(build.get("state").asString()).as(() -> build + "\n" + Building.log(lab.api(), build)).isEqualTo("ready");
        return build;
    }

    private static JsonNode failed(String name, String recipe) {
        var build = build(name, recipe);
        assertThat(build.get("state").asString()).as(build.toString()).isEqualTo("failed");
        assertThat(lab.api().get("/v1/templates/" + name).status()).isEqualTo(404);
        return build.get("error");
    }

    private static Box box(String template) {
        return Box.create(lab.api(), Map.of("template", template));
    }

    private static List<String> layers(String template) {
        return lab.api().get("/v1/templates/" + template).expect(200).json().get("layers").valueStream().map(l -> l.get("digest").asString()).toList();
    }

    @Test
    void fromAnImagePullsItAndBuildsOnIt() throws IOException {
        var digest = registry.push("team/app", "1.0", image("one"));
        var recipe = "ARG V=1.0\nFROM team/app:$V\nRUN id -un > /tmp/who; rm /data/old 2>&1; pwd >> /tmp/who; echo $A >> /tmp/who\nUSER root\nRUN rm /data/old\nENV B=mine\n";
        var build = ready("on-image", recipe);
        assertThat(Building.log(lab.api(), build)).contains("pulling the image").contains(digest).contains("layer 1 of 2");
        try (var box = box("on-image")) {
            assertThat(box.sh("cat /tmp/who /data/marker; ls /data; pwd; echo $A $B").text()).isEqualTo("app\n/srv/app\nimage\none" + "marker\n/srv/app\nimage mine\n");
        }
        var again = ready("on-image", recipe);
        assertThat(again.get("digest")).isEqualTo(build.get("digest"));
        assertThat(again.get("cached").asInt()).isEqualTo(2);
        assertThat(Building.log(lab.api(), again)).contains("layer 2 of 2 is there");
        var byDigest = ready("by-digest", recipe.replace("team/app:$V", registry.host() + "/team/app@" + digest));
        assertThat(byDigest.get("cached").asInt()).as("the same layers, however they were named").isEqualTo(2);
        registry.push("team/app", "1.0", image("two"));
        var moved = ready("on-image", recipe);
        assertThat(moved.get("digest")).isNotEqualTo(build.get("digest"));
        var from = lab.api().get("/v1/audit?newest=200").expect(200).json().get("items").valueStream()
                .filter(r -> r.get("action").asString().equals("build.from") && r.get("fields").get("build").equals(build.get("id"))).findFirst().orElseThrow();
        assertThat(from.get("fields").get("imageDigest").asString()).isEqualTo(digest);
        assertThat(from.get("fields").get("registry").asString()).isEqualTo(registry.host());
    }

    @Test
    void aTemplateGoesBeforeAnImageOfItsNameAndAPulledOneIsBuiltOn() throws IOException {
        registry.push("both", "latest", image("registry"));
        Building.ended(lab.api(), lab.api().post("/v1/templates/both/builds", Map.of("image", "both")).expect(202).json());
        var digest = lab.api().get("/v1/templates/both").expect(200).json().get("digest").asString();
        registry.push("both", "latest", image("newer"));
        var build = ready("on-pulled", "FROM both\nUSER root\nRUN cat /data/marker > /m\n");
        assertThat(Building.log(lab.api(), build)).contains("both " + digest).doesNotContain("pulling");
        try (var box = box("on-pulled")) {
            assertThat(box.sh("cat /m").text()).isEqualTo("registry");
        }
        ready("on-version", "from: both@" + digest + "\nuser: root\nsteps: [{run: 'cat /data/marker > /m'}]\n", "form", "recipe");
    }

    @Test
    void whatCannotBePulledIsToldAndLeavesNothing() throws IOException {
        registry.push("there", "v1", image("there"));
        assertThat(failed("none", "FROM there:v2\nRUN true\n").get("code").asString()).isEqualTo("image-not-found");
        var refused = failed("none", "FROM localhost:1/x\n");
        assertThat(refused.get("code").asString()).isEqualTo("address-refused");
        assertThat(refused.get("details").get("line").asInt()).isEqualTo(1);
        assertThat(refused.get("detail").asString()).contains("Step 1 of 1");
        assertThat(failed("none", "FROM Not:A:Reference\n").get("code").asString()).isEqualTo("recipe-refused");
        for (var ours : List.of("sha256:" + "0".repeat(64), "sn" + "0".repeat(18))) {
            assertThat(failed("none", "FROM " + ours + "\n").get("detail").asString()).as("never asked of a registry").contains("there is no version");
        }
        assertThat(failed("none", "FROM scratch\n").get("detail").asString()).contains("scratch");
        var evil = new TestImage().plain(new LayerTar().file("../evil", "x"));
        registry.push("evil", "latest", evil);
        assertThat(failed("none", "FROM evil\n").get("code").asString()).isEqualTo("archive-refused");
        assertThat(lab.rig().place().pool().resolve("layers")).isDirectoryNotContaining("glob:**.new");
    }

    @Test
    void aPullOfABaseIsCancelledAtOnce() throws Exception {
        var image = image("slow");
        var stored = image.layers().getLast().stored();
        var begun = new Semaphore(0);
        var end = new Semaphore(0);
        fake.serve("slow", "v1", image).on("/v2/slow/blobs/" + TestImage.digest(stored), e -> {
            e.sendResponseHeaders(200, stored.length);
            e.getResponseBody().write(stored, 0, stored.length / 2);
            e.getResponseBody().flush();
            begun.release();
            try {
                end.tryAcquire(60, TimeUnit.SECONDS);
            } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
            }
        });
        var id = lab.api().post("/v1/templates/slow/builds", Building.body("FROM " + fake.host() + "/slow:v1\nRUN true\n")).expect(202).json().get("id").asString();
        assertThat(begun.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
        assertThat(lab.api().delete("/v1/builds/" + id).expect(200).json().get("state").asString()).isEqualTo("cancelled");
        end.release();
        assertThat(lab.rig().place().pool().resolve("layers")).isDirectoryNotContaining("glob:**.new");
    }

    @Test
    void fromASnapshotBuildsOnItsDiskAndOutlivesIt() throws IOException {
        var store = lab.rig().place().pool().resolve("layers");
        ready("ground", "FROM tiny\nRUN mkdir /d && echo below > /d/below && echo gone > /d/gone\n");
        try (var box = box("ground")) {
            box.sh("rm /d/gone; echo above > /d/above; chown 1234:77 /d/above; ln /d/above /d/same; mkdir /o; echo app:x:1234:77::/:/bin/sh >> /etc/passwd");
            lab.api().post(box.path("/snapshots"), Map.of("name", "state")).expect(201);
        }
        var recipe = "FROM state\nRUN echo built > /d/built\nUSER app\n";
        var build = ready("on-snapshot", recipe);
        assertThat(ready("on-snapshot", recipe).get("digest")).isEqualTo(build.get("digest"));
        try (var first = box("state")) {
            first.sh("echo second > /second");
            lab.api().post(first.path("/snapshots"), Map.of("name", "second")).expect(201);
        }
        ready("on-second", "FROM second\nRUN cat /second /d/above > /both\n");
        lab.api().delete("/v1/snapshots/second").expect(204);
        lab.api().delete("/v1/snapshots/state").expect(204);
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(lab.rig().place().pool().resolve("saved")).isEmptyDirectory());
        for (int i = 0; i < 2; i++) {
            try (var box = box("on-snapshot")) {
                assertThat(box.sh("ls /d; cat /d/*; stat -c '%u %g %h' /d/above; id -u").text())
                        .isEqualTo("above\nbelow\nbuilt\nsame\nabove\nbelow\nbuilt\nabove\n1234 77 2\n1234\n");
            }
        }
        try (var box = box("on-second")) {
            assertThat(box.sh("cat /both").text()).isEqualTo("second\nabove\n");
        }
        var top = layers("on-snapshot").getFirst();
        for (var name : List.of("on-second", "on-snapshot", "ground")) {
            lab.api().delete("/v1/templates/" + name).expect(204);
        }
        assertThat(store.resolve(top.substring(7))).doesNotExist();
    }

    /// Nothing was changed in either: one layer, which overlayfs would not take twice.
    @Test
    void snapshotsThatAreAlikeAreOneLayer() {
        try (var box = box("tiny")) {
            lab.api().post(box.path("/snapshots"), Map.of("name", "alike-1")).expect(201);
        }
        try (var box = box("alike-1")) {
            lab.api().post(box.path("/snapshots"), Map.of("name", "alike-2")).expect(201);
        }
        ready("on-alike", "FROM alike-2\nRUN echo built > /built\n");
        assertThat(layers("on-alike")).doesNotHaveDuplicates();
        try (var box = box("on-alike")) {
            assertThat(box.sh("cat /built").text()).isEqualTo("built\n");
        }
        for (var name : List.of("alike-2", "alike-1")) {
            lab.api().delete("/v1/snapshots/" + name).expect(204);
        }
    }

    @Test
    void anothersSnapshotIsNoBase() {
        var bob = lab.tenant("bob");
        try (var box = Box.create(bob, Map.of("template", "tiny"))) {
            bob.post(box.path("/snapshots"), Map.of("name", "bobs")).expect(201);
            var error = failed("none", "FROM bobs\n");
            assertThat(error.get("code").asString()).isEqualTo("image-not-found");
            bob.delete("/v1/snapshots/bobs").expect(204);
        }
    }

    @Test
    void stepsThatChangeNothingAreNoLayersTwice() {
        ready("idle", "FROM tiny\nRUN true\nRUN echo x\nRUN true; true\nRUN echo y > /y\nRUN echo z\n");
        assertThat(layers("idle")).doesNotHaveDuplicates();
        try (var box = box("idle")) {
            assertThat(box.sh("cat /y").text()).isEqualTo("y\n");
        }
    }

    @Test
    void aBaseThatThePoolHasNoRoomForIsToldAndLeavesTheRoomThatThereWas() {
        var random = new java.util.Random(3);
        var big = new TestImage();
        for (int i = 0; i < 6; i++) {
            var content = new byte[48 << 20];
            random.nextBytes(content);
            big.plain(new LayerTar().file("big" + i, 0644, content));
        }
        registry.push("big", "latest", big);
        try (var small = Lab.start("small-pool", RigOptions.standard().with("WARM_SIZE", "0").with("POOL_SIZE", "256MiB").with("RESERVE_DISK", "1MiB")
                .withFile("registries: [{host: \"" + registry.host() + "\", plain-http: true, allow-private: true}]\n"))) {
            for (int i = 0; i < 2; i++) {
                var build = Building.of(small.api(), "big", "FROM " + registry.host() + "/big\nRUN true\n");
                assertThat(build.get("state").asString()).isEqualTo("failed");
                assertThat(build.get("error").get("code").asString()).as(build.toString()).isIn("no-capacity", "archive-refused");
                assertThat(build.get("error").get("detail").asString()).containsAnyOf("room", "full");
            }
            assertThat(small.rig().place().pool().resolve("layers")).isDirectoryNotContaining("glob:**.new");
            assertThat(small.rig().place().pool()).isDirectoryNotContaining("glob:**.incoming*");
            var after = Building.of(small.api(), "small", "FROM tiny\nRUN head -c 20000000 /dev/zero > /zeros\n");
            assertThat(after.get("state").asString()).as(after.toString()).isEqualTo("ready");
        }
    }

    /// A template that is deleted while something is built on it: the build has its layers, and the name is free.
    @Test
    void aBaseThatIsDeletedMeanwhileIsStillBuiltOn() {
        ready("brief", "FROM tiny\nRUN echo brief > /brief\n");
        var begun = lab.api().post("/v1/templates/on-brief/builds", Building.body("FROM brief\nRUN while [ ! -e /go ] && [ $((i=i+1)) -lt 40 ]; do sleep 0.1; done; cat /brief\n", "noCache", true))
                .expect(202).json();
        var path = "/v1/builds/" + begun.get("id").asString();
        await().atMost(Duration.ofSeconds(60)).until(() -> lab.api().get(path).expect(200).json().get("step").asInt() == 2);
        await().atMost(Duration.ofSeconds(60)).until(() -> lab.api().delete("/v1/templates/brief").status() != 409);
        assertThat(lab.api().get("/v1/templates/brief").status()).isEqualTo(404);
        var ended = Building.ended(lab.api(), begun);
        assertThat(ended.get("state").asString()).as(ended.toString()).isEqualTo("ready");
        try (var box = box("on-brief")) {
            assertThat(box.sh("cat /brief").text()).isEqualTo("brief\n");
        }
    }
}
