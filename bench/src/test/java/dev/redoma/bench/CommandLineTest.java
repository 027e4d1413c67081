// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// The command line against a real server, in processes of its own.
@ExtendWith(LabExtension.class)
class CommandLineTest {
    private final Lab lab;
    private final Redoma redoma;

    CommandLineTest(Lab lab) {
        this.lab = lab;
        this.redoma = Redoma.of(lab);
    }

    @Test
    void ex29ExecEndsWithStdinAPipeATerminalOrNothing() throws Exception {
        try (var box = lab.tiny()) {
            var command = redoma.command("exec", box.id(), "--", "echo", "hi");
            var pipe = Redoma.run(redoma.builder(command));
            var nothing = Redoma.run(redoma.builder(command).redirectInput(new File("/dev/null")));
            var terminal = Redoma.run(redoma.builder(List.of("script", "-qec", String.join(" ", command), "/dev/null")));
            assertThat(List.of(pipe, nothing)).allSatisfy(r -> {
                assertThat(r.code()).as(r.err()).isZero();
                assertThat(r.text()).isEqualTo("hi\n");
            });
            assertThat(terminal.code()).isZero();
            assertThat(terminal.text()).isEqualTo("hi\r\n");
        }
    }

    @Test
    void runReturnsTheCommandsCodeAndKeepsTheStreamsApart() throws Exception {
        var r = redoma.call("run", "-q", "--template", "tiny", "--", "sh", "-c", "printf 'a\\377b'; printf oops >&2; exit 7");
        assertThat(r.code()).as(r.err()).isEqualTo(7);
        assertThat(r.out()).isEqualTo(new byte[] {'a', (byte) 0xff, 'b'});
        assertThat(r.err()).isEqualTo("oops");
    }

    @Test
    void aTimeLimitIs124WithWhatWasPrinted() throws Exception {
        var r = redoma.call("run", "-q", "--template", "tiny", "--timeout", "1s", "--", "sh", "-c", "echo A; sleep 60");
        assertThat(r.code()).as(r.err()).isEqualTo(124);
        assertThat(r.text()).isEqualTo("A\n");
        assertThat(r.err()).contains("time limit of 1.0 s");
    }

    @Test
    void aFailureOfOursIs125AndNamesItself() throws Exception {
        var r = redoma.call("run", "--template", "no-such", "--", "true");
        assertThat(r.code()).isEqualTo(125);
        assertThat(r.err()).contains("no-such").contains("template-not-found").contains("what to do");
        assertThat(redoma.call("show", "sbaaaaaaaaaaaaaaaaaa").code()).isEqualTo(3);
    }

    @Test
    void stdinIsForwardedWhenAskedForAndClosedOtherwise(@TempDir Path scratch) throws Exception {
        var input = Files.write(scratch.resolve("input"), new byte[300_000]);
        try (var box = lab.tiny()) {
            var with = Redoma.run(redoma.builder(redoma.command("exec", "-i", box.id(), "--", "wc", "-c")).redirectInput(input.toFile()));
            assertThat(with.text()).as(with.err()).isEqualTo("300000\n");
            assertThat(redoma.call("exec", box.id(), "--", "sh", "-c", "read x; echo rc=$?").text()).isEqualTo("rc=1\n");
        }
    }

    @Test
    void fi15ALinkIsCopiedAsALinkAndNeverFollowed(@TempDir Path scratch) throws Exception {
        var secret = Files.writeString(scratch.resolve("id_test"), "PRIVATE");
        var folder = Files.createDirectory(scratch.resolve("folder"));
        Files.createSymbolicLink(folder.resolve("l"), secret);
        try (var box = lab.tiny()) {
            var r = redoma.call("cp", folder.toString(), box.id() + ":up");
            assertThat(r.code()).as(r.err()).isZero();
            assertThat(redoma.call("exec", box.id(), "--", "sh", "-c", "cd; readlink up/l; grep -r PRIVATE up; echo done").text())
                    .isEqualTo(secret + "\ndone\n");
        }
    }

    @Test
    void fi17ModesTimesLinksAndEmptyFoldersSurviveTheWayThereAndBack(@TempDir Path scratch) throws Exception {
        var from = Files.createDirectory(scratch.resolve("from"));
        for (var mode : List.of("0755", "0644", "0600", "0444")) {
            var file = Files.writeString(from.resolve("m" + mode), mode);
            Commands.output("chmod", mode, file.toString());
            Commands.output("touch", "-d", "2020-02-03T04:05:06Z", file.toString());
        }
        Files.createSymbolicLink(from.resolve("link"), Path.of("m0755"));
        Files.createDirectory(from.resolve("empty"));
        try (var box = lab.tiny()) {
            assertThat(redoma.call("cp", from + "/.", box.id() + ":there").code()).isZero();
            var to = scratch.resolve("to");
            var r = redoma.call("cp", box.id() + ":there/.", to.toString());
            assertThat(r.code()).as(r.err()).isZero();
            assertThat(look(to)).isEqualTo(look(from));
        }
    }

