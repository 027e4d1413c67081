// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;

/// Volumes over the wire: what is on them outlives sandboxes, holds to its quota, and has one writer unless it is shared on purpose.
@ExtendWith(LabExtension.class)
@Timeout(180)
class VolumeBehavioursTest {
    private final Lab lab;

    VolumeBehavioursTest(Lab lab) {
        this.lab = lab;
    }

    /// A volume of one test; closing deletes it, which fails while anything has it.
    private record Vol(Api api, String name) implements AutoCloseable {
        JsonNode show() {
            return api.get("/v1/volumes/" + name).expect(200).json();
        }

        Map<String, Object> at(String path) {
            return Map.of("name", name, "path", path);
        }

        Map<String, Object> readOnlyAt(String path) {
            return Map.of("name", name, "path", path, "readOnly", true);
        }

        @Override
        public void close() {
            api.delete("/v1/volumes/" + name).expect(204);
        }
    }

    private Vol volume(Object... more) {
        return volume(lab.api(), more);
    }

    private static Vol volume(Api api, Object... more) {
        var body = new HashMap<String, Object>(Map.of("name", "v-" + UUID.randomUUID().toString().substring(0, 8), "sizeBytes", 64 << 20));
        for (int i = 0; i < more.length; i += 2) {
            body.put((String) more[i], more[i + 1]);
        }
        api.post("/v1/volumes", body).expect(201);
        return new Vol(api, (String) body.get("name"));
    }

    private Box box(Object... mounts) {
        return lab.tiny(Map.of("volumes", List.of(mounts)));
    }

    private Box base(Object... mounts) {
        return lab.base(Map.of("volumes", List.of(mounts)));
    }

    @SafeVarargs
    private Api.Answer tryBox(Map<String, Object>... mounts) {
        return lab.api().post("/v1/sandboxes", Map.of("template", "tiny", "volumes", List.of(mounts)));
    }

    @Test
    void fi07_directoriesOfTheHostAreRefusedByNameWithWhatToDoInstead() throws Exception {
        for (var mount : List.<Map<String, Object>>of(Map.of("name", "data", "host", "/srv/data", "path", "/w"), Map.of("host", "/srv/data", "path", "/w"),
                Map.of("name", "/srv/data", "path", "/w"), Map.of("name", "./data", "path", "/w"))) {
            var answer = lab.api().post("/v1/sandboxes", Map.of("template", "tiny", "volumes", List.of(mount)));
            assertThat(answer.status()).as(mount + answer.text()).isEqualTo(501);
            assertThat(answer.code()).isEqualTo("not-offered");
            assertThat(answer.json().get("details").get("field").asString()).startsWith("volumes[0].");
            assertThat(answer.json().get("detail").asString()).contains("directory of the host");
        }
        var cli = Redoma.of(lab).call("run", "--template", "tiny", "--volume", "/srv/data:/w", "--", "true");
        assertThat(cli.code()).isNotZero();
        assertThat(cli.err()).contains("directory of the host").contains("--workspace");
    }

    @Test
    void filesOutliveTheSandboxAndBelongToTheSameUsersInTheNext() {
        try (var volume = volume()) {
            try (var first = base(volume.at("/srv/data"))) {
                assertThat(first.sh("echo root > /srv/data/r; chmod 600 /srv/data/r; stat -c '%u:%g %a' /srv/data", "user", "root").text()).isEqualTo("1000:1000 777\n");
                assertThat(first.sh("echo mine > /srv/data/u; chmod 640 /srv/data/u; id -u").text()).isEqualTo("1000\n");
                assertThat(first.created().get("volumes").get(0).get("path").asString()).isEqualTo("/srv/data");
                assertThat(first.show().get("volumes").get(0).get("name").asString()).isEqualTo(volume.name());
            }
            try (var second = base(volume.at("/elsewhere"))) {
                assertThat(second.sh("cd /elsewhere; stat -c '%n %u %a' r u; cat r", "user", "root").text()).isEqualTo("r 0 600\nu 1000 640\nroot\n");
                assertThat(second.sh("echo more >> /elsewhere/u && cat /elsewhere/u; cat /elsewhere/r").text()).isEqualTo("mine\nmore\n");
            }
        }
    }

