// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;

/// Snapshots and template versions, over the wire: what is in them, what is not, and what they cost on disk.
@ExtendWith(LabExtension.class)
@Timeout(300)
class SnapshotBehavioursTest {
    private static final String SECRET = "ghp_" + "q1W2e3R4t5Y6u7I8o9P0a1S2d3F4g5H6j7K8";

    private static JsonNode snapshot(Box box, Map<String, ?> request) {
        return box.api().post(box.path("/snapshots"), request).expect(201).json();
    }

    private static Box from(Lab lab, String template) {
        return Box.create(lab.api(), Map.of("template", template));
    }

    /// Output as it is written: whether a secret is there must be seen.
    private static final Map<String, Object> EXACT = Map.of("values", Map.of(), "tokens", false);

    private static void plant(Box box) {
        box.write("/root/app/.env", ("DEBUG=1\nTOKEN=" + SECRET + "\n").getBytes(UTF_8));
        box.write("/root/.bash_history", ("export GITHUB_TOKEN=" + SECRET + "\n").getBytes(UTF_8));
        box.write("/root/.ssh/id_ed25519", ("-----BEGIN OPENSSH PRIVATE KEY-----\n" + base64(SECRET + SECRET) + "\n-----END OPENSSH PRIVATE KEY-----\n").getBytes(UTF_8));
        box.write("/root/.npmrc", ("//registry.example/:_authToken=" + SECRET + "\n").getBytes(UTF_8));
        box.write("/root/.docker/config.json", ("{\"auths\":{\"r.example\":{\"auth\":\"" + base64("me:" + SECRET) + "\"}}}").getBytes(UTF_8));
        box.write("/root/notes", ("url: " + Base64.getUrlEncoder().encodeToString((">>?" + SECRET).getBytes(UTF_8)) + "\n").getBytes(UTF_8));
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(UTF_8));
    }

    @Test
    void lc11_whatIsScrubbedIsOnNoDiskAndInNoSandboxMadeFromIt(Lab lab) throws Exception {
        try (var box = lab.tiny(Map.of("env", Map.of("API_TOKEN", SECRET), "redact", EXACT))) {
            plant(box);
            var saved = snapshot(box, Map.of("name", "lc11"));
            assertThat(saved.get("scrubbed").get("credentials").get("files").asLong()).isGreaterThanOrEqualTo(5);
            assertThat(saved.get("scrubbed").get("history").get("files").asLong()).isEqualTo(1);
            assertThat(holding(lab.rig().place().pool().resolve("saved").resolve(saved.get("id").asString()))).isEmpty();
            try (var made = from(lab, "lc11")) {
                assertThat(made.sh("grep -rlF -e '" + String.join("' -e '", looks()) + "' / --exclude-dir=proc --exclude-dir=sys 2>/dev/null").text()).isEmpty();
                assertThat(made.sh("cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep -cF -e '" + String.join("' -e '", looks()) + "'").text()).isEqualTo("0\n");
                assertThat(made.sh("cat /root/app/.env").text()).startsWith("DEBUG=1\nTOKEN=***").doesNotContain("ghp_");
                assertThat(box.sh("cat /root/app/.env; printenv API_TOKEN").text()).as("the sandbox itself is as it was").contains(SECRET);
            }
            var contents = lab.api().get("/v1/snapshots/lc11/contents").expect(200);
            assertThat(contents.json().get("whole").asBoolean()).isTrue();
            assertThat(contents.json().get("credentials")).isEmpty();
            assertThat(contents.text()).doesNotContain(SECRET);
            lab.api().delete("/v1/snapshots/lc11").expect(204);
        }
    }

    /// The value, and its base64 at each alignment in both alphabets, as far as that is the same whatever stands around it.
    private static List<String> looks() {
        var looks = new HashSet<String>();
        looks.add(SECRET);
        for (int before = 0; before < 3; before++) {
            byte[] shifted = ("x".repeat(before) + SECRET).getBytes(UTF_8);
            for (var encoder : List.of(Base64.getEncoder().withoutPadding(), Base64.getUrlEncoder().withoutPadding())) {
                var text = encoder.encodeToString(shifted);
                looks.add(text.substring((before * 8 + 5) / 6, shifted.length * 8 / 6));
            }
        }
        return List.copyOf(looks);
    }

    private static List<Path> holding(Path tree) throws IOException {
        var found = new ArrayList<Path>();
        try (Stream<Path> all = Files.walk(tree)) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                var text = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
                if (looks().stream().anyMatch(text::contains)) {
                    found.add(file);
                }
            }
        }
        return found;
    }

    @Test
    void lc11_whatIsRefusedIsNamedAndLeavesNothing(Lab lab) throws Exception {
        try (var box = lab.tiny()) {
            plant(box);
            var before = saved(lab);
            var refused = box.api().post(box.path("/snapshots"), Map.of("name", "never", "contents", Map.of("credentials", "refuse"))).expect(422);
            assertThat(refused.code()).isEqualTo("contents-refused");
            assertThat(refused.text()).contains("/root/app/.env:2 github-token").doesNotContain(SECRET);
            assertThat(before).containsAll(saved(lab));
            assertThat(lab.api().get("/v1/snapshots/never").expect(404).code()).isEqualTo("snapshot-not-found");
            box.write("/srv/" + SECRET + "/f", new byte[0]);
            assertThat(box.api().post(box.path("/snapshots"), Map.of("name", "never")).expect(422).code()).isEqualTo("scrub-failed");
            assertThat(before).containsAll(saved(lab));
            for (var laxer : List.of("credentials", "history", "browser")) {
                var answer = box.api().post(box.path("/snapshots"), Map.of("contents", Map.of(laxer, "keep"))).expect(400);
                assertThat(answer.code()).isEqualTo("invalid-field");
                assertThat(answer.json().get("details").get("allowed").asString()).as("the operator's order is the least").isEqualTo("scrub or refuse");
            }
            assertThat(before).as("what tests before this one left may go meanwhile").containsAll(saved(lab));
            assertThat(box.api().post(box.path("/snapshots"), Map.of("contents", Map.of("packages", "scrub"))).expect(400).code()).isEqualTo("invalid-field");
        }
    }

    @Test
    void everyRecordOfASandboxNamesTheExactVersion(Lab lab) {
        try (var box = lab.tiny()) {
            box.sh("true");
            box.write("/tmp/f", new byte[] {1});
            box.api().get(box.path("/files?path=/nowhere")).expect(404);
            box.api().delete(box.path("/files?path=/nowhere")).expect(404);
            box.verb("pause");
            box.verb("resume");
            var digest = box.created().get("template").get("digest");
            var items = lab.api().get("/v1/audit?sandbox=" + box.id()).expect(200).json().get("items");
            var categories = new HashSet<String>();
            items.forEach(r -> {
                categories.add(r.get("category").asString());
                assertThat(r.get("fields").get("digest")).as(r.toString()).isEqualTo(digest);
            });
            assertThat(categories).contains("sandbox", "exec", "file");
        }
    }

    /// What the operator lets stay is found and told, and may be ordered stricter; how long and how many are bounds too.
    @Test
    void theOperatorsOrdersAreAFloor() throws Exception {
        try (var lab = Lab.start("floor", RigOptions.standard().with("SNAPSHOTS_CONTENTS_CREDENTIALS", "keep").with("SNAPSHOTS_KEEP_COUNT", "3").with("SNAPSHOTS_KEEP_AGE", "1h"));
                var box = lab.tiny()) {
            plant(box);
            var kept = snapshot(box, Map.of("name", "kept"));
            assertThat(kept.get("scrubbed").has("credentials")).isFalse();
            assertThat(kept.get("keepCount").asInt()).isEqualTo(3);
            var shown = Redoma.of(lab).call("snapshot", "show", "kept").text();
            assertThat(shown).contains("CREDENTIAL").contains("github-token").contains("/root/app/.env").doesNotContain(SECRET);
            assertThat(snapshot(box, Map.of("contents", Map.of("credentials", "scrub"), "keep", Map.of("count", 1, "ageMs", 60_000))).get("scrubbed").has("credentials")).isTrue();
            for (var laxer : List.of(Map.of("count", 4), Map.of("count", 0), Map.of("ageMs", 0), Map.of("ageMs", 3_600_001))) {
                assertThat(box.api().post(box.path("/snapshots"), Map.of("keep", laxer)).expect(400).code()).as(laxer.toString()).isEqualTo("invalid-field");
            }
        }
    }

    /// What the pool has of snapshots, half-made ones too; disks come and go with the sandboxes that are started ahead.
    private static Set<String> saved(Lab lab) throws IOException {
        try (var all = Files.list(lab.rig().place().pool().resolve("saved"))) {
            return all.map(p -> p.getFileName().toString()).collect(Collectors.toSet());
        }
    }

    /// The disk of a fork was never looked at; a snapshot of it is, with all that it stands on.
    @Test
    void lc11_aSnapshotOfAForkIsScrubbedToItsGround(Lab lab) throws Exception {
        try (var box = lab.tiny(Map.of("redact", EXACT))) {
            plant(box);
            var id = box.api().post(box.path("/fork"), Map.of()).expect(201).json();
            try (var fork = new Box(lab.api(), id)) {
                assertThat(fork.sh("cat /root/.npmrc").text()).as("a fork has the disk as it is").contains(SECRET);
                snapshot(fork, Map.of("name", "ground"));
                try (var made = from(lab, "ground")) {
                    assertThat(made.sh("grep -rlF -e '" + String.join("' -e '", looks()) + "' / --exclude-dir=proc --exclude-dir=sys 2>/dev/null").text()).isEmpty();
                    assertThat(made.sh("cat /root/app/.env").text()).startsWith("DEBUG=1\nTOKEN=***");
                }
                lab.api().delete("/v1/snapshots/ground").expect(204);
            }
        }
    }

    @Test
    void lc10_aSnapshotIsNobodysIdentity(Lab lab) {
        try (var box = lab.tiny()) {
            box.sh("mkdir -p /etc/ssh /var/lib/dbus /var/lib/systemd; echo k > /etc/ssh/ssh_host_ed25519_key; cat /etc/machine-id > /var/lib/dbus/machine-id; "
                    + "echo s > /var/lib/systemd/random-seed");
            var ids = new HashSet<String>();
            ids.add(box.sh("cat /etc/machine-id").text());
            snapshot(box, Map.of("name", "identity"));
            for (int i = 0; i < 2; i++) {
                try (var made = from(lab, "identity")) {
                    ids.add(made.sh("cat /etc/machine-id").text());
                    assertThat(made.sh("ls /etc/ssh /var/lib/dbus /var/lib/systemd").text()).doesNotContain("ssh_host").doesNotContain("machine-id").doesNotContain("seed");
                }
            }
            assertThat(ids).hasSize(3).allSatisfy(id -> assertThat(id).matches("[0-9a-f]{32}\n"));
            lab.api().delete("/v1/snapshots/identity").expect(204);
        }
    }

    @Test
    void environmentGivenAtCreateIsNoPartOfASnapshot(Lab lab) {
        try (var box = lab.tiny(Map.of("env", Map.of("ONLY_MINE", "value-of-mine")))) {
            snapshot(box, Map.of("name", "no-env"));
            try (var made = from(lab, "no-env")) {
                assertThat(made.sh("env").text()).doesNotContain("ONLY_MINE");
                assertThat(made.sh("cat /proc/[0-9]*/environ").text()).doesNotContain("value-of-mine");
            }
            assertThat(lab.api().get("/v1/snapshots/no-env").text()).doesNotContain("value-of-mine");
            lab.api().delete("/v1/snapshots/no-env").expect(204);
        }
    }

    @Test
    void lc29_snapshotsHaveNamesTagsLabelsAndFilters(Lab lab) {
        var api = lab.api();
        try (var box = lab.tiny()) {
            box.write("/root/f", "one".getBytes(UTF_8));
            var first = snapshot(box, Map.of("name", "series", "tag", "v1", "labels", Map.of("run", "1")));
            assertThat(api.post(box.path("/snapshots"), Map.of("name", "series")).expect(409).code()).isEqualTo("name-taken");
            box.verb("pause");
            var second = snapshot(box, Map.of("name", "series", "tag", "v2"));
            box.verb("resume");
            box.write("/root/f", "three".getBytes(UTF_8));
            box.verb("stop");
            var third = snapshot(box, Map.of("name", "series", "tag", "v3"));
            assertThat(id(api, "series")).isEqualTo(third.get("id").asString());
            assertThat(id(api, "series:v1")).isEqualTo(first.get("id").asString());
            assertThat(id(api, "series@" + second.get("digest").asString())).isEqualTo(second.get("id").asString());
            assertThat(api.get("/v1/snapshots?name=series").json().get("items").size()).isEqualTo(3);
            assertThat(api.get("/v1/snapshots?label=run%3D1").json().get("items").size()).isEqualTo(1);
            api.put("/v1/snapshots/" + first.get("id").asString() + "/tags/latest", new byte[0], "application/json").expect(200);
            try (var made = from(lab, "series")) {
                assertThat(made.created().get("template").get("digest").asString()).isEqualTo(first.get("digest").asString());
                assertThat(made.read("/root/f")).isEqualTo("one".getBytes(UTF_8));
                api.delete("/v1/snapshots/series").expect(204);
                assertThat(made.sh("cat /root/f").text()).as("sandboxes made from it go on").isEqualTo("one");
                assertThat(id(api, "series")).as("the bare name means the newest left").isEqualTo(third.get("id").asString());
            }
            api.delete("/v1/snapshots/series/tags/v2").expect(204);
            assertThat(api.get("/v1/snapshots/series:v2").status()).isEqualTo(404);
            for (var left : List.of(second, third)) {
                api.delete("/v1/snapshots/" + left.get("id").asString()).expect(204);
            }
        }
    }

    private static String id(Api api, String reference) {
        return api.get("/v1/snapshots/" + Api.encode(reference)).expect(200).json().get("id").asString();
    }

    @Test
    void snapshotsAreKeptByNumberAndAge(Lab lab) {
        var api = lab.api();
        try (var box = lab.tiny()) {
            for (int i = 0; i < 4; i++) {
                snapshot(box, Map.of("name", "nightly", "tag", "latest", "keep", Map.of("count", 2)));
            }
            snapshot(box, Map.of("name", "short", "keep", Map.of("ageMs", 1)));
            await().atMost(Duration.ofSeconds(150)).untilAsserted(() -> {
                assertThat(api.get("/v1/snapshots?name=nightly").json().get("items").size()).isEqualTo(2);
                assertThat(api.get("/v1/snapshots/short").status()).isEqualTo(404);
            });
            var why = new HashSet<String>();
            api.get("/v1/audit?newest=200").json().get("items").forEach(r -> {
                if (r.get("action").asString().equals("snapshot.delete") && r.get("fields").has("keep")) {
                    why.add(r.get("fields").get("keep").asString() + " by " + r.get("actor").asString());
                }
            });
            assertThat(why).containsExactlyInAnyOrder("count by engine", "age by engine");
            api.get("/v1/snapshots?name=nightly").json().get("items").forEach(s -> api.delete("/v1/snapshots/" + s.get("id").asString()).expect(204));
        }
    }

    @Test
    void lc29_deletingFreesTheDisk(Lab lab) throws Exception {
        long empty = settled(lab);
        var box = lab.tiny();
        box.sh("dd if=/dev/urandom of=/root/big bs=1M count=64 2>/dev/null");
        snapshot(box, Map.of("name", "big"));
        assertThat(lab.api().delete(box.path("/review")).code()).as("it lives").isEqualTo("wrong-state");
        box.close();
        // What an ended sandbox wrote is kept for review until it is forgotten.
        lab.api().delete(box.path("/review")).expect(204);
        assertThat(used(lab)).isGreaterThan(empty + (60L << 20));
        lab.api().delete("/v1/snapshots/big").expect(204);
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> assertThat(used(lab)).isLessThan(empty + (8L << 20)));
    }

    @Test
    void deletingATemplateVersionFreesTheDiskAndIsRefusedByNameWhileUsed(Lab lab) throws Exception {
        var api = lab.api();
        var tar = Tars.join(Tars.file("etc/passwd", "root:x:0:0::/root:/bin/sh\n".getBytes(UTF_8)), Tars.file("big", random(48 << 20)));
        long empty = settled(lab);
        var made = api.put("/v1/templates/heavy:v1", tar, "application/x-tar").expect(201).json();
        assertThat(made.get("tags").toString()).isEqualTo("[\"latest\",\"v1\"]");
        assertThat(used(lab)).isGreaterThan(empty + (45L << 20));
        api.delete("/v1/templates/" + Api.encode("heavy@" + made.get("digest").asString())).expect(204);
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> assertThat(used(lab)).isLessThan(empty + (8L << 20)));
        try (var box = lab.tiny()) {
            var refused = api.delete("/v1/templates/tiny").expect(409);
            assertThat(refused.code()).isEqualTo("template-in-use");
            assertThat(refused.text()).contains(box.id());
            assertThat(api.get("/v1/templates/tiny").json().get("usedBy").get("sandboxIds").toString()).contains(box.id());
        }
    }

    private static byte[] random(int size) {
        var bytes = new byte[size];
        new java.util.Random(7).nextBytes(bytes);
        return bytes;
    }

    /// Bytes that the pool has in use, after what is under way was written.
    /// Once what was deleted before is given back.
    private static long settled(Lab lab) throws IOException {
        Commands.quiet("btrfs", "subvolume", "sync", lab.rig().place().pool().toString());
        return used(lab);
    }

    private static long used(Lab lab) throws IOException {
        Commands.quiet("btrfs", "filesystem", "sync", lab.rig().place().pool().toString());
        var store = Files.getFileStore(lab.rig().place().pool());
        return store.getTotalSpace() - store.getUnallocatedSpace();
    }
}