    private static String look(Path folder) {
        return Commands.output("sh", "-c", "cd '" + folder + "' && find . -mindepth 1 ! -type d -printf '%P %M %s %Ts %l\\n' -o -mindepth 1 -printf '%P %M\\n' | sort");
    }

    @Test
    void aBackgroundCommandIsJoinedByAnotherProcessAtAnyOffset() throws Exception {
        try (var box = lab.tiny()) {
            var id = redoma.call("exec", "-d", box.id(), "--", "sh", "-c", "echo one; sleep 1; echo two; exit 5").text().strip();
            var joined = redoma.call("attach", "--offset", "4", box.id(), id);
            assertThat(joined.code()).as(joined.err()).isEqualTo(5);
            assertThat(joined.text()).isEqualTo("two\n");
            assertThat(redoma.call("logs", box.id(), id).text()).isEqualTo("one\ntwo\n");
        }
    }

    @Test
    void interruptingRunEndsTheSandbox() throws Exception {
        var process = redoma.builder(redoma.command("run", "--template", "tiny", "--label", "made=interrupted", "--", "sh", "-c", "echo up; sleep 300"))
                .redirectErrorStream(true).start();
        assertThat(process.getInputStream().read()).isEqualTo('u');
        process.destroy();
        assertThat(process.waitFor(30, java.util.concurrent.TimeUnit.SECONDS)).isTrue();
        assertThat(redoma.call("list", "-q", "--label", "made=interrupted").text()).isEmpty();
    }

    @Test
    void filesAreSeenMovedAndRemoved() throws Exception {
        try (var box = lab.tiny()) {
            assertThat(redoma.call("mkdir", box.id() + ":/tmp/d").code()).isZero();
            assertThat(redoma.call("exec", box.id(), "--", "sh", "-c", "echo x > /tmp/d/f").code()).isZero();
            assertThat(redoma.call("chmod", box.id() + ":/tmp/d/f", "0600").code()).isZero();
            assertThat(redoma.call("mv", box.id() + ":/tmp/d/f", "/tmp/d/g").code()).isZero();
            assertThat(redoma.call("ls", box.id() + ":/tmp/d").text()).contains("- 0600").contains("/tmp/d/g");
            assertThat(redoma.call("stat", "--json", box.id() + ":/tmp/d/g").text()).contains("\"size\":2");
            assertThat(redoma.call("rm", box.id() + ":/tmp/d").code()).isNotZero();
            assertThat(redoma.call("rm", "-r", box.id() + ":/tmp/d").code()).isZero();
            assertThat(redoma.call("stat", box.id() + ":/tmp/d").code()).isEqualTo(3);
        }
    }

    @Test
    void whatIsNoArchiveSaysSo(@TempDir Path scratch) throws Exception {
        var readme = Files.writeString(scratch.resolve("README.md"), "# No archive\n".repeat(100));
        try (var box = lab.tiny()) {
            for (var text : List.of("# short\n", "# No archive\n".repeat(100))) {
                Files.writeString(readme, text);
                var r = redoma.call("import", readme.toString(), box.id() + ":/tmp/x");
                assertThat(r.code()).isEqualTo(1);
                assertThat(r.err()).contains("neither a tar").contains("nor a zip").contains("Nothing was written");
            }
        }
    }

    @Test
    void boundsSayTheirUnits() throws Exception {
        var r = redoma.call("create", "--template", "tiny", "--lifetime", "365d");
        assertThat(r.code()).isEqualTo(2);
        assertThat(r.err()).contains("1000 (1.0 s) to 86400000 (24h 0m)");
    }