    @Test
    void theQuotaIsInForceAndCanBeChangedWhileInUse() {
        try (var volume = volume("sizeBytes", 16 << 20)) {
            try (var box = box(volume.at("/v"))) {
                assertThat(box.sh("dd if=/dev/urandom of=/v/big bs=1M count=32 2>&1; ls -l /v/big | awk '{print ($5 < 17*1024*1024) ? \"bounded\" : $5}'").text())
                        .contains("Disk quota exceeded").endsWith("bounded\n");
                assertThat(box.sh("echo x > /root/elsewhere && cat /root/elsewhere").text()).as("the sandbox's own disk is not full").isEqualTo("x\n");
                lab.api().post("/v1/volumes/" + volume.name() + "/resize", Map.of("sizeBytes", 64 << 20)).expect(200);
                assertThat(box.sh("rm /v/big; dd if=/dev/urandom of=/v/big bs=1M count=32 conv=fsync 2>/dev/null && stat -c %s /v/big").text()).isEqualTo("33554432\n");
                var tooSmall = lab.api().post("/v1/volumes/" + volume.name() + "/resize", Map.of("sizeBytes", 8 << 20));
                assertThat(tooSmall.status()).isEqualTo(409);
                assertThat(tooSmall.code()).isEqualTo("wrong-state");
                // What was removed is uncounted when the file system has committed it.
                await().atMost(Duration.ofSeconds(60)).until(() -> volume.show().get("usedBytes").asLong() < 40L << 20);
                assertThat(volume.show().get("usedBytes").asLong()).isGreaterThanOrEqualTo(32L << 20);
            }
        }
    }

    @Test
    void nobodyInsideCanMakeASubvolumeWhichWouldHaveNoQuota() {
        try (var volume = volume(); var box = base(volume.at("/v"))) {
            var script = """
                    import errno, fcntl, os
                    fd = os.open('/v', os.O_RDONLY)
                    for request in (0x5000940e, 0x50009418, 0x50009401, 0x5000940f, 0x9408):
                        try:
                            fcntl.ioctl(fd, request, bytearray(b'\\0' * 8 + b'sub' + b'\\0' * 4085))
                            print('made')
                        except OSError as e:
                            print(errno.errorcode[e.errno])
                    """;
            var said = box.run(List.of("python3", "-c", script));
            assertThat(said.text()).as(said.errText()).isEqualTo("ENOTTY\n".repeat(5));
            assertThat(box.sh("touch /v/mine; ls -A /v").text()).isEqualTo("mine\n");
        }
    }

    @Test
    void readOnlyIsReadOnlyAndSetUidAndDevicesHaveNoEffect() {
        try (var volume = volume()) {
            try (var writer = base(volume.at("/v"))) {
                writer.sh("cp /usr/bin/id /v/id; chmod 4755 /v/id; echo hi > /v/f; printf '#!/bin/sh\\necho ran\\n' > /v/run; chmod 755 /v/run", "user", "root");
                assertThat(writer.sh("/v/id -u; /v/run").text()).as("programs run, without gaining a user").isEqualTo("1000\nran\n");
                assertThat(writer.sh("grep ' /v ' /proc/mounts").text()).contains("nosuid").contains("nodev").doesNotContain("/pool");
            }
            try (var reader = box(volume.readOnlyAt("/v"))) {
                assertThat(reader.sh("cat /v/f; echo no > /v/f; echo no > /v/g; mount -o remount,rw /v; rm /v/f; ls /v").text()).startsWith("hi\n").endsWith("f\nid\nrun\n");
                assertThat(reader.show().get("volumes").get(0).get("readOnly").asBoolean()).isTrue();
            }
        }
    }

    @Test
    void oneWriterUnlessSharedOnPurpose() {
        try (var volume = volume("labels", Map.of("for", "one")); var shared = volume("shared", true)) {
            try (var writer = box(volume.at("/v"), shared.at("/s"))) {
                var second = tryBox(volume.at("/v"));
                assertThat(second.status()).isEqualTo(409);
                assertThat(second.code()).isEqualTo("volume-in-use");
                assertThat(second.json().get("details").get("holder").asString()).isEqualTo(writer.id());
                try (var reader = box(volume.readOnlyAt("/v"), shared.at("/s"))) {
                    writer.sh("echo seen > /v/f; echo both > /s/a");
                    assertThat(reader.sh("cat /v/f; echo too > /s/b; cat /s/a").text()).isEqualTo("seen\nboth\n");
                    assertThat(writer.sh("cat /s/b").text()).isEqualTo("too\n");
                    assertThat(volume.show().get("sandboxes").size()).isEqualTo(2);
                }
                assertThat(lab.api().delete("/v1/volumes/" + volume.name()).code()).isEqualTo("volume-in-use");
            }
            box(volume.at("/v")).close();
        }
    }

