// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli.apply;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redoma.model.wire.Change;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Commits change sets to repositories that git itself made, hostile ones among them, and has git say what is there.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BranchTest {
    private static final Author ANN = new Author("Ann Lee", "ann@example.com");
    private static final Origin ORIGIN = new Origin("sb123", "sha256:00", "ap1");

    @TempDir
    Path tmp;

    private Path repo = Path.of("");

    @BeforeEach
    void aRepository() throws Exception {
        repo = Files.createDirectory(tmp.resolve("repo"));
        git("init", "-q", "-b", "main");
    }

    private String git(String... args) throws Exception {
        return git(Map.of(), args);
    }

    private String git(Map<String, String> environment, String... args) throws Exception {
        var all = new ArrayList<>(List.of("git", "-c", "user.name=Own", "-c", "user.email=own@example.com"));
        all.addAll(List.of(args));
        var builder = new ProcessBuilder(all).directory(repo.toFile()).redirectErrorStream(true);
        builder.environment().putAll(Map.of("GIT_CONFIG_GLOBAL", "/dev/null", "GIT_CONFIG_NOSYSTEM", "1", "HOME", tmp.toString()));
        builder.environment().putAll(environment);
        var process = builder.start();
        var out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as("%s: %s", all, out).isZero();
        return out.strip();
    }

    private void committed(Map<String, ApplyingTest.Entry> tree) throws Exception {
        ApplyingTest.make(repo, tree);
        git("add", "-A");
        git("commit", "-q", "--allow-empty", "-m", "start");
    }

    private Branch open(String name, Runnable beforeMove) {
        return Branch.of(repo, name, ANN, null, List.of(), beforeMove);
    }

    private Branch.Done apply(String name, List<Change> changes, Map<String, ApplyingTest.Entry> after, boolean over) throws IOException {
        try (var branch = open(name, () -> {})) {
            branch.apply(changes, over, contents(after), ORIGIN);
            return branch.done().orElseThrow();
        }
    }

    private static Target.Contents contents(Map<String, ApplyingTest.Entry> after) {
        return (files, into) -> {
            for (var c : files) {
                into.file(c.path(), new ByteArrayInputStream(Tree.bytes(after.get(c.path()).content())));
            }
        };
    }

    private static Change added(String path, String type, @Nullable String target) {
        return new Change(path, "added", type, null, null, null, 1L, null, type.equals("symlink") ? null : "0644", null, ApplyingTest.file("x").digest(), target, List.of());
    }

    private void refused(String name, String... why) throws Exception {
        var before = look();
        assertThatThrownBy(() -> apply(name, List.of(added("new", "file", null)), Map.of("new", ApplyingTest.file("x")), true)).as(name).isInstanceOf(NotApplied.class).satisfies(e -> assertThat(e.getMessage()).contains(why));
        assertThat(look()).isEqualTo(before);
    }

    /// All files but objects, with their contents.
    private Map<String, String> look() throws IOException {
        try (var walk = Files.walk(repo)) {
            return walk.filter(p -> !repo.relativize(p).toString().matches("(.git/)?objects.*") && Files.isRegularFile(p)).collect(Collectors.toMap(p -> repo.relativize(p).toString(), p -> read(p)));
        }
    }

    private static String read(Path file) {
        try {
            return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void whatWasReviewedIsOneCommitAndNothingElseOfTheRepositoryIsTouched() throws Exception {
        var before = new TreeMap<>(Map.of("a", ApplyingTest.file("one"), "run", new ApplyingTest.Entry("file", "0755", "#!"), "d", ApplyingTest.DIRECTORY, "d/f", ApplyingTest.file("f"), "old", ApplyingTest.file("same"), "l", new ApplyingTest.Entry("symlink", "0777", "a")));
        committed(before);
        Files.writeString(repo.resolve("a"), "mine, not committed");
        var after = new TreeMap<>(before);
        after.put("a", ApplyingTest.file("two"));
        after.put("run", ApplyingTest.file("#!"));
        after.remove("d");
        after.remove("d/f");
        after.put("l", new ApplyingTest.Entry("symlink", "0777", "../out"));
        after.put("empty", ApplyingTest.DIRECTORY);
        after.put("secret", new ApplyingTest.Entry("file", "0600", "s"));
        var changes = new ArrayList<>(ApplyingTest.changes(before, after));
        var same = before.get("old");
        changes.add(new Change("n/\\xff", "renamed", "file", null, "old", 4L, 4L, "0644", "0644", same.digest(), same.digest(), null, List.of()));
        changes.add(new Change("n", "added", "directory", null, null, null, null, null, "0755", null, null, null, List.of()));
        after.put("n/\\xff", same);
        var was = look();
        var done = apply("agent/fix", changes, after, false);
        assertThat(done.before()).isNull();
        assertThat(done.notCarried()).containsExactly("empty", "secret");
        assertThat(git("rev-parse", "agent/fix")).isEqualTo(done.commit());
        assertThat(git("rev-parse", "agent/fix^")).isEqualTo(git("rev-parse", "main"));
        git("fsck", "--strict", "--no-dangling");
        assertThat(git("ls-tree", "-r", "agent/fix").lines().map(l -> l.replaceAll(" [0-9a-f]{40}", ""))).containsExactly("100644 blob\ta", "120000 blob\tl", "100644 blob\t\"n/\\377\"", "100644 blob\trun", "100644 blob\tsecret");
        assertThat(git("show", "agent/fix:l")).isEqualTo("../out");
        assertThat(git("log", "-1", "--format=%an <%ae>|%cn|%s|%(trailers)", "agent/fix")).startsWith("Ann Lee <ann@example.com>|Ann Lee|Changes of sandbox sb123|Redoma-Sandbox: sb123\nRedoma-Changes: sha256:00\nRedoma-Apply: ap1");
        var now = look();
        assertThat(now.remove(".git/refs/heads/agent/fix")).isEqualTo(done.commit() + "\n");
        assertThat(now).as("index, work tree, HEAD, logs and configuration are as they were").isEqualTo(was);
        // The next one is on top of it, also where all is packed; and one that is there already is none.
        git("gc", "-q");
        git("pack-refs", "--all");
        var more = new TreeMap<>(after);
        more.put("secret", ApplyingTest.file("t"));
        var next = apply("agent/fix", ApplyingTest.changes(Map.of("secret", after.get("secret")), Map.of("secret", more.get("secret"))), more, false);
        assertThat(next.before()).isEqualTo(done.commit());
        assertThat(git("rev-parse", "agent/fix^")).isEqualTo(done.commit());
        assertThat(apply("agent/fix", ApplyingTest.changes(Map.of("secret", after.get("secret")), Map.of("secret", more.get("secret"))), more, false).commit()).isNull();
        var kept = apply("agent/same", ApplyingTest.changes(Map.of("a", ApplyingTest.file("one")), Map.of("a", new ApplyingTest.Entry("file", "0600", "one"), "e", ApplyingTest.DIRECTORY)), before, false);
        assertThat(kept).as("what git does not hold is told, and is no commit").isEqualTo(new Branch.Done(null, null, List.of("a", "e")));
        assertThat(git("branch", "--list", "agent/same")).isEmpty();
        git("fsck", "--strict");
        try (var objects = Files.list(repo.resolve(".git/objects"))) {
            assertThat(objects.map(p -> p.getFileName().toString())).allMatch(n -> n.matches("[0-9a-f]{2}|info|pack"));
        }
    }

    @Test
    void aTreeAtRandomBecomesTheOneThatGitItselfMakesOfTheFiles() throws Exception {
        for (int seed = 0; seed < 20; seed++) {
            var random = new Random(seed);
            var before = ApplyingTest.tree(random);
            var after = ApplyingTest.tree(random);
            repo = Files.createDirectory(tmp.resolve("r" + seed));
            git("init", "-q", "-b", "main");
            committed(before);
            var files = tmp.resolve("f" + seed);
            ApplyingTest.make(files, after);
            var index = Map.of("GIT_WORK_TREE", files.toString(), "GIT_DIR", repo.resolve(".git").toString(), "GIT_INDEX_FILE", tmp.resolve("i" + seed).toString());
            git(index, "add", "-A");
            var tree = git(index, "write-tree");
            var done = apply("b", ApplyingTest.changes(before, after), after, false);
            assertThat(git("rev-parse", (done.commit() == null ? "main" : "b") + "^{tree}")).as("seed %d", seed).isEqualTo(tree);
        }
    }

    @Test
    void nothingThatTheRepositoryConfiguresRunsOrIsRead() throws Exception {
        committed(Map.of("a", ApplyingTest.file("one"), ".gitattributes", ApplyingTest.file("* filter=evil diff=evil text eol=crlf\n")));
        var ran = tmp.resolve("ran");
        var evil = Files.writeString(tmp.resolve("evil"), "#!/bin/sh\necho $0 $* >> '" + ran + "'\n");
        Files.setAttribute(evil, "unix:mode", 0755);
        for (var hook : List.of("pre-commit", "commit-msg", "prepare-commit-msg", "post-commit", "reference-transaction", "update", "post-update", "post-checkout", "pre-auto-gc", "fsmonitor-watchman", "post-index-change")) {
            Files.copy(evil, repo.resolve(".git/hooks").resolve(hook), java.nio.file.StandardCopyOption.COPY_ATTRIBUTES);
        }
        var included = Files.writeString(tmp.resolve("included"), "[user]\nname = Included\n");
        Files.writeString(repo.resolve(".git/config"), """
                [core]
                    repositoryformatversion = 0
                    fsmonitor = %1$s
                    hooksPath = %2$s
                    worktree = %2$s
                    sshCommand = %1$s
                    alternateRefsCommand = %1$s
                    logAllRefUpdates = always
                [include]
                    path = %3$s
                [includeIf "gitdir:/"]
                    path = %3$s
                [filter "evil"]
                    clean = %1$s
                    smudge = %1$s
                    required = true
                [diff "evil"]
                    textconv = %1$s
                [commit]
                    gpgSign = true
                [gpg]
                    program = %1$s
                [user]
                    signingKey = x
                    name = Of the Repository
                    email = r@example.com
                """.formatted(evil, tmp, included));
        var after = Map.of("a", ApplyingTest.file("two\n"));
        var events = tmp.resolve("events.jfr");
        try (var recording = new jdk.jfr.Recording()) {
            recording.enable("jdk.ProcessStart");
            recording.enable("jdk.FileRead").withoutThreshold().withoutStackTrace();
            recording.enable("jdk.FileWrite").withoutThreshold().withoutStackTrace();
            recording.start();
            try (var branch = Branch.of(repo, "b", null, null, List.of(), () -> {})) {
                branch.apply(ApplyingTest.changes(Map.of("a", ApplyingTest.file("one")), after), false, contents(after), ORIGIN);
                assertThat(branch.author()).hasToString("Of the Repository <r@example.com>");
            }
            recording.dump(events);
        }
        var seen = jdk.jfr.consumer.RecordingFile.readAllEvents(events);
        assertThat(seen).noneMatch(e -> e.getEventType().getName().equals("jdk.ProcessStart"));
        assertThat(paths(seen, "jdk.FileWrite")).isNotEmpty().allMatch(p -> p.startsWith(repo + "/.git/objects/noz") || p.equals(repo + "/.git/refs/heads/b.lock"));
        assertThat(paths(seen, "jdk.FileRead")).contains(repo + "/.git/config").noneMatch(p -> p.equals(included.toString()) || p.endsWith("gitconfig") || p.contains("/hooks/") || p.endsWith("git/config") && !p.startsWith(repo.toString()));
        assertThat(ran).doesNotExist();
        assertThat(repo.resolve(".git/logs/refs/heads/b")).doesNotExist();
        Files.writeString(repo.resolve(".git/config"), "");
        assertThat(git("cat-file", "-p", "b:a")).isEqualTo("two");
        assertThat(git("cat-file", "-p", "b")).doesNotContain("gpgsig");
    }

    private static List<String> paths(List<jdk.jfr.consumer.RecordedEvent> events, String type) {
        return events.stream().filter(e -> e.getEventType().getName().equals(type)).map(e -> String.valueOf(e.getString("path"))).distinct().toList();
    }

    @Test
    void whatDiffersIsRefusedByNameOrReplaced() throws Exception {
        committed(new TreeMap<>(Map.of("a", ApplyingTest.file("other"), "x", ApplyingTest.file("same"), "d", ApplyingTest.DIRECTORY, "d/f", ApplyingTest.file("f"), "d/mine", ApplyingTest.file("m"), "there", ApplyingTest.file("t"))));
        var before = new TreeMap<>(Map.of("a", ApplyingTest.file("one"), "x", new ApplyingTest.Entry("file", "0755", "same"), "gone", ApplyingTest.file("g")));
        var after = new TreeMap<>(Map.of("a", ApplyingTest.file("two"), "x", ApplyingTest.file("new"), "there", ApplyingTest.file("n"), "gone", ApplyingTest.file("h")));
        var was = look();
        assertThatThrownBy(() -> apply("b", ApplyingTest.changes(before, after), after, false)).hasMessageContaining("not as the workspace was at its start (nothing was changed)")
                .isInstanceOfSatisfying(NotApplied.class, e -> assertThat(e.paths()).containsExactlyInAnyOrder("a", "x", "there", "gone"));
        // A directory that goes, in which something lies that the change set does not name.
        assertThatThrownBy(() -> apply("b", ApplyingTest.changes(new TreeMap<>(Map.of("d", ApplyingTest.DIRECTORY, "d/f", ApplyingTest.file("f"))), Map.of()), Map.of(), true)).hasMessageContaining("does not take it");
        assertThat(look()).isEqualTo(was);
        try (var branch = open("b", () -> {})) {
            assertThat(branch.differing(ApplyingTest.changes(before, after))).containsExactlyInAnyOrder("a", "x", "there", "gone");
        }
        apply("b", ApplyingTest.changes(before, after), after, true);
        assertThat(git("show", "b:a") + git("show", "b:there") + git("show", "b:gone") + git("show", "b:d/mine")).isEqualTo("twonhm");
    }

    @Test
    void whatIsNotWhatWasReviewedOrDoesNotComeLeavesTheBranchAsItWas() throws Exception {
        committed(Map.of("a", ApplyingTest.file("one")));
        git("branch", "b");
        var was = look();
        var after = new TreeMap<>(Map.of("a", ApplyingTest.file("two"), "big", ApplyingTest.file("b".repeat(3_000_000))));
        var changes = ApplyingTest.changes(Map.of("a", ApplyingTest.file("one")), after);
        for (var wrong : List.of("twO", "tw", "twoo", "")) {
            try (var branch = open("b", () -> {})) {
                assertThatThrownBy(() -> branch.apply(changes, false, (files, into) -> into.file("a", new ByteArrayInputStream(Tree.bytes(wrong))), ORIGIN)).as(wrong).hasMessageContaining("not what was reviewed");
                assertThatThrownBy(() -> branch.apply(changes, false, (files, into) -> into.file("big", new ByteArrayInputStream(new byte[wrong.length()])), ORIGIN)).as(wrong).hasMessageContaining("not what was reviewed");
            }
        }
        try (var branch = open("b", () -> {})) {
            assertThatThrownBy(() -> branch.apply(changes, false, (files, into) -> into.file("a", new ByteArrayInputStream(Tree.bytes("two"))), ORIGIN)).hasMessageContaining("'big' did not come");
        }
        assertThat(look()).isEqualTo(was);
        apply("b", changes, after, false);
        assertThat(git("cat-file", "-s", "b:big")).isEqualTo("3000000");
        git("fsck", "--strict");
    }

    @Test
    void aBranchThatMovesMeanwhileStaysWhereItIsAndAKilledOneLeavesNothing() throws Exception {
        committed(Map.of("a", ApplyingTest.file("one")));
        git("commit", "-q", "--allow-empty", "-m", "second");
        git("branch", "b", "main");
        var changes = List.of(added("new", "file", null));
        var after = Map.of("new", ApplyingTest.file("x"));
        raced("b", changes, after, "did not move", "branch", "-f", "b", "main^");
        assertThat(git("rev-parse", "b")).isEqualTo(git("rev-parse", "main^"));
        raced("c", changes, after, "did not move", "branch", "c", "main^");
        assertThat(git("rev-parse", "c")).isEqualTo(git("rev-parse", "main^"));
        raced("b", changes, after, "checked out", "checkout", "-q", "b");
        git("checkout", "-q", "main");
        raced("b/inner", changes, after, "did not move", "status");
        assertThatThrownBy(() -> {
            try (var branch = open("b", () -> {
                throw new IllegalStateException("killed");
            })) {
                branch.apply(changes, false, contents(after), ORIGIN);
            }
        }).hasMessage("killed");
        Files.writeString(repo.resolve(".git/refs/heads/b.lock"), "");
        raced("b", changes, after, "another git holds its lock", "status");
        Files.delete(repo.resolve(".git/refs/heads/b.lock"));
        assertThat(git("rev-parse", "b")).isEqualTo(git("rev-parse", "main^"));
        git("fsck", "--strict");
    }

    private void raced(String name, List<Change> changes, Map<String, ApplyingTest.Entry> after, String why, String... meanwhile) {
        try (var branch = open(name, () -> {
            try {
                git(meanwhile);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        })) {
            assertThatThrownBy(() -> branch.apply(changes, false, contents(after), ORIGIN)).isInstanceOf(NotApplied.class).hasMessageContaining(why);
        }
    }

    @Test
    void namesThatGitOrAFileSystemTakesForGitsOwnAndPathsThatLeadElsewhereAreRefused() throws Exception {
        var other = tmp.resolve("other");
        Files.createDirectory(other);
        committed(new TreeMap<>(Map.of("l", new ApplyingTest.Entry("symlink", "0777", "../other"), "f", ApplyingTest.file("f"))));
        git("update-index", "--add", "--cacheinfo", "160000," + git("rev-parse", "HEAD") + ",sub");
        git("commit", "-q", "-m", "with a submodule");
        var was = look();
        for (var path : List.of(".git/hooks/x", "d/.GIT/x", ".git ", ".git.", ".Git . .", "git~1", "GIT~1/x", "git~2", ".g\u200cit", "\ufeff.git/x", ".git::$INDEX_ALLOCATION/x", ".git:x", ".git\\x", "x\\.git\\y", "d/.git\u200f ", "../x", "/etc/x", "a//x", "a/./x", ".", "", "a/../../x", "n\0l",
                ".redoma-apply/steps", "l/x", "f/x", "sub/x")) {
            assertThatThrownBy(() -> apply("b", List.of(added(path, "file", null)), Map.of(path, ApplyingTest.file("x")), true)).as(path).isInstanceOf(NotApplied.class);
        }
        for (var type : List.of("fifo", "socket", "char", "block")) {
            assertThatThrownBy(() -> apply("b", List.of(added("dev", type, null)), Map.of(), true)).hasMessageContaining("'dev' is a " + type);
        }
        assertThatThrownBy(() -> apply("b", List.of(added(".gitmodules", "symlink", "x")), Map.of(), true)).hasMessageContaining("git refuses");
        assertThatThrownBy(() -> apply("b", List.of(Change.truncated("d", "directory")), Map.of(), true)).hasMessageContaining("bound cut");
        assertThat(look()).isEqualTo(was);
        assertThat(other).isEmptyDirectory();
        // What only looks like it is a name as any other.
        apply("b", List.of(added(".github", "file", null), added("git", "file", null), added(".gitx", "file", null), added("con", "file", null), added("a b. ", "file", null)), Map.of(".github", ApplyingTest.file("x"), "git", ApplyingTest.file("x"), ".gitx", ApplyingTest.file("x"), "con", ApplyingTest.file("x"), "a b. ", ApplyingTest.file("x")), false);
        assertThat(git("ls-tree", "--name-only", "b").lines()).contains(".github", "git", ".gitx", "con", "a b. ", "sub", "l");
    }

    @Test
    void aBranchWhoseFilesLieInAWorkTreeIsRefusedAndSaysWhatToDo() throws Exception {
        refused("main", "branch 'main' is checked out", "Name another branch");
        committed(Map.of("a", ApplyingTest.file("one")));
        refused("main", "branch 'main' is checked out");
        git("worktree", "add", "-q", "-b", "linked", tmp.resolve("linked").toString());
        refused("linked", "checked out in the work tree 'linked'");
        Files.createDirectory(repo.resolve(".git/rebase-merge"));
        git("branch", "moving");
        Files.writeString(repo.resolve(".git/rebase-merge/head-name"), "refs/heads/moving\n");
        refused("moving", "being rebased");
        repo = tmp.resolve("linked");
        assertThatThrownBy(() -> open("x", () -> {})).hasMessageContaining("is a file or a link").hasMessageContaining("name the repository");
        repo = tmp.resolve("repo/.git");
        assertThatThrownBy(() -> open("main", () -> {})).hasMessageContaining("checked out");
    }

    @Test
    void aRepositoryWithoutACommitOrAWorkTreeTakesOne() throws Exception {
        var after = new TreeMap<>(Map.of("d", ApplyingTest.DIRECTORY, "d/new", ApplyingTest.file("x")));
        apply("first", ApplyingTest.changes(Map.of(), after), after, false);
        assertThat(git("log", "--format=%P|%an", "first")).isEqualTo("|Ann Lee");
        assertThat(apply("none", List.of(), Map.of(), false).commit()).isNull();
        repo = Files.createDirectory(tmp.resolve("bare"));
        git("init", "-q", "--bare", "-b", "main");
        apply("main", ApplyingTest.changes(Map.of(), after), after, false);
        var next = new TreeMap<>(after);
        next.put("d/new", ApplyingTest.file("y"));
        apply("main", ApplyingTest.changes(after, next), next, false);
        assertThat(git("show", "main:d/new") + git("rev-list", "--count", "main")).isEqualTo("y2");
        git("fsck", "--strict");
    }

    @Test
    void aRepositoryThatLiesElsewhereOrIsOfAnotherFormIsRefusedByName() throws Exception {
        committed(Map.of("a", ApplyingTest.file("one")));
        var own = repo.resolve(".git");
        Files.writeString(own.resolve("objects/info/alternates"), "/elsewhere/objects\n");
        refused("b", "objects/info/alternates", "git repack");
        Files.delete(own.resolve("objects/info/alternates"));
        Files.writeString(own.resolve("commondir"), "/elsewhere\n");
        refused("b", "commondir");
        Files.delete(own.resolve("commondir"));
        var config = Files.readString(own.resolve("config"));
        for (var form : List.of("objectformat = sha256", "refstorage = reftable", "new = true")) {
            Files.writeString(own.resolve("config"), config + "[extensions]\n" + form + "\n");
            refused("b", "is of a form that is not written here", form);
        }
        Files.writeString(own.resolve("config"), "[core\n");
        refused("b", "cannot be read");
        Files.writeString(own.resolve("config"), config);
        var aside = tmp.resolve("aside");
        for (var place : List.of("refs/heads", "refs", "objects", "objects/pack", "HEAD")) {
            Files.move(own.resolve(place), aside);
            Files.createSymbolicLink(own.resolve(place), aside);
            assertThatThrownBy(() -> open("b", () -> {})).as(place).isInstanceOf(NotApplied.class);
            Files.delete(own.resolve(place));
            Files.move(aside, own.resolve(place));
        }
        for (var place : List.of("packed-refs", "shallow", "refs/heads/p", "refs/tags/p", "objects/00/p", "objects/pack/p.pack")) {
            Files.createDirectories(own.resolve(place).getParent());
            assertThat(new ProcessBuilder("mkfifo", own.resolve(place).toString()).start().waitFor()).isZero();
            refused("b", place, "not followed");
            Files.delete(own.resolve(place));
        }
        git("symbolic-ref", "refs/heads/other", "refs/heads/main");
        refused("other", "stands for another one");
        Files.writeString(own.resolve("refs/heads/broken"), "1".repeat(40) + "\n");
        refused("broken", "cannot be read");
        Files.delete(own.resolve("refs/heads/broken"));
        Files.writeString(own.resolve("HEAD"), "ref: ../../etc/passwd\n");
        assertThatThrownBy(() -> open("b", () -> {})).hasMessageContaining("HEAD");
        assertThatThrownBy(() -> Branch.of(tmp, "b", ANN, null)).hasMessageContaining("no repository");
        for (var name : List.of("HEAD", "", "-f", "a..b", "a b", "refs/heads/x", "refs/tags/x", "/x", "x/", "x.lock", "a~1", "@{-1}", "a\nb", "..", "../x", ".x", "a".repeat(40), "x".repeat(201))) {
            assertThat(Branch.valid(name)).as(name).isFalse();
        }
        assertThat(Branch.valid("agent/fix-17")).isTrue();
    }

    @Test
    void theAuthorIsWhoWasSaidOrConfiguredWithoutIncludes() throws Exception {
        committed(Map.of("a", ApplyingTest.file("one")));
        var user = tmp.resolve("gitconfig");
        var included = Files.writeString(tmp.resolve("included"), "[user]\nname = Included\nemail = i@example.com\n");
        Files.writeString(user, "[include]\npath = " + included + "\n");
        assertThatThrownBy(() -> Branch.of(repo, "b", null, null, List.of(user, tmp.resolve("none")), () -> {})).isInstanceOf(NotApplied.class).hasMessageContaining("--author");
        Files.writeString(user, "[user]\nname = Of the User\nemail = u@example.com\n");
        try (var branch = Branch.of(repo, "b", null, "Words\n\nof mine\n", List.of(user), () -> {})) {
            assertThat(branch.author()).hasToString("Of the User <u@example.com>");
            branch.apply(List.of(added("new", "file", null)), false, contents(Map.of("new", ApplyingTest.file("x"))), ORIGIN);
        }
        assertThat(git("log", "-1", "--format=%B", "b")).startsWith("Words\n\nof mine\n\nRedoma-Sandbox: sb123\n");
        git("config", "user.name", "Of the Repository");
        try (var branch = Branch.of(repo, "b", null, null, List.of(user), () -> {})) {
            assertThat(branch.author()).hasToString("Of the Repository <u@example.com>");
        }
        git("config", "user.name", "Two\nlines");
        assertThatThrownBy(() -> Branch.of(repo, "b", null, null, List.of(user), () -> {})).hasMessageContaining("is no author");
        assertThat(Author.parse(" Ann Lee <ann@example.com> ")).contains(ANN);
        for (var none : List.of("Ann", "<ann@example.com>", "Ann <>", "Ann <a b>", "A <b> <c>", "A\nB <c@example.com>", "A <b@example.com>\nx")) {
            assertThat(Author.parse(none)).as(none).isEmpty();
        }
        assertThatThrownBy(() -> new Origin("sb1\nSigned-off-by: x", "sha256:00", "ap1")).isInstanceOf(NotApplied.class);
    }
}