    @Test
    void versionsTagsAndWhatIsInASnapshotAreTold() throws Exception {
        assertThat(redoma.call("template", "tag", "tiny", "cli").code()).isZero();
        var shown = redoma.call("template", "show", "tiny:cli").text();
        assertThat(shown).contains("cli, latest").contains("layer 1").contains("sha256:");
        assertThat(redoma.call("template", "list").text()).contains("USED BY").contains("cli,latest");
        assertThat(redoma.call("template", "untag", "tiny:cli").code()).isZero();
        assertThat(redoma.call("template", "show", "tiny:cli").code()).isEqualTo(3);
        assertThat(redoma.call("template", "show", "no name").code()).isEqualTo(2);
        assertThat(redoma.call("template", "build", "base", "--name", "mine").code()).isEqualTo(2);
        try (var box = lab.tiny()) {
            var secret = "ghp_" + "c1L2i3C4l5I6c7L8i9C0l1I2c3L4i5C6l7I8";
            box.write("/root/app/.env", ("TOKEN=" + secret + "\n").getBytes(java.nio.charset.StandardCharsets.UTF_8));
            assertThat(redoma.call("snapshot", "create", box.id(), "--name", "cli:v1", "--contents", "credentials=refuse").code()).isEqualTo(4);
            var laxer = redoma.call("snapshot", "create", box.id(), "--name", "cli:v1", "--contents", "credentials=keep");
            assertThat(laxer.code()).isEqualTo(2);
            assertThat(laxer.err()).contains("laxer than 'scrub'");
            var kept = redoma.call("snapshot", "create", box.id(), "--name", "cli:v1", "--contents", "other=keep", "--keep-for", "1h");
            assertThat(kept.code()).as(kept.err()).isZero();
            var contents = redoma.call("snapshot", "show", "cli:v1").text();
            assertThat(contents).contains("CLASS").contains("/root/app/.env").contains("expires").doesNotContain(secret);
            var scrubbed = redoma.call("snapshot", "create", box.id(), "--name", "cli:v2");
            assertThat(scrubbed.err()).contains("scrubbed: credentials, 1 file\n");
            assertThat(redoma.call("snapshot", "list", "--name", "cli").text().lines()).hasSize(3);
            assertThat(redoma.call("snapshot", "tag", "cli:v1", "kept").code()).isZero();
            assertThat(redoma.call("snapshot", "delete", "cli:v1").code()).isZero();
            assertThat(redoma.call("snapshot", "show", "cli:v1").code()).isEqualTo(3);
            assertThat(redoma.call("snapshot", "show", "cli:kept").code()).isZero();
            assertThat(redoma.call("snapshot", "delete", "cli:kept").code()).isZero();
            assertThat(redoma.call("snapshot", "show", "cli:kept").code()).isEqualTo(3);
            assertThat(redoma.call("snapshot", "delete", "cli").code()).isZero();
            assertThat(redoma.call("snapshot", "show", "cli").code()).isEqualTo(3);
        }
    }

    @Test
    void theExportIsVerifiedWithoutTheServer(@TempDir Path scratch) throws Exception {
        var out = scratch.resolve("audit.jsonl").toString();
        assertThat(redoma.call("audit", "export", "--out", out).code()).isZero();
        assertThat(java.nio.file.attribute.PosixFilePermissions.toString(Files.getPosixFilePermissions(Path.of(out)))).isEqualTo("rw-------");
        var key = lab.rig().client().audit().publicKey();
        var offline = new Redoma("http://127.0.0.1:1", "none");
        assertThat(offline.call("audit", "verify", out, "--key", key).code()).isZero();
        assertThat(offline.call("audit", "verify", out).text()).contains("unanchored");
        var bytes = Files.readString(Path.of(out)).replaceFirst("\"seq\":1\\b", "\"seq\":2");
        Files.writeString(Path.of(out), bytes);
        assertThat(offline.call("audit", "verify", out, "--key", key).code()).isEqualTo(1);
        assertThat(redoma.call("audit", "verify").code()).isZero();
        assertThat(redoma.call("audit", "tail", "-n", "3").text().lines()).hasSize(3);
    }

    @Test
    void theExampleProjectRunsAndItsFailureIsItsOwn() throws Exception {
        lab.base().close();
        var home = Path.of(System.getProperty("redoma.root"));
        var r = redoma.call("run", "--template", "base", "--workspace", home.resolve("examples/todo-app").toString(), "--", "python3", "-m", "unittest", "-v");
        assertThat(r.code()).as(r.err()).isEqualTo(1);
        assertThat(r.err()).contains("FAILED (failures=").contains("file");
    }