    @Test
    void whoStopsLetsGoAndWhoStartsAgainAsksAgain() {
        try (var volume = volume(); var first = box(volume.at("/v"))) {
            first.sh("echo 1 > /v/f");
            first.verb("stop");
            assertThat(volume.show().get("sandboxes").get(0).get("live").asBoolean()).isFalse();
            assertThat(lab.api().delete("/v1/volumes/" + volume.name()).code()).as("a stopped one has it still").isEqualTo("volume-in-use");
            try (var second = box(volume.at("/v"))) {
                assertThat(second.sh("cat /v/f; echo 2 > /v/f").text()).isEqualTo("1\n");
                var start = lab.api().post(first.path("/start"), Map.of());
                assertThat(start.code()).isEqualTo("volume-in-use");
                assertThat(start.json().get("details").get("holder").asString()).isEqualTo(second.id());
                second.verb("pause");
                assertThat(lab.api().post(first.path("/start"), Map.of()).code()).as("a paused one holds").isEqualTo("volume-in-use");
                second.verb("resume");
            }
            first.verb("start");
            assertThat(first.sh("cat /v/f").text()).isEqualTo("2\n");
            first.verb("reset");
            assertThat(first.sh("cat /v/f").text()).as("a reset is of the sandbox's own disk").isEqualTo("2\n");
        }
    }

    @Test
    void aCrashLetsGo() {
        try (var volume = volume(); var first = box(volume.at("/v"))) {
            lab.killInit(first);
            await().atMost(Duration.ofSeconds(30)).until(() -> !"running".equals(first.state()));
            box(volume.at("/v")).close();
        }
    }

    @Test
    void aSnapshotHasNoVolumeInItAndAForkHasThoseThatAreAskedFor() {
        try (var volume = volume(); var first = box(volume.at("/v"))) {
            first.sh("echo secret > /v/f; echo own > /root/f");
            var snapshot = first.api().post(first.path("/snapshots"), Map.of()).expect(201).json().get("id").asString();
            try (var fromIt = Box.create(lab.api(), Map.of("template", snapshot))) {
                assertThat(fromIt.sh("cat /root/f; ls -A /v | wc -l").text()).isEqualTo("own\n0\n");
            }
            lab.api().delete("/v1/snapshots/" + snapshot).expect(204);
            var plain = first.api().post(first.path("/fork"), Map.of()).expect(201).json();
            try (var fork = new Box(lab.api(), plain)) {
                assertThat(fork.sh("ls -A /v | wc -l").text()).isEqualTo("0\n");
                assertThat(fork.show().get("volumes").size()).isZero();
            }
            var asked = first.api().post(first.path("/fork"), Map.of("volumes", List.of(volume.readOnlyAt("/w")))).expect(201).json();
            try (var fork = new Box(lab.api(), asked)) {
                assertThat(fork.sh("cat /w/f").text()).isEqualTo("secret\n");
            }
        }
    }

    @Test
    void placesThatTheSystemNeedsAreRefusedByField() {
        try (var volume = volume(); var other = volume()) {
            for (var path : List.of("/", "relative", "/proc", "/proc/x", "/sys/fs", "/dev", "/dev/shm", "/run", "/run/redoma", "/etc", "/etc/x", "/usr", "/bin",
                    "/a/../etc", "/a/./b", "/a//b", "/a/", "", "/a\u0000b", "/a\nb")) {
                var answer = tryBox(volume.at(path));
                assertThat(answer.status()).as(path).isEqualTo(400);
                assertThat(answer.json().get("details").get("field").asString()).isEqualTo("volumes[0].path");
            }
            assertThat(tryBox(volume.at("/a"), other.at("/a/b")).json().get("details").get("field").asString()).isEqualTo("volumes[1].path");
            assertThat(tryBox(volume.at("/a"), volume.at("/b")).json().get("details").get("field").asString()).isEqualTo("volumes[1].name");
            assertThat(tryBox(Map.of("name", "no-such-volume", "path", "/a")).code()).isEqualTo("volume-not-found");
        }
    }

    @Test
    void aLinkPlantedWhereAVolumeGoesLeadsNowhere() {
        try (var volume = volume(); var box = box(volume.at("/a/b/c"))) {
            box.sh("mkdir /x; cp -r /bin /x/bin");
            box.verb("stop");
            box.verb("start");
            box.verb("stop");
        }
        try (var volume = volume(); var box = box()) {
            box.sh("ln -s /proc /sly; mkdir /d; ln -s ../run/redoma /d/e; echo f > /file");
            var snapshot = box.api().post(box.path("/snapshots"), Map.of()).expect(201).json().get("id").asString();
            for (var path : List.of("/sly/sys", "/sly", "/d/e", "/file", "/file/x")) {
                var answer = lab.api().post("/v1/sandboxes", Map.of("template", snapshot, "volumes", List.of(volume.at(path))));
                assertThat(answer.status()).as(path).isEqualTo(502);
                assertThat(answer.text()).contains("on the way to the volume at " + path);
            }
            lab.api().delete("/v1/snapshots/" + snapshot).expect(204);
        }
    }

