// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redoma.model.wire.Change;
import dev.redoma.model.wire.ChangeSet;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `apply --branch` as it is called, against a server that answers as the real one and repositories that git made.
class ApplyBranchTest {
    private static final String BOX = "/v1/sandboxes/" + FakeServer.BOX;

    @TempDir
    Path tmp;

    private Path repo = Path.of("");
    private final List<String> told = new CopyOnWriteArrayList<>();

    @BeforeEach
    void aRepository() throws Exception {
        repo = Files.createDirectory(tmp.resolve("repo"));
        git("init", "-q", "-b", "main");
        Files.writeString(repo.resolve("a"), "one");
        git("add", "-A");
        git("commit", "-q", "-m", "start");
    }

    private String git(String... args) throws Exception {
        var all = new ArrayList<>(List.of("git", "-c", "user.name=Own", "-c", "user.email=own@example.com"));
        all.addAll(List.of(args));
        return ran(repo, all);
    }

    private static String ran(Path where, List<String> command) throws Exception {
        var builder = new ProcessBuilder(command).directory(where.toFile()).redirectErrorStream(true);
        builder.environment().putAll(Map.of("GIT_CONFIG_GLOBAL", "/dev/null", "GIT_CONFIG_NOSYSTEM", "1"));
        var process = builder.start();
        var out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        assertThat(process.waitFor()).as("%s: %s", command, out).isZero();
        return out;
    }

    private static String digest(String text) throws Exception {
        return "sha256:" + HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
    }

    private ChangeSet set() throws Exception {
        return ChangeSet.of(FakeServer.BOX, ChangeSet.WORKSPACE, "/w", true, Instant.EPOCH, Map.of(), List.of(
                new Change(".git/hooks/pre-commit", "added", "file", null, null, null, 1L, null, "0755", null, digest("x"), null, List.of("git-hook")),
                new Change("Makefile", "added", "file", null, null, null, 4L, null, "0644", null, digest("all:"), null, List.of("build-script")),
                new Change("a", "changed", "file", null, null, 3L, 3L, "0644", "0644", digest("one"), digest("two"), null, List.of()),
                new Change("e", "added", "directory", null, null, null, null, null, "0755", null, null, null, List.of())));
    }

