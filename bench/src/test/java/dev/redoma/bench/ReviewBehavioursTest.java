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
        assertThat(set.get("complete").asBoolean()).as("%s", set).isTrue();
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
        assertThat(after.get("ended").asBoolean()).as("%s", after).isTrue();
        assertThat(new String(lab.api().get(box.path("/changes/archive")).expect(200).bytes(), UTF_8)).contains("more");
        assertThat(lab.api().get(box.path("/changes/patches")).expect(200).json().get("items").size()).isGreaterThan(0);
        var recorded = records(box, "changes");
        assertThat(recorded).extracting(r -> r.get("category").asString() + " " + r.get("fields").get("scope").asString()).containsExactlyInAnyOrder("file template", "file workspace");
        assertThat(recorded.toString()).contains(set.get("digest").asString()).contains("git-hook");
    }

    @Test
    void howeverItEndedItsChangesAreThereAndAServerThatIsKilledMeanwhileReadsThemWhenItIsBack() {
        var killed = lab.tiny();
        var crashed = lab.tiny(Map.of("artifacts", List.of("result")));
        var timed = lab.tiny(Map.of("policy", "artifacts: ['/srv/**']\nretain: {artifacts: 3d}\n"));
        var oom = lab.tiny(Map.of("limits", Map.of("memoryBytes", 48L << 20), "artifacts", List.of("srv/res*")));
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
            if ((was == crashed || was == timed || was == oom) && box.state().equals("ended")) {
                assertThat(lab.api().get(box.path("/artifacts/content?artifact=srv%2Fresult")).expect(200).text()).as("%s", box.show()).isEqualTo(box.id() + "\n");
                assertThat(records(box, "artifacts")).singleElement().satisfies(r -> assertThat(r.get("fields").get("why").asString() + r.get("fields").get("count").asInt()).isEqualTo("end1"));
            }
        }
        alive.as(lab.api()).close();
        assertThat(lab.verifyLedger()).isEqualTo("ok");
    }

    @Test
    void artifactsAreKeptWithSafeNamesAndNothingButFilesOfTheSandboxIsOne() throws Exception {
        var box = lab.tiny(Map.of("artifacts", List.of("*.txt")));
        box.sh("mkdir -p /srv/w/r; cd /srv/w; printf a > r/a.txt; printf é > 'r/é b.txt'; printf c > r/CON; printf d > 'r/x:y'; ln -s /etc/passwd r/link.txt; mkfifo r/p.txt");
        lab.api().post(box.path("/workspace/start"), Map.of("path", "/srv/w")).expect(201);
        var made = lab.api().post(box.path("/artifacts"), Map.of("patterns", List.of("r/**"))).expect(201).json();
        assertThat(made.get("items").valueStream().map(a -> a.get("path").asString())).containsExactlyInAnyOrder("r/a.txt", "r/é b.txt", "r/CON", "r/x:y");
        assertThat(made.get("more").asInt()).isZero();
        var one = lab.api().get(box.path("/artifacts/content?artifact=" + Api.encode("r/é b.txt"))).expect(200);
        assertThat(one.text()).isEqualTo("é");
        assertThat(one.headers().firstValue("Content-Disposition").orElse("")).startsWith("attachment").contains("filename*=UTF-8''%C3%A9%20b.txt");
        assertThat(one.headers().firstValue("X-Redoma-Digest").orElse("")).isEqualTo("sha256:" + ExecBehavioursTest.sha256("é".getBytes(UTF_8)));
        var names = new ArrayList<String>();
        try (var zip = new java.util.zip.ZipInputStream(new java.io.ByteArrayInputStream(lab.api().get(box.path("/artifacts/archive?format=zip")).expect(200).bytes()))) {
            for (var e = zip.getNextEntry(); e != null; e = zip.getNextEntry()) {
                names.add(e.getName());
            }
        }
        assertThat(names).containsExactlyInAnyOrder("r/a.txt", "r/é b.txt", "r/_CON", "r/x_y");
        assertThat(lab.api().post(box.path("/artifacts"), Map.of("patterns", List.of())).code()).isEqualTo("invalid-field");
        box.sh("printf later > /srv/w/r/a.txt; rm /srv/w/r/CON");
        box.close();
        assertThat(lab.api().get(box.path("/artifacts/content?artifact=r%2Fa.txt")).expect(200).text()).as("collected again at the end").isEqualTo("later");
        assertThat(lab.api().get(box.path("/artifacts/content?artifact=r%2FCON")).expect(200).text()).as("kept though it is gone").isEqualTo("c");
        assertThat(lab.api().get(box.path("/artifacts/content?artifact=nothing")).code()).isEqualTo("file-not-found");
        assertThat(records(box, "artifacts")).hasSize(2);
        var listed = Redoma.of(lab).call("artifacts", "list", box.id());
        assertThat(listed.text()).contains("r/a.txt").contains("asked").contains("end");
    }

    @Test
    void whatWasReviewedGoesBackToAFolderAndNothingElse(@org.junit.jupiter.api.io.TempDir java.nio.file.Path local) throws Exception {
        var redoma = Redoma.of(lab);
        var project = java.nio.file.Files.createDirectories(local.resolve("project/.git"));
        project = project.getParent();
        java.nio.file.Files.writeString(project.resolve("a"), "one\n");
        java.nio.file.Files.writeString(project.resolve("b"), "two\n");
        java.nio.file.Files.writeString(project.resolve(".git/config"), "[core]\n");
        // What a hostile repository has committed: what earlier versions took for the journal of an apply that was killed.
        java.nio.file.Files.createDirectories(project.resolve(".git/hooks"));
        java.nio.file.Files.createDirectories(project.resolve(".redoma-apply/new"));
        java.nio.file.Files.createDirectories(project.resolve(".redoma-apply/old"));
        java.nio.file.Files.writeString(project.resolve(".redoma-apply/old/0"), "#!/bin/sh\n");
        java.nio.file.Files.writeString(project.resolve(".redoma-apply/steps"), "[{\"kind\":\"remove\",\"path\":\".git/hooks/pre-commit\",\"at\":\"0\"}]");
        var run = redoma.call("run", "--template", "tiny", "--workspace", project.toString(), "--artifact", "*.log", "--", "sh", "-c",
                "echo more >> a; mv b c; echo log > x.log; mkdir d; echo in > d/in; echo '[evil]' >> .git/config; echo all: > Makefile; mkdir -p sub/.redoma-apply/old; echo evil > sub/.redoma-apply/steps; pwd");
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.err()).contains("M ").contains("R ");
        var id = run.err().lines().filter(l -> l.contains("redoma diff ")).findFirst().orElseThrow().replaceAll(".*redoma diff (sb[a-z0-9]{18}).*", "$1");
        var diff = redoma.call("diff", "--patch", id);
        assertThat(diff.text()).contains("M a").contains("+more").contains("R b => c").contains("[git-config]").contains("[build-script]").contains("[apply-journal]");
        var digest = diff.err().replaceAll("(?s).*(sha256:[0-9a-f]{64}).*", "$1");
        assertThat(redoma.call("artifacts", "get", id, "x.log", "-").text()).isEqualTo("log\n");
        assertThat(redoma.call("apply", id, "--to", project.toString(), "--digest", "sha256:" + "0".repeat(64)).code()).isEqualTo(4);
        var flagged = redoma.call("apply", id, "--to", project.toString(), "--digest", digest);
        assertThat(flagged.code()).isEqualTo(4);
        assertThat(flagged.err()).contains("Makefile").contains("build-script").doesNotContain(".git/config");
        assertThat(redoma.call("apply", id, "--to", project.toString(), "--digest", digest, "--branch", "b").err()).contains("no repository of git");
        var mistyped = redoma.call("apply", id, "--to", project.toString(), "--digest", digest, "--flagged", "buildscript");
        assertThat(mistyped.err() + mistyped.code()).contains("is no flag").contains("build-script").endsWith("2");
        var nothing = redoma.call("apply", id, "--to", project.toString(), "--digest", digest, "--only", "nothing-like-it");
        assertThat(nothing.err() + nothing.code()).contains("Nothing of the change set matches").endsWith("3");
        java.nio.file.Files.writeString(project.resolve("a"), "mine\n");
        var differs = redoma.call("apply", id, "--to", project.toString(), "--digest", digest, "--flagged", "build-script");
        assertThat(differs.code()).isEqualTo(4);
        assertThat(differs.err()).contains("not as the workspace was at its start").contains("a");
        assertThat(project.resolve("c")).doesNotExist();
        java.nio.file.Files.writeString(project.resolve("a"), "one\n");
        var part = redoma.call("apply", id, "--to", project.toString(), "--digest", digest, "--only", "d");
        assertThat(part.err() + part.code()).endsWith("0");
        assertThat(project.resolve("d/in")).hasContent("in");
        assertThat(project.resolve("c")).doesNotExist();
        var all = redoma.call("apply", "--json", id, "--to", project.toString(), "--digest", digest, "--flagged", "build-script");
        assertThat(all.code()).as(all.err()).isZero();
        assertThat(all.text()).contains("\"leftOutGit\":1").contains("sub/.redoma-apply/steps");
        assertThat(all.err()).contains("no journal of ours").doesNotContain("undone");
        assertThat(project.resolve(".git/hooks")).isEmptyDirectory();
        assertThat(project.resolve("sub/.redoma-apply")).doesNotExist();
        assertThat(project.resolve("a")).hasContent("one\nmore\n");
        assertThat(project.resolve("b")).doesNotExist();
        assertThat(project.resolve("c")).hasContent("two\n");
        assertThat(project.resolve("Makefile")).hasContent("all:\n");
        assertThat(project.resolve(".git/config")).hasContent("[core]\n");
        assertThat(project.resolve(".redoma-apply/steps")).as("not ours, so it stays").exists();
        try (var list = java.nio.file.Files.list(project)) {
            assertThat(list.filter(f -> f.getFileName().toString().startsWith(".redoma-apply-"))).isEmpty();
        }
        var records = lab.api().get("/v1/audit?sandbox=" + id + "&limit=200").expect(200).json().get("items").valueStream().map(r -> r.get("action").asString()).filter(a -> a.startsWith("apply")).toList();
        assertThat(records).containsExactlyInAnyOrder("apply", "apply.failed", "apply", "apply.applied", "apply", "apply.applied");
    }

    @Test
    void whatWasReviewedBecomesOneCommitOnABranchByNoGitOfTheHost(@org.junit.jupiter.api.io.TempDir java.nio.file.Path local) throws Exception {
        var redoma = Redoma.of(lab);
        var project = java.nio.file.Files.createDirectories(local.resolve("project"));
        java.nio.file.Files.writeString(project.resolve("a"), "one\n");
        java.nio.file.Files.writeString(project.resolve("b"), "two\n");
        git(project, "init", "-q", "-b", "main");
        git(project, "add", "-A");
        git(project, "commit", "-q", "-m", "start");
        var hook = java.nio.file.Files.writeString(project.resolve(".git/hooks/reference-transaction"), "#!/bin/sh\necho ran > '" + local.resolve("ran") + "'\n");
        java.nio.file.Files.setAttribute(hook, "unix:mode", 0755);
        var run = redoma.call("run", "--template", "tiny", "--workspace", project.toString(), "--", "sh", "-c", "echo more >> a; mv b c; mkdir -p d empty; echo in > d/in; chmod +x d/in; echo evil > .git/hooks/pre-commit");
        assertThat(run.code()).as(run.err()).isZero();
        var id = run.err().lines().filter(l -> l.contains("redoma diff ")).findFirst().orElseThrow().replaceAll(".*redoma diff (sb[a-z0-9]{18}).*", "$1");
        var digest = redoma.call("diff", id).err().replaceAll("(?s).*(sha256:[0-9a-f]{64}).*", "$1");
        var call = new String[] {"apply", "--json", id, "--to", project.toString(), "--digest", digest, "--author", "Ann Lee <ann@example.com>", "--branch", "agent/one"};
        var out = redoma.call(java.util.Arrays.stream(call).map(a -> a.equals("agent/one") ? "main" : a).toArray(String[]::new));
        assertThat(out.err() + out.code()).contains("branch 'main' is checked out").endsWith("4");
        var made = redoma.call(call);
        assertThat(made.code()).as(made.err()).isZero();
        assertThat(made.text()).contains("\"leftOutGit\":1").containsPattern("\"notCarried\":\\[[^\\]]*\"empty\"");
        java.nio.file.Files.delete(hook);
        assertThat(local.resolve("ran")).doesNotExist();
        assertThat(project.resolve("a")).hasContent("one\n");
        assertThat(project.resolve(".git/hooks/pre-commit")).doesNotExist();
        assertThat(git(project, "status", "--porcelain")).isEmpty();
        git(project, "fsck", "--strict");
        assertThat(git(project, "show", "--format=%an <%ae>|%(trailers:key=Redoma-Changes,valueonly)", "--name-status", "--no-renames", "agent/one")).startsWith("Ann Lee <ann@example.com>|" + digest).contains("M\ta", "D\tb", "A\tc", "A\td/in");
        assertThat(git(project, "ls-tree", "agent/one", "d/")).startsWith("100755 ");
        var apply = git(project, "log", "-1", "--format=%(trailers:key=Redoma-Apply,valueonly)", "agent/one");
        var records = lab.api().get("/v1/audit?sandbox=" + id + "&limit=200").expect(200).json().get("items").valueStream().filter(r -> r.get("action").asString().startsWith("apply")).toList();
        assertThat(records.stream().map(r -> r.get("action").asString())).containsExactlyInAnyOrder("apply", "apply.applied");
        assertThat(records.toString()).contains(apply);
    }

    private static String git(java.nio.file.Path project, String... args) throws Exception {
        var all = new ArrayList<>(List.of("git", "-c", "user.name=Own", "-c", "user.email=own@example.com"));
        all.addAll(List.of(args));
        var builder = new ProcessBuilder(all).directory(project.toFile()).redirectErrorStream(true);
        builder.environment().putAll(Map.of("GIT_CONFIG_GLOBAL", "/dev/null", "GIT_CONFIG_NOSYSTEM", "1"));
        var process = builder.start();
        var out = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
        assertThat(process.waitFor()).as("%s: %s", all, out).isZero();
        return out;
    }

    @Test
    void aWorkspaceThatChangedSinceItWasReviewedIsNotApplied(@org.junit.jupiter.api.io.TempDir java.nio.file.Path local) throws Exception {
        try (var box = lab.tiny()) {
            box.sh("mkdir -p /srv/w; echo one > /srv/w/a");
            lab.api().post(box.path("/workspace/start"), Map.of("path", "/srv/w")).expect(201);
            box.sh("echo two > /srv/w/a");
            var digest = changes(box, "workspace").get("digest").asString();
            var grant = lab.api().post(box.path("/apply"), Map.of("digest", digest)).expect(201).json();
            assertThat(grant.get("paths").valueStream().map(JsonNode::asString)).containsExactly("a");
            resultsOfAppliesAreOfThoseThatWereGranted(box, grant.get("id").asString());
            assertThat(lab.api().post(box.path("/apply"), Map.of("digest", digest, "only", List.of("nothing-like-it"))).code()).isEqualTo("file-not-found");
            box.sh("echo three > /srv/w/a");
            assertThat(lab.api().post(box.path("/apply"), Map.of("digest", digest)).code()).isEqualTo("changes-moved");
            box.sh("truncate -s 2G /srv/w/huge");
            var now = changes(box, "workspace");
            assertThat(now.get("complete").asBoolean()).as("%s", now).isFalse();
            assertThat(lab.api().post(box.path("/apply"), Map.of("digest", now.get("digest").asString())).code()).isEqualTo("file-refused");
            assertThat(lab.api().post(box.path("/apply"), Map.of("digest", now.get("digest").asString(), "only", List.of("a"))).status()).isEqualTo(201);
        }
    }

    /// To this key, for this sandbox, once.
    private static void resultsOfAppliesAreOfThoseThatWereGranted(Box box, String id) {
        var failed = Map.of("outcome", "failed", "message", "undone");
        var other = lab.api().as(lab.api().post("/v1/keys", Map.of("name", "liar", "scopes", List.of("read", "create", "exec", "operate"))).expect(201).json().get("value").asString());
        assertThat(lab.api().post(box.path("/apply/ap21lk0xcws6qbtbzzzz/result"), failed).code()).isEqualTo("apply-not-found");
        assertThat(other.post(box.path("/apply/" + id + "/result"), failed).code()).isEqualTo("apply-not-found");
        try (var elsewhere = lab.tiny()) {
            assertThat(lab.api().post(elsewhere.path("/apply/" + id + "/result"), failed).code()).isEqualTo("apply-not-found");
        }
        lab.api().post(box.path("/apply/" + id + "/result"), failed).expect(204);
        assertThat(lab.api().post(box.path("/apply/" + id + "/result"), Map.of("outcome", "applied")).code()).isEqualTo("wrong-state");
        assertThat(records(box, "apply.failed")).hasSize(1);
        assertThat(records(box, "apply.applied")).isEmpty();
    }

    @Test
    void aChangeSetThatHumansApproveIsAppliedWhenTheyHaveAndTheCommandLineSaysOrWaits(@org.junit.jupiter.api.io.TempDir java.nio.file.Path local) throws Exception {
        var person = lab.api().post("/v1/users", Map.of("name", "Carol", "role", "approver")).expect(201).json().get("id").asString();
        var carol = new Redoma(lab.rig().url(), lab.api().post("/v1/keys", Map.of("name", "carol", "user", person, "scopes", List.of("read", "approve"))).expect(201).json().get("value").asString());
        var agent = lab.api().as(lab.api().post("/v1/keys", Map.of("name", "agent", "scopes", List.of("read", "create", "exec"))).expect(201).json().get("value").asString());
        var redoma = new Redoma(lab.rig().url(), agent.key());
        try (var box = Box.create(agent, Map.of("template", "tiny", "policy", "approve: [{apply: true, within: 10m}]\n")); var brief = Box.create(agent, Map.of("template", "tiny", "policy", "approve: [{apply: true, within: 1s}]\n"))) {
            for (var b : List.of(box, brief)) {
                b.sh("mkdir -p /srv/w");
                agent.post(b.path("/workspace/start"), Map.of("path", "/srv/w")).expect(201);
                b.sh("echo one > /srv/w/a; echo all: > /srv/w/Makefile");
            }
            var digest = agent.get(box.path("/changes")).expect(200).json().get("digest").asString();
            var denied = agent.post(brief.path("/apply"), Map.of("digest", agent.get(brief.path("/changes")).expect(200).json().get("digest").asString()));
            assertThat(denied.code()).as("nobody said anything in time").isEqualTo("approval-denied");
            assertThat(denied.json().get("details").get("state").asString()).isEqualTo("expired");
            var call = new String[] {"apply", box.id(), "--to", local.toString(), "--digest", digest, "--flagged", "all"};
            assertThat(redoma.call("apply", box.id(), "--to", local.toString(), "--digest", digest).err()).as("nobody is asked for what would not be brought").contains("build-script");
            assertThat(carol.call("approvals", "list", "--json", "--sandbox", box.id()).text()).contains("\"items\":[]");
            var pending = redoma.call(call);
            assertThat(pending.code()).as(pending.err()).isEqualTo(4);
            var id = pending.err().replaceAll("(?s).*?(ap[a-z0-9]{18}).*", "$1");
            assertThat(carol.call("approvals", "list").text()).contains(id).contains("2 changes (1 flagged) to " + local);
            assertThat(carol.call("approvals", "show", id).text()).contains(digest).contains("added Makefile [build-script]").contains("added a");
            assertThat(local).isEmptyDirectory();
            var waiting = java.util.concurrent.CompletableFuture.supplyAsync(() -> {
                try {
                    return redoma.call(java.util.stream.Stream.concat(java.util.Arrays.stream(call), java.util.stream.Stream.of("--wait", "50s")).toArray(String[]::new));
                } catch (Exception failed) {
                    throw new IllegalStateException(failed);
                }
            });
            assertThat(carol.call("approvals", "approve", id, "-m", "looked at it").code()).isZero();
            var applied = waiting.get(60, java.util.concurrent.TimeUnit.SECONDS);
            assertThat(applied.code()).as(applied.err()).isZero();
            assertThat(local.resolve("a")).hasContent("one");
            assertThat(redoma.call(call).code()).as("once").isEqualTo(4);
        }
    }

    @Test
    @Timeout(900)
    void approvalsOutliveAServerThatIsKilledWhileTheyWaitAreDecidedOrAreUsed() throws Exception {
        var person = lab.api().post("/v1/users", Map.of("name", "Dave", "role", "approver")).expect(201).json().get("id").asString();
        var approver = lab.api().post("/v1/keys", Map.of("name", "dave", "user", person, "scopes", List.of("read", "approve"))).expect(201).json().get("value").asString();
        var key = lab.api().post("/v1/keys", Map.of("name", "killed", "scopes", List.of("read", "create", "exec"))).expect(201).json().get("value").asString();
        var chance = new java.util.Random(7);
        for (int round = 0; round < (lab.isLong() ? 25 : 1); round++) {
            var agent = lab.api().as(key);
            var dave = lab.api().as(approver);
            var box = Box.create(agent, Map.of("template", "tiny", "policy", "approve: [{exec: ['sh -c echo ran*'], within: 10m}]\n"));
            var cat = box.start(List.of("cat"), "stdin", true);
            var told = java.util.concurrent.ConcurrentHashMap.<String>newKeySet();
            var said = java.util.concurrent.ConcurrentHashMap.<String>newKeySet();
            var threads = new ArrayList<Thread>();
            for (int i = 0; i < 6; i++) {
                var argv = Box.shell("echo ran >> /tmp/ran-" + i);
                threads.add(Thread.ofVirtual().start(() -> untilCut(() -> {
                    var answer = box.tryStart(argv);
                    if (answer.status() == 403) {
                        told.add(answer.json().get("details").get("approval").asString());
                    }
                })));
            }
            threads.add(Thread.ofVirtual().start(() -> untilCut(() -> dave.get("/v1/approvals?sandbox=" + box.id()).expect(200).json().get("items").valueStream().filter(a -> a.get("state").asString().equals("pending")).map(a -> a.get("id").asString()).forEach(id -> {
                if (dave.post("/v1/approvals/" + id + "/decision", Map.of("verdict", "approve", "reason", "go")).status() == 200) {
                    said.add(id);
                }
            }))));
            var there = new Term(box, cat, 0);
            there.type("seen\n");
            there.await("seen", 30_000);
            org.awaitility.Awaitility.await().atMost(java.time.Duration.ofSeconds(30)).until(() -> said.size() > 3);
            Thread.sleep(chance.nextInt(400)); // any moment
            lab.killServer();
            for (var t : threads) {
                t.join();
            }
            lab.startServer();
            var api = lab.api();
            var states = new java.util.HashMap<String, JsonNode>();
            api.get("/v1/approvals?open=false&sandbox=" + box.id()).expect(200).json().get("items").forEach(a -> states.put(a.get("id").asString(), a));
            assertThat(states.keySet()).as("none that was told is lost").containsAll(told).containsAll(said);
            assertThat(said).as("no decision that was acknowledged").allSatisfy(id -> assertThat(states.get(id).get("state").asString()).isIn("approved", "redeemed"));
            var uses = new ArrayList<String>();
            api.get("/v1/audit?category=exec&sandbox=" + box.id() + "&limit=1000").expect(200).json().get("items").forEach(r -> {
                if (r.get("fields").has("approval")) {
                    uses.add(r.get("fields").get("approval").asString());
                }
            });
            var redeemed = states.values().stream().filter(a -> a.get("state").asString().equals("redeemed")).map(a -> a.get("id").asString()).toList();
            assertThat(uses).as("used once, by one command").doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(redeemed);
            long ran = 0;
            for (int i = 0; i < 6; i++) {
                var file = box.as(api).tryRead("/tmp/ran-" + i);
                ran += file.status() == 200 ? file.text().lines().count() : 0;
            }
            assertThat(ran).isLessThanOrEqualTo(redeemed.size()).isPositive();
            var gone = records(box.as(api), "detached");
            assertThat(gone).singleElement().satisfies(r -> assertThat(r.get("fields").get("why").asString() + r.get("fields").get("counted")).isEqualTo("server-endedfalse"));
            assertThat(lab.verifyLedger()).isEqualTo("ok");
            box.as(api).close();
        }
    }

    private static void untilCut(Runnable call) {
        try {
            while (true) {
                call.run();
            }
        } catch (java.io.UncheckedIOException cut) {
            // the server was killed
        }
    }
}
