// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import static dev.redoma.pool.PoolFixture.BASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redoma.kernel.Dir;
import dev.redoma.kernel.Mounts;
import dev.redoma.model.Bytes;
import dev.redoma.model.SandboxId;
import dev.redoma.model.SnapshotId;
import dev.redoma.model.wire.Change;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/// Change sets of a real overlay, mounted as the launcher does but without ids mapped: the upper's owner base is therefore 0 here
/// unless a test says otherwise.
class ChangesTest {
    @RegisterExtension
    static final PoolFixture FIXTURE = new PoolFixture();

    @TempDir
    Path tmp;

    private static Path lower = Path.of("/nonexistent");

    private final SandboxId id = SandboxId.mint();
    private Pool.Disk disk;
    private Path merged;

    @BeforeAll
    static void importLayer() {
        var layer = FIXTURE.pool().importTar(
                new Tar().dir("d").file("d/a", "aaa").file("d/b", "bbb").dir("d/sub").file("d/sub/c", "ccc").file("same", "12345").symlink("link", "same")
                        .dir("gone").file("gone/x", "x").file("to-dir", "f").dir("opaque").file("opaque/old", "o").file("opaque/kept", "k").end(),
                p -> {});
        lower = FIXTURE.pool().layerFor(layer, "t", null);
    }

    @BeforeEach
    void mountOverlay() throws Exception {
        disk = FIXTURE.pool().createDisk(id, Bytes.mebi(100), 0);
        merged = mount(List.of(lower));
    }

    private Path mount(List<Path> lowers) throws Exception {
        var at = Files.createTempDirectory(tmp, "merged");
        var stack = String.join(":", lowers.stream().map(Path::toString).toList());
        var options = "lowerdir=" + stack + ",upperdir=" + disk.upper() + ",workdir=" + disk.work() + ",redirect_dir=off,metacopy=off";
        Mounts.mount("overlay", at, "overlay", Mounts.NODEV, options);
        return at;
    }

    @AfterEach
    void unmount() {
        Mounts.unmount(merged, 0);
        FIXTURE.pool().deleteDisk(id);
    }

    private List<String> changes() {
        return read().stream().map(c -> c.kind() + " " + c.path()).toList();
    }

    private List<Change> read() {
        return FIXTURE.pool().changes(disk.upper(), List.of(lower), 1000);
    }

    private void sh(String script) throws Exception {
        var process = new ProcessBuilder("sh", "-ec", script).directory(merged.toFile()).inheritIO().start();
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
    }

    @Test
    void aFreshDiskHasNoChanges() {
        assertThat(changes()).isEmpty();
    }

    @Test
    void addedChangedDeletedAndModeAreToldApart() throws Exception {
        sh("echo new > n; mkdir m; echo z > m/z; echo more >> d/a; rm d/b; chmod 600 d/sub/c; rm -r gone; ln -sf other link");
        assertThat(changes()).containsExactlyInAnyOrder(
                "added /n", "added /m", "added /m/z", "changed /d/a", "deleted /d/b", "mode /d/sub/c", "deleted /gone", "deleted /gone/x", "changed /link");
    }

    @Test
    void sizesAndTypesBeforeAndAfterAreGiven() throws Exception {
        sh("echo more >> d/a; rm d/b; ln -s /etc/passwd leak");
        assertThat(read()).contains(
                new Change("/d/a", "changed", "file", null, null, 3L, 8L, "0644", "0644", sha("aaa"), sha("aaamore\n"), null, List.of()),
                new Change("/d/b", "deleted", "file", null, null, 3L, null, "0644", null, sha("bbb"), null, null, List.of()),
                new Change("/leak", "added", "symlink", null, null, null, null, null, null, null, sha("/etc/passwd"), "/etc/passwd", List.of("link-leaves-tree")));
    }