    /// `run` waits until somebody has decided: what is approved goes through, what is denied is 125 and leaves no sandbox.
    @Test
    void runWaitsForWhoDecides(@TempDir Path dir) throws Exception {
        var policy = Files.writeString(dir.resolve("policy.yaml"), "approve: [{exec: [\"echo asked*\"], within: 10m}]\n").toString();
        var person = lab.api().post("/v1/users", java.util.Map.of("name", "Ann", "role", "approver")).expect(201).json().get("id").asString();
        var ann = new Redoma(lab.rig().url(), lab.api().post("/v1/keys", java.util.Map.of("name", "ann", "user", person, "scopes", List.of("read", "approve"))).expect(201).json().get("value").asString());
        var agent = new Redoma(lab.rig().url(), lab.api().post("/v1/keys", java.util.Map.of("name", "agent", "scopes", List.of("read", "create", "exec"))).expect(201).json().get("value").asString());
        for (var verdict : List.of("approve", "deny")) {
            var out = dir.resolve("out").toFile();
            var err = dir.resolve("err").toFile();
            var waits = agent.builder(agent.command("run", "-q", "--template", "tiny", "--policy", policy, "--name", "asks-" + verdict, "--", "echo", "asked", verdict)).redirectInput(new File("/dev/null")).redirectOutput(out).redirectError(err).start();
            try {
                org.awaitility.Awaitility.await().atMost(java.time.Duration.ofSeconds(30)).untilAsserted(() -> assertThat(err).content().contains("waits: "));
                assertThat(out).isEmpty();
                var asked = ann.call("approvals", "list").text().replaceAll("(?s).*(ap[a-z0-9]{18}).*", "$1");
                var decided = ann.call("approvals", verdict, asked, "--reason", "a test");
                assertThat(decided.code()).as(decided.err()).isZero();
                assertThat(waits.waitFor(30, java.util.concurrent.TimeUnit.SECONDS)).isTrue();
            } finally {
                waits.destroy();
            }
            boolean through = verdict.equals("approve");
            assertThat(waits.exitValue()).as(Files.readString(err.toPath())).isEqualTo(through ? 0 : 125);
            assertThat(out).hasContent(through ? "asked approve" : "");
            assertThat(err).content().contains(through ? "waits: " : "a test");
            assertThat(redoma.call("list").text()).doesNotContain("asks-" + verdict);
        }
    }

    @Test
    void aPersonJoinsByAGrantIsSeenByTheOwnerAndIsCutOff(@TempDir Path dir) throws Exception {
        var person = lab.api().post("/v1/users", java.util.Map.of("name", "Viv", "role", "viewer")).expect(201).json().get("id").asString();
        var viv = new Redoma(lab.rig().url(), lab.api().post("/v1/keys", java.util.Map.of("name", "viv", "user", person, "scopes", List.of("read"))).expect(201).json().get("value").asString());
        try (var box = lab.tiny()) {
            var exec = box.start(Box.shell("while read l; do echo got-$l; done"), "stdin", true);
            var refused = viv.call("attach", box.id(), exec, "--mode", "read");
            assertThat(refused.code()).isEqualTo(125);
            assertThat(refused.err()).contains("not granted");
            assertThat(redoma.call("attach", box.id()).code()).isEqualTo(125);
            var granted = redoma.call("attach", "grant", box.id(), "--to", person, "--for", "10m");
            assertThat(granted.code()).as(granted.err()).isZero();
            var grant = granted.text().replaceAll("(?s).*(ag[a-z0-9]{18}).*", "$1");
            var out = dir.resolve("out").toFile();
            var err = dir.resolve("err").toFile();
            var joined = viv.builder(viv.command("attach", box.id(), exec, "--mode", "read")).redirectInput(new File("/dev/null")).redirectOutput(out).redirectError(err).start();
            try {
                box.stdin(exec, "one\n".getBytes(java.nio.charset.StandardCharsets.UTF_8), false);
                org.awaitility.Awaitility.await().atMost(java.time.Duration.ofSeconds(30)).untilAsserted(() -> assertThat(out).hasContent("got-one"));
                assertThat(redoma.call("attach", "list", box.id()).text()).contains(person).contains(grant).contains("ATTACHED").contains("read");
                assertThat(redoma.call("show", box.id()).text()).contains(person);
                assertThat(redoma.call("attach", "revoke", box.id(), grant).code()).isZero();
                assertThat(joined.waitFor(30, java.util.concurrent.TimeUnit.SECONDS)).isTrue();
            } finally {
                joined.destroyForcibly();
            }
            assertThat(joined.exitValue()).isEqualTo(125);
            assertThat(err).content().contains("revoked");
            assertThat(redoma.call("attach", "list", box.id()).text()).contains("nobody is attached");
            var writing = redoma.builder(redoma.command("attach", box.id(), exec, "--mode", "write"));
            var typed = dir.resolve("in");
            Files.writeString(typed, "two\n");
            var mine = writing.redirectInput(typed.toFile()).redirectOutput(out).redirectError(err).start();
            org.awaitility.Awaitility.await().atMost(java.time.Duration.ofSeconds(30)).untilAsserted(() -> assertThat(out).content().contains("got-two"));
            box.killExec(exec);
            assertThat(mine.waitFor(30, java.util.concurrent.TimeUnit.SECONDS)).isTrue();
            assertThat(mine.exitValue()).as("killed").isEqualTo(137);
        }
    }
}