    /// Hands out what is in `files`.
    private FakeServer server(Map<String, String> files) throws Exception {
        var set = set();
        var from = Files.createTempDirectory(tmp, "files");
        for (var f : files.entrySet()) {
            Files.createDirectories(from.resolve(f.getKey()).getParent());
            Files.writeString(from.resolve(f.getKey()), f.getValue());
        }
        var tar = new ArrayList<>(List.of("tar", "--format=posix", "-cf", tmp.resolve("files.tar").toString(), "-T", "/dev/null"));
        tar.addAll(files.keySet());
        ran(from, tar);
        var paths = set.items().stream().map(Change::path).toList();
        return new FakeServer().on("GET " + BOX + "/changes", x -> FakeServer.json(x, 200, Map.of("sandbox", set.sandbox(), "scope", set.scope(), "root", set.root(), "digest", set.digest(), "complete", true, "ended", true, "at", "1970-01-01T00:00:00Z",
                        "counts", set.counts(), "flags", set.flags(), "items", set.items())))
                .on("POST " + BOX + "/apply", x -> {
                    told.add(new String(x.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
                    FakeServer.json(x, 201, Map.of("id", "ap1", "digest", set.digest(), "paths", paths));
                }).on("POST " + BOX + "/apply/ap1/result", x -> {
                    told.add(new String(x.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
                    x.sendResponseHeaders(204, -1);
                }).on("GET " + BOX + "/changes/archive", x -> {
                    var archive = Files.readAllBytes(tmp.resolve("files.tar"));
                    x.sendResponseHeaders(200, archive.length);
                    x.getResponseBody().write(archive);
                });
    }

    private Called apply(FakeServer server, String... more) throws Exception {
        var all = new ArrayList<>(List.of("apply", FakeServer.BOX, "--to", repo.toString(), "--digest", set().digest()));
        all.addAll(List.of(more));
        return Called.with(server.address(), all.toArray(String[]::new));
    }

    @Test
    void whatWasApprovedAndNamedIsOneCommitAndToldAsEveryApply() throws Exception {
        try (var server = server(Map.of("a", "two", "Makefile", "all:", ".git/hooks/pre-commit", "x"))) {
            var flagged = apply(server, "--branch", "agent/fix", "--author", "Ann Lee <ann@example.com>");
            assertThat(flagged.code() + flagged.err()).startsWith("4").contains("Makefile [build-script]").doesNotContain("pre-commit");
            assertThat(told).as("nobody is asked for what would not be brought").isEmpty();
            assertThat(git("branch", "--list")).isEqualTo("* main");
            var applied = apply(server, "--json", "--branch", "agent/fix", "--author", "Ann Lee <ann@example.com>", "--message", "Fix it", "--flagged", "build-script");
            assertThat(applied.err()).isEmpty();
            assertThat(applied.code()).isZero();
            @SuppressWarnings("unchecked")
            Map<String, Object> json = tools.jackson.databind.json.JsonMapper.builder().build().readValue(applied.text(), Map.class);
            assertThat(json).containsEntry("applied", List.of("Makefile", "a", "e")).containsEntry("leftOutGit", 1).containsEntry("branch", "agent/fix").containsEntry("commit", git("rev-parse", "agent/fix"))
                    .containsEntry("author", "Ann Lee <ann@example.com>").containsEntry("notCarried", List.of("e")).containsEntry("before", null);
            assertThat(told).hasSize(2);
            assertThat(told.getFirst()).contains(repo + "#refs/heads/agent/fix").contains(set().digest());
            assertThat(told.getLast()).contains("applied");
            assertThat(git("log", "-1", "--format=%an|%s|%(trailers:only,unfold)", "agent/fix")).isEqualTo("Ann Lee|Fix it|Redoma-Sandbox: " + FakeServer.BOX + "\nRedoma-Changes: " + set().digest() + "\nRedoma-Apply: ap1");
            assertThat(git("show", "agent/fix:a") + git("show", "agent/fix:Makefile") + git("status", "--porcelain") + Files.readString(repo.resolve("a"))).isEqualTo("twoall:one");
            git("fsck", "--strict");
            var again = apply(server, "--branch", "agent/fix", "--author", "Ann Lee <ann@example.com>", "--flagged", "all");
            assertThat(again.code() + again.err()).startsWith("0").contains("no commit was made");
        }
    }

    @Test
    void whatFailsIsToldToTheServerAndLeavesNoBranch() throws Exception {
        try (var server = server(Map.of("a", "twO", "Makefile", "all:"))) {
            var wrong = apply(server, "--branch", "b", "--author", "Ann Lee <ann@example.com>", "--flagged", "all");
            assertThat(wrong.code() + wrong.err()).startsWith("4").contains("'a' is not what was reviewed").contains("Nothing of it is on the branch");
            assertThat(told.getLast()).contains("failed").contains("not what was reviewed");
            Files.writeString(repo.resolve("a"), "mine");
            git("commit", "-qam", "mine");
            var differs = apply(server, "--branch", "b", "--author", "Ann Lee <ann@example.com>", "--flagged", "all");
            assertThat(differs.code() + differs.err()).startsWith("4").contains("not as the workspace was at its start").contains("--replace");
            assertThat(git("branch", "--list")).isEqualTo("* main");
        }
    }

    @Test
    void whatCannotBeIsRefusedBeforeAnybodyIsAsked() throws Exception {
        try (var server = server(Map.of())) {
            var checkedOut = apply(server, "--branch", "main", "--author", "Ann Lee <ann@example.com>");
            assertThat(checkedOut.code() + checkedOut.err()).startsWith("4").contains("branch 'main' is checked out");
            for (var name : List.of("HEAD", "refs/heads/x", "a..b", "--x")) {
                var called = apply(server, "--branch=" + name, "--author", "Ann Lee <ann@example.com>");
                assertThat(called.code() + called.err()).as(name).startsWith("2").contains("names no branch");
            }
            assertThat(apply(server, "--branch", "b", "--author", "Ann").err()).contains("is no author");
            assertThat(apply(server, "--branch", "b", "--message", " ").code()).isEqualTo(2);
            assertThat(apply(server, "--author", "Ann Lee <ann@example.com>").err()).contains("--branch NAME");
            var none = Called.with(server.address(), "apply", FakeServer.BOX, "--to", tmp.toString(), "--digest", "x", "--branch", "b");
            assertThat(none.code() + none.err()).startsWith("4").contains("is no repository of git");
            assertThat(server.asked).noneMatch(a -> a.contains("apply") || a.contains("changes"));
        }
    }
}