    @Test
    void anotherTenantsVolumeAnswersAsOneThatIsNotThere() {
        var bob = lab.tenant("volbob");
        try (var volume = volume(); var theirs = volume(bob)) {
            for (var name : List.of(volume.name(), volume.show().get("id").asString())) {
                assertThat(bob.get("/v1/volumes/" + name).code()).isEqualTo("volume-not-found");
                assertThat(bob.delete("/v1/volumes/" + name).code()).isEqualTo("volume-not-found");
                assertThat(bob.post("/v1/volumes/" + name + "/resize", Map.of("sizeBytes", 1 << 24)).code()).isEqualTo("volume-not-found");
                assertThat(bob.post("/v1/sandboxes", Map.of("template", "tiny", "volumes", List.of(Map.of("name", name, "path", "/v")))).code())
                        .isEqualTo("volume-not-found");
            }
            assertThat(bob.get("/v1/volumes").expect(200).json().get("items").size()).isEqualTo(1);
            var id = theirs.show().get("id").asString();
            assertThat(tryBox(Map.of("name", id, "path", "/v")).status()).as("nor does an operator's own sandbox get it").isEqualTo(400);
        }
    }

    @Test
    void valuesThatCannotBeAreRefusedByField() {
        var bad = Map.<String, Map<String, Object>>of("name", Map.of("name", "No Name"), "sizeBytes", Map.of("name", "x", "sizeBytes", -1),
                "owner", Map.of("name", "x", "owner", "70000:0"));
        bad.forEach((field, body) -> assertThat(lab.api().post("/v1/volumes", body).json().get("details").get("field").asString()).isEqualTo(field));
        try (var volume = volume("labels", Map.of("k", "v1"), "owner", "1234:77")) {
            assertThat(lab.api().post("/v1/volumes", Map.of("name", volume.name())).code()).isEqualTo("name-taken");
            assertThat(lab.api().get("/v1/volumes?label=k%3Dv1").expect(200).json().get("items").size()).isEqualTo(1);
            assertThat(volume.show().get("owner").asString()).isEqualTo("1234:77");
            try (var box = box(volume.at("/v"))) {
                assertThat(box.sh("stat -c %u:%g /v").text()).isEqualTo("1234:77\n");
            }
        }
    }

    @Test
    void whatIsDoneToVolumesIsOnRecord() {
        try (var volume = volume()) {
            box(volume.at("/v")).close();
        }
        var actions = new java.util.ArrayList<String>();
        lab.api().get("/v1/audit?category=volume&newest=200").expect(200).json().get("items").forEach(r -> actions.add(r.get("action").asString()));
        assertThat(actions).contains("create", "created", "delete", "deleted");
        assertThat(lab.verifyLedger()).isEqualTo("ok");
    }

    @Test
    void theCommandLineDoesAllOfIt() throws Exception {
        var redoma = Redoma.of(lab);
        var name = "cli-" + UUID.randomUUID().toString().substring(0, 8);
        assertThat(redoma.call("volume", "create", name, "--size", "32MiB", "--label", "a=b").text()).startsWith("vl");
        var run = redoma.call("run", "-q", "--template", "tiny", "--volume", name + ":/data", "--", "sh", "-c", "echo kept > /data/f; ls /data");
        assertThat(run.text()).as(run.err()).isEqualTo("f\n");
        var read = redoma.call("run", "-q", "--template", "tiny", "--volume", name + ":/data:ro", "--", "sh", "-c", "cat /data/f; echo no 2>/dev/null > /data/f");
        assertThat(new String(read.out(), UTF_8)).as(read.err()).startsWith("kept\n");
        assertThat(redoma.call("volume", "list").text()).contains(name).contains("32.0 MiB");
        assertThat(redoma.call("volume", "resize", name, "48MiB").text()).contains("48.0 MiB");
        assertThat(redoma.call("volume", "show", name, "--json").text()).contains("\"sizeBytes\":50331648");
        assertThat(redoma.call("volume", "rm", name).code()).isZero();
        assertThat(redoma.call("volume", "show", name).code()).isEqualTo(3);
    }
}
