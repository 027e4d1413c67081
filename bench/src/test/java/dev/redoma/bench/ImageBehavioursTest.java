// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/// Templates made of images, over the wire; the images are made here and served by the distribution's registry server.
@Timeout(180)
class ImageBehavioursTest {
    private static RegistryServer registry;
    private static FakeRegistry fake;
    private static Lab lab;

    @BeforeAll
    static void start() {
        registry = RegistryServer.start();
        fake = new FakeRegistry();
        lab = Lab.start("images", RigOptions.standard().with("WARM_SIZE", "0").withFile("""
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

    private static byte[] busybox() throws IOException {
        return Files.readAllBytes(Path.of("/bin/busybox"));
    }

    /// A shell and no more in one layer, what is ours in the second; with another marker its layers are others.
    private static TestImage service(String marker) throws IOException {
        return new TestImage().config("User", "1234").config("Env", List.of("A=1", "PATH=/bin")).config("WorkingDir", "/srv/app")
                .config("Entrypoint", List.of("/bin/sh", "-c")).config("Cmd", List.of("touch /tmp/ep")).config("ExposedPorts", Map.of("8080/tcp", Map.of()))
                .config("Labels", Map.of("maker", "tests")).config("StopSignal", "SIGQUIT")
                .gzip(new LayerTar().dir("bin").file("bin/busybox", 0755, busybox()).symlink("bin/sh", "busybox").symlink("bin/ls", "busybox").symlink("bin/id", "busybox")
                        .symlink("bin/cat", "busybox").symlink("bin/stat", "busybox").symlink("bin/env", "busybox").symlink("bin/touch", "busybox").dir("etc")
                        .file("etc/passwd", "root:x:0:0:root:/:/bin/sh\napp:x:1234:1235:app:/srv/app:/bin/sh\n").file("etc/group", "app:x:1235:\nteam:x:77:\n")
                        .file("etc/marker", marker).dir("var").file("var/old", "old").dir("var/gone").file("var/gone/x", "x"))
                .zstd(new LayerTar().dir("var").file("var/.wh.gone", "").file("var/new", "new").hardlink("var/same", "var/old").device("var/null"));
    }

    private static JsonNode pull(String name, Object... more) {
        var body = new HashMap<String, Object>();
        for (int i = 0; i < more.length; i += 2) {
            body.put((String) more[i], more[i + 1]);
        }
        return Building.ended(lab.api(), lab.api().post("/v1/templates/" + name + "/builds", body).expect(202).json());
    }

    private static JsonNode pulled(String name, Object... more) {
        var build = pull(name, more);
        assertThat(build.get("state").asString()).as(() -> build + "\n" + Building.log(lab.api(), build)).isEqualTo("ready");
        return build;
    }

    private static Box box(String template) {
        return Box.create(lab.api(), Map.of("template", template));
    }

    @Test
    void lc30_userDirectoryEnvironmentAndEntryPointOfAnImageHoldInANewSandboxAndAfterResumeAndRestart() throws IOException {
        registry.push("service", "v1", service("lc30"));
        var build = pulled("service", "image", "service:v1", "tag", "v1");
        assertThat(build.get("source").asString()).isEqualTo("image");
        assertThat(Building.log(lab.api(), build)).contains("layer 1 of 2", "layer 2 of 2", "left out: 1 device nodes", "ready: service");
        var shown = lab.api().get("/v1/templates/service:v1").expect(200).json();
        assertThat(shown.get("digest")).isEqualTo(build.get("digest"));
        assertThat(shown.get("source").asString()).isEqualTo("image");
        var config = shown.get("config");
        assertThat(config.get("user").asString()).isEqualTo("1234");
        assertThat(config.get("cwd").asString()).isEqualTo("/srv/app");
        assertThat(config.get("entrypoint").toString()).isEqualTo("[\"/bin/sh\",\"-c\"]");
        assertThat(config.get("cmd").toString()).isEqualTo("[\"touch /tmp/ep\"]");
        assertThat(config.get("exposedPorts").toString()).isEqualTo("[\"8080/tcp\"]");
        assertThat(config.get("labels").toString()).isEqualTo("{\"maker\":\"tests\"}");
        assertThat(config.get("stopSignal").asString()).isEqualTo("SIGQUIT");
        var box = box("service");
        holds(box);
        box.verb("pause");
        box.verb("resume");
        holds(box);
        box.sh("busybox rm /tmp/ep");
        box.verb("stop");
        box.verb("start");
        holds(box);
        lab.stopServer();
        lab.startServer();
        try (var again = box.as(lab.api())) {
            holds(again);
        }
    }

    private static void holds(Box box) {
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(box.sh("stat -c %u /tmp/ep").text()).as("its entry point ran, as its user").isEqualTo("1234\n"));
        assertThat(box.sh("id -u; id -g; echo $A $PATH; echo $PWD; ls /var; cat /var/same; stat -c %h /var/same /var/old").text())
                .isEqualTo("1234\n1235\n1 /bin\n/srv/app\nnew\nold\nsame\ntmp\nold2\n2\n");
        assertThat(box.run(List.of("stat", "-c", "%a %u", "/tmp", "/srv/app")).text()).isEqualTo("1777 0\n755 0\n");
    }

    @Test
    void lc30_userIsTakenAsNameAsNumberAndWithAGroup() throws IOException {
        for (var user : Map.of("app", "1234 1235", "app:team", "1234 77", "4321", "4321 0", "4321:99", "4321 99", "", "0 0").entrySet()) {
            registry.push("users", "v1", service("users").config("User", user.getKey()).config("WorkingDir", ""));
            pulled("users", "image", "users:v1");
            try (var box = box("users")) {
                assertThat(box.sh("echo $(id -u) $(id -g)").text()).as("USER " + user.getKey()).isEqualTo(user.getValue() + "\n");
            }
        }
    }

    @Test
    void anImageOfNothingButAStaticBinaryRuns() throws IOException {
        var image = new TestImage().plain(new LayerTar().file("app", 0755, Files.readAllBytes(lab.rig().place().binaries().resolve("noop")))
                .file("busybox", 0755, busybox()));
        registry.push("bare", "latest", image);
        pulled("bare", "image", "bare");
        try (var box = box("bare")) {
            assertThat(box.run(List.of("/busybox", "ls", "/")).text()).isEqualTo("app\nbusybox\ndev\netc\nproc\nrun\nsys\ntmp\nvar\n");
            assertThat(box.run(List.of("/busybox", "id", "-u")).text()).isEqualTo("0\n");
            assertThat(box.run(List.of("/app")).text()).isEmpty();
        }
    }

    @Test
    void anArchiveIsImportedAsWhatItIs() throws IOException {
        var image = service("archived");
        var digests = new java.util.HashSet<String>();
        for (var archive : List.of(image.ociArchive(""), image.dockerArchive("x:1"), TestImage.gzip(image.ociArchive("folder/")))) {
            var made = lab.api().put("/v1/templates/archived", archive, "application/x-tar").expect(201).json();
            assertThat(made.get("source").asString()).isEqualTo("image");
            if (digests.isEmpty()) {
                assertThat(made.get("leftOut").get("devices").asInt()).as("the caller is told what was left out").isEqualTo(1);
            }
            digests.add(made.get("digest").asString());
        }
        assertThat(digests).hasSize(1);
        registry.push("archived", "v1", image);
        assertThat(pulled("archived", "image", "archived:v1").get("digest").asString()).as("an image is the same from wherever it comes").isEqualTo(digests.iterator().next());
        try (var box = box("archived")) {
            holds(box);
        }
        lab.api().put("/v1/templates/evil", new TestImage().plain(new LayerTar().file("../evil", "x")).ociArchive(""), "application/x-tar").expect(422);
    }

    @Test
    void layersAreStoredOnceAndGoWithTheLastThatHasThem() throws IOException {
        var base = new LayerTar().dir("bin").file("bin/busybox", 0755, busybox()).symlink("bin/sh", "busybox").dir("shared").file("shared/f", "only here");
        for (var name : List.of("one", "two")) {
            registry.push(name, "v1", new TestImage().gzip(base).gzip(new LayerTar().dir("own").file("own/" + name, name)));
            pulled("share-" + name, "image", name + ":v1");
        }
        var one = layers("share-one");
        var two = layers("share-two");
        assertThat(one.getLast()).isEqualTo(two.getLast());
        assertThat(one).isNotEqualTo(two);
        var store = lab.rig().place().pool().resolve("layers");
        lab.api().delete("/v1/templates/share-one").expect(204);
        assertThat(store.resolve(two.getLast().substring(7))).exists();
        lab.api().delete("/v1/templates/share-two").expect(204);
        assertThat(store.resolve(two.getLast().substring(7))).doesNotExist();
    }

    private static List<String> layers(String template) {
        return lab.api().get("/v1/templates/" + template).expect(200).json().get("layers").valueStream().map(l -> l.get("digest").asString()).toList();
    }

    @Test
    void aPullThatFailsSaysWhyAndTheNameKeepsItsLastGoodVersion() throws IOException {
        registry.push("kept", "v1", service("kept"));
        var good = pulled("kept", "image", "kept:v1").get("digest");
        var missing = pull("kept", "image", "kept:v2");
        assertThat(missing.get("state").asString()).isEqualTo("failed");
        assertThat(missing.get("error").get("code").asString()).isEqualTo("image-not-found");
        var image = service("bad");
        var layer = image.layers().getFirst();
        fake.serve("bad", "v1", image).on("/v2/bad/blobs/" + TestImage.digest(layer.stored()), e -> FakeRegistry.body(e, 200, "x", new byte[layer.stored().length]));
        var bad = pull("kept", "image", fake.host() + "/bad:v1");
        assertThat(bad.get("error").get("code").asString()).isEqualTo("archive-refused");
        assertThat(lab.api().get("/v1/templates/kept").expect(200).json().get("digest")).isEqualTo(good);
        lab.api().post("/v1/templates/kept/builds", Map.of("image", "Not A Reference")).expect(400);
        var inside = pull("kept", "image", "localhost:1/x");
        assertThat(inside.get("error").get("code").asString()).isEqualTo("address-refused");
    }

    @Test
    void aPullIsCancelledAndOneCutOffByAKilledServerHasFailedWithNothingLeft() throws Exception {
        var image = service("slow");
        var stored = image.layers().getFirst().stored();
        var begun = new java.util.concurrent.Semaphore(0);
        fake.serve("slow", "v1", image).on("/v2/slow/blobs/" + TestImage.digest(stored), e -> {
            e.sendResponseHeaders(200, stored.length);
            e.getResponseBody().write(stored, 0, stored.length / 2);
            e.getResponseBody().flush();
            begun.release();
            try {
                Thread.sleep(60_000);
            } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
            }
        });
        var path = "/v1/templates/slow/builds";
        var first = lab.api().post(path, Map.of("image", fake.host() + "/slow:v1")).expect(202).json().get("id").asString();
        assertThat(begun.tryAcquire(60, java.util.concurrent.TimeUnit.SECONDS)).isTrue();
        assertThat(lab.api().delete("/v1/builds/" + first).expect(200).json().get("state").asString()).isEqualTo("cancelled");
        var store = lab.rig().place().pool().resolve("layers");
        assertThat(store).isDirectoryNotContaining("glob:**.new");
        var second = lab.api().post(path, Map.of("image", fake.host() + "/slow:v1")).expect(202).json().get("id").asString();
        assertThat(begun.tryAcquire(60, java.util.concurrent.TimeUnit.SECONDS)).isTrue();
        lab.killServer();
        lab.startServer();
        assertThat(lab.api().get("/v1/builds/" + second).expect(200).json().get("state").asString()).isEqualTo("failed");
        assertThat(store).isDirectoryNotContaining("glob:**.new");
        assertThat(lab.api().get("/v1/templates/slow").status()).isEqualTo(404);
    }
}