    private static String sha(String text) {
        return ContentDigest.of(text.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }

    @Test
    void aFileThatIsGoneHereAndThereElsewhereIsRenamedAndOneThatIsTwiceIsNot() throws Exception {
        sh("mkdir n; mv d/a n/a; cp same n/copy; mv d/sub/c n/other; echo x > e1; : > empty");
        assertThat(changes()).containsExactlyInAnyOrder("added /n", "renamed /n/a", "added /n/copy", "renamed /n/other", "added /e1", "added /empty");
        assertThat(read()).filteredOn(c -> c.path().equals("/n/a")).first().satisfies(c -> {
            assertThat(c.from()).isEqualTo("/d/a");
            assertThat(c.digestBefore()).isEqualTo(c.digestAfter()).isEqualTo(sha("aaa"));
        });
    }

    @Test
    void aSparseFileOfAnySizeAndOneThatNeverStandsStillAreToldWithoutADigest() throws Exception {
        sh("truncate -s 1T huge; truncate -s 5E huger; echo small > small");
        long before = System.nanoTime();
        assertThat(read()).filteredOn(c -> c.path().startsWith("/huge")).hasSize(2).allSatisfy(c -> {
            assertThat(c.digestAfter()).isNull();
            assertThat(c.whole()).isFalse();
        });
        assertThat(System.nanoTime() - before).isLessThan(java.time.Duration.ofSeconds(10).toNanos());
        sh("touch go");
        var busy = new ProcessBuilder("sh", "-c", "while [ -e go ]; do echo x >> small; done").directory(merged.toFile()).start();
        try {
            for (int i = 0; i < 20; i++) {
                read().stream().filter(c -> c.path().equals("/small") && c.digestAfter() != null).forEach(c -> assertThat(c.sizeAfter()).isNotNull());
            }
        } finally {
            Files.delete(merged.resolve("go"));
            assertThat(busy.waitFor(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void theDigestOfAFileWithHolesIsThatOfAllItsBytes() throws Exception {
        sh("truncate -s 3M hole; echo end >> hole; { head -c 1500000 /dev/urandom; } > mixed; truncate -s 9000001 mixed; head -c 70000 /dev/urandom >> mixed; truncate -s 12M mixed; truncate -s 2M all;"
                + " head -c 3000000 /dev/urandom > punched; fallocate -p -o 4096 -l 1048576 punched; fallocate -l 5M reserved; head -c 100 /dev/urandom | dd of=reserved bs=1 seek=2000000 conv=notrunc status=none");
        var told = read().stream().collect(java.util.stream.Collectors.toMap(Change::path, c -> String.valueOf(c.digestAfter())));
        for (var name : List.of("hole", "mixed", "all", "punched", "reserved")) {
            assertThat(told.get("/" + name)).as(name).isEqualTo(ContentDigest.of(Files.readAllBytes(merged.resolve(name))));
        }
    }

    @Test
    @Tag("long")
    void holesThatCostNothingCostLittleToTellOf() throws Exception {
        sh("for i in 0 1 2 3 4 5 6 7 8 9 a b; do truncate -s 1G h$i; done; echo small > small");
        long start = System.nanoTime();
        var changes = read();
        assertThat(System.nanoTime() - start).isLessThan(java.time.Duration.ofSeconds(20).toNanos());
        assertThat(changes).filteredOn(c -> c.path().startsWith("/h") && c.digestAfter() != null).as("two GiB of them").hasSize(2);
        assertThat(changes).filteredOn(c -> c.path().startsWith("/h") && c.digestAfter() == null).hasSize(10).allSatisfy(c -> assertThat(c.whole()).isFalse());
        assertThat(changes).filteredOn(c -> c.path().equals("/small")).first().extracting(Change::digestAfter).isNotNull();
    }

    @Test
    void whatDiffersFromAStartIsToldBelowItsRootAndNothingElse() throws Exception {
        sh("mkdir -p w/in/deep; echo one > w/a; echo two > w/in/b; echo three > w/in/deep/c; ln -s a w/l; echo keep > w/in/deep/keep; echo before > outside");
        FIXTURE.pool().markStart(id);
        sh("echo more >> w/a; rm -r w/in/deep; mkdir w/in/deep; echo keep > w/in/deep/keep; chmod 600 w/in/b; ln -sf ../x w/l; mkfifo w/p; echo late > outside; rm same");
        assertThat(since("/w")).extracting(c -> c.kind() + " " + c.path())
                .containsExactlyInAnyOrder("changed a", "deleted in/deep/c", "mode in/b", "changed l", "added p");
        assertThat(since("/w")).filteredOn(c -> c.path().equals("l")).first().extracting(Change::flags).isEqualTo(List.of("link-leaves-tree"));
        assertThat(since("/d")).isEmpty();
        sh("rm -r w; ln -s d w");
        assertThat(since("/w")).as("it is no directory any more").extracting(Change::kind).containsOnly("deleted").hasSize(7);
    }

    private List<Change> since(String root) {
        return FIXTURE.pool().changes(Compared.withStart(disk.upper(), FIXTURE.pool().start(id).orElseThrow(), List.of(lower), root), 1000);
    }

    @Test
    void textIsShownAsAUnifiedDiffAndWhatIsNoneIsNamed() throws Exception {
        sh("printf 'aaa\nb\n' > d/a; printf '\\0\\1' > d/b; printf 'no end' > n; head -c 600000 /dev/zero | tr '\\0' x > large; rm d/sub/c; chmod 600 same");
        var views = Compared.withTemplate(disk.upper(), List.of(lower));
        var patches = FIXTURE.pool().patches(views, read());
        assertThat(patches).extracting(p -> p.path() + " " + p.why() + " " + p.patch()).containsExactlyInAnyOrder(
                "/d/a null --- a/d/a\n+++ b/d/a\n@@ -1,1 +1,2 @@\n-aaa\n\\ No newline at end of file\n+aaa\n+b\n",
                "/d/b binary null",
                "/n null --- /dev/null\n+++ b/n\n@@ -0,0 +1,1 @@\n+no end\n\\ No newline at end of file\n",
                "/large large null",
                "/d/sub/c null --- a/d/sub/c\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-ccc\n\\ No newline at end of file\n");
    }

    @Test
    @Timeout(60)
    void textMadeToBeSlowToCompareIsBounded() throws Exception {
        sh("for f in 1 2; do seq 1 9000 | sed \"s/.*/&-$f/\" > t$f; done");
        FIXTURE.pool().markStart(id);
        sh("for f in 1 2; do seq 9000 -1 1 | sed \"s/.*/&-$f-n/\" > t$f; done; for f in 1 2 3 4 5 6; do head -c 400000 /dev/zero | tr '\\0' x | fold -w 100 > u$f; done");
        var views = Compared.withStart(disk.upper(), FIXTURE.pool().start(id).orElseThrow(), List.of(lower), "/");
        var patches = FIXTURE.pool().patches(views, FIXTURE.pool().changes(views, 100));
        assertThat(patches).hasSize(8).extracting(p -> p.patch() != null ? "patch" : p.why()).containsOnly("patch", "bounds").contains("patch");
    }

    @Test
    void theSameBytesWrittenAgainAreNoChangeAndOtherBytesOfTheSameSizeAreOne() throws Exception {
        sh("printf 12345 > same; touch d/sub/c; printf bbX > d/b");
        assertThat(changes()).containsExactly("changed /d/b");
    }

    @Test
    void aDirectoryMadeAnewHidesWhatWasBelow() throws Exception {
        sh("rm -r opaque; mkdir opaque; echo k2 > opaque/kept; echo n > opaque/new");
        assertThat(changes()).containsExactlyInAnyOrder("deleted /opaque/old", "changed /opaque/kept", "added /opaque/new");
    }

    @Test
    void whatAnewMadeTreeHidesFurtherDownIsDeletedToo() throws Exception {
        sh("rm -r d; mkdir -p d/sub; echo n > d/sub/n");
        assertThat(changes()).containsExactlyInAnyOrder("deleted /d/a", "deleted /d/b", "deleted /d/sub/c", "added /d/sub/n");
    }

    @Test
    void aFileThatBecameADirectoryIsChangedAndTheOtherWayRound() throws Exception {
        sh("rm to-dir; mkdir to-dir; echo x > to-dir/x; rm -r d/sub; echo f > d/sub");
        assertThat(changes()).containsExactlyInAnyOrder("changed /to-dir", "added /to-dir/x", "changed /d/sub", "deleted /d/sub/c");
    }

    @Test
    void somethingMadeAndRemovedAgainIsNoChange() throws Exception {
        sh("echo x > t; rm t; mkdir u; rmdir u");
        assertThat(changes()).isEmpty();
    }

    @Test
    void hardLinksAndSpecialFilesAreListedWithoutBeingOpened() throws Exception {
        sh("ln same same2; mkfifo p; mkfifo d/sub/p2");
        assertThat(changes()).containsExactlyInAnyOrder("added /same2", "added /p", "added /d/sub/p2");
        assertThat(read()).filteredOn(c -> c.path().equals("/p")).first().extracting(Change::type, Change::flags).containsExactly("fifo", List.of("special-file"));
    }

    @Test
    void ownersAreComparedAsSeenInside() throws Exception {
        var other = FIXTURE.pool().createDisk(SandboxId.mint(), Bytes.mebi(10), BASE);
        for (var name : List.of("same", "d")) {
            sh("cp -a " + lower.resolve(name) + " " + other.upper().resolve(name) + "; chown -R " + BASE + ":" + BASE + " " + other.upper().resolve(name));
        }
        assertThat(FIXTURE.pool().changes(other.upper(), List.of(lower), 10)).isEmpty();
        sh("chown " + (BASE + 33) + " " + other.upper().resolve("same"));
        assertThat(FIXTURE.pool().changes(other.upper(), List.of(lower), 10)).extracting(Change::kind, Change::path)
                .containsExactly(org.assertj.core.groups.Tuple.tuple("mode", "/same"));
    }

    @Test
    void aSavedUpperCountsAsALayerWithItsWhiteouts() throws Exception {
        sh("rm d/b; echo n > n; rm -r opaque; mkdir opaque; echo v > opaque/v");
        var saved = FIXTURE.pool().snapshot(id, SnapshotId.mint());
        Mounts.unmount(merged, 0);
        disk = FIXTURE.pool().resetDisk(id, Bytes.mebi(100), 0);
        merged = mount(List.of(saved, lower));
        sh("echo b > d/b; rm n; echo w > opaque/old; rm opaque/v");
        assertThat(FIXTURE.pool().changes(disk.upper(), List.of(saved, lower), 100)).extracting(c -> c.kind() + " " + c.path())
                .containsExactlyInAnyOrder("added /d/b", "deleted /n", "added /opaque/old", "deleted /opaque/v");
    }

    @Test
    void tooManyEndWithATruncatedMark() throws Exception {
        sh("for i in 1 2 3 4 5 6 7; do echo > f$i; done");
        var changes = FIXTURE.pool().changes(disk.upper(), List.of(lower), 5);
        assertThat(changes).hasSize(6);
        assertThat(changes.getLast()).extracting(Change::kind, Change::path).containsExactly("truncated", "");
    }

    @Test
    void aTreeOfAnyDepthAndNamesOfAnyBytesAreEndured() throws Exception {
        sh("i=0; while [ $i -lt 260 ]; do mkdir dd; cd dd; i=$((i+1)); done; touch deep");
        sh("touch zz \"$(printf 'bad\\377name')\" \"$(printf 'a\\nb')\" \"$(printf 'rtl\\342\\200\\256gpj.exe')\"");
        var changes = read();
        // What comes after the deep tree is there all the same.
        assertThat(changes).filteredOn(c -> c.kind().equals("truncated")).singleElement().satisfies(c -> assertThat(c.path()).startsWith("/dd/dd"));
        assertThat(changes).extracting(Change::path).contains("/zz");
        assertThat(changes).filteredOn(c -> c.flags().contains("deceptive-name")).extracting(Change::path).contains("/bad\\xffname", "/a\nb");
        sh("find . -depth -name dd -exec rmdir {} \\; 2>/dev/null || true; rm -rf dd");
    }

    @Test
    void aDirectoryThatGitWouldTakeForARepositoryIsFlaggedAlsoWhereOnlyItsConfigChanged() throws Exception {
        sh("mkdir -p d/bare/objects d/bare/refs d/bare/hooks linked; echo 'ref: refs/heads/main' > d/bare/HEAD; echo '[core]' > d/bare/config; echo x > d/bare/hooks/post-checkout; echo o > d/bare/objects/o; "
                + "echo x > linked/HEAD; echo ../d/bare > linked/commondir; echo 'gitdir: d/bare' > .git; mkdir app; echo x > app/config");
        var flagged = new java.util.TreeMap<String, List<String>>();
        read().stream().filter(c -> !c.flags().isEmpty()).forEach(c -> flagged.put(c.path(), c.flags()));
        assertThat(flagged).containsOnlyKeys("/d/bare/HEAD", "/d/bare/config", "/d/bare/hooks", "/d/bare/hooks/post-checkout", "/linked/HEAD", "/linked/commondir", "/.git");
        assertThat(flagged.get("/d/bare/config")).containsExactly("git-config");
        assertThat(flagged.get("/d/bare/hooks/post-checkout")).contains("git-hook");
        sh("rm -rf d/bare linked .git app");
    }

    /// The same names are files, FIFOs, links out and directories in turn while the host reads.
    @Test
    @Timeout(60)
    void aSandboxThatChangesEverythingMeanwhileNeitherHangsNorMisleadsTheReader() throws Exception {
        var script = """
                while [ -e go ]; do
                  rm -rf d/a; mkfifo d/a; rm -f d/a; ln -s /etc/passwd d/a; rm -f d/a; mkdir -p d/a/x/y; rm -rf d/a; printf bbb > d/a
                  mv same same2; ln -s /proc/self/mem same; rm same; mv same2 same
                done
                """;
        sh("touch go");
        var busy = new ProcessBuilder("sh", "-c", script).directory(merged.toFile()).start();
        try {
            for (int i = 0; i < 100; i++) {
                assertThat(read()).allSatisfy(c -> assertThat(c.path()).startsWith("/"));
            }
        } finally {
            Files.delete(merged.resolve("go"));
            assertThat(busy.waitFor(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void whatActsByItselfWhenOpenedIsFlagged() throws Exception {
        sh("""
                mkdir -p w/.git/hooks w/.vscode w/.github/workflows w/.claude; cd w
                for f in .git/hooks/pre-commit .git/config .envrc .vscode/tasks.json .github/workflows/a.yml CLAUDE.md package.json; do echo > $f; done
                cp /bin/true s; chmod 4755 s; ln -s ../../x out; ln -s ../w in
                """);
        assertThat(read()).filteredOn(c -> !c.flags().isEmpty()).extracting(c -> c.path().substring(2) + " " + c.flags().getFirst())
                .containsExactlyInAnyOrder(
                        "/.git/hooks/pre-commit git-hook", "/.git/config git-config", "/.envrc shell-start", "/.vscode/tasks.json editor-task",
                        "/.github/workflows/a.yml ci", "/CLAUDE.md agent-instructions", "/package.json build-script", "/s set-uid",
                        "/out link-leaves-tree");
    }

    @Test
    void aRootWhosePlacesAreNoDirectoriesIsRefused() throws Exception {
        FIXTURE.pool().requireRealDirectories(disk.upper(), List.of(lower));
        sh("rmdir run; ln -s /var/run run");
        assertThatThrownBy(() -> FIXTURE.pool().requireRealDirectories(disk.upper(), List.of(lower))).hasMessageContaining("/run").hasMessageContaining("symlink");
        sh("rm run");
        assertThatThrownBy(() -> FIXTURE.pool().requireRealDirectories(disk.upper(), List.of(lower))).hasMessageContaining("/run").hasMessageContaining("removed");
        sh("mkdir run");
        FIXTURE.pool().requireRealDirectories(disk.upper(), List.of(lower));
        try (var dir = Dir.open(disk.upper())) {
            assertThat(dir.has("run")).isTrue();
        }
    }
}
