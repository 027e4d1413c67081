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
                "added /n", "added /m", "added /m/z", "changed /d/a", "deleted /d/b", "mode /d/sub/c", "deleted /gone", "changed /link");
    }

    @Test
    void sizesAndTypesBeforeAndAfterAreGiven() throws Exception {
        sh("echo more >> d/a; rm d/b; ln -s /etc/passwd leak");
        assertThat(read()).contains(
                new Change("/d/a", "changed", "file", 3L, 8L, null, List.of()),
                new Change("/d/b", "deleted", "file", 3L, null, null, List.of()),
                new Change("/leak", "added", "symlink", null, null, "/etc/passwd", List.of("link-leaves-tree")));
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
        assertThat(changes()).containsExactlyInAnyOrder("changed /to-dir", "added /to-dir/x", "changed /d/sub");
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
            assertThat(busy.waitFor(20, TimeUnit.SECONDS)).isTrue();
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
