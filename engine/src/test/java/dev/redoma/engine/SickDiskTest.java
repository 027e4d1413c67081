// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.redoma.ledger.ChainLedger;
import dev.redoma.ledger.Entry;
import dev.redoma.ledger.Verdict;
import dev.redoma.model.Code;
import dev.redoma.model.RedomaException;
import dev.redoma.model.wire.Exec;
import dev.redoma.store.SqliteStore;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Database and ledger on a disk of their own (ext4 in a file) that stands still for a while, and on one that the kernel makes read-only after an error.
@Tag("long")
@Timeout(120)
class SickDiskTest {
    @TempDir Path dir;
    private Path image;
    private Path disk;
    private boolean frozen;

    @BeforeEach
    void mount() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")) && Files.exists(Path.of("/dev/loop-control")), "mounting a file needs root and loop devices");
        image = dir.resolve("image");
        try (var file = new RandomAccessFile(image.toFile(), "rw")) {
            file.setLength(64 << 20);
        }
        run("mkfs.ext4", "-q", "-F", "-O", "^has_journal", image.toString());
        disk = Files.createDirectory(dir.resolve("disk"));
        mountIt();
    }

    private void mountIt() throws Exception {
        run("mount", "-o", "loop,errors=remount-ro", image.toString(), disk.toString());
    }

    @AfterEach
    void unmount() throws Exception {
        if (frozen) {
            run("fsfreeze", "--unfreeze", disk.toString());
        }
        if (disk != null) {
            run("umount", disk.toString());
        }
    }

    private static void run(String... command) throws Exception {
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as("%s: %s", List.of(command), new String(process.getInputStream().readAllBytes())).isZero();
    }

    private void freeze(boolean on) throws Exception {
        run("fsfreeze", on ? "--freeze" : "--unfreeze", disk.toString());
        frozen = on;
    }

    private static List<String> told(GuestRig rig, Exec exec) {
        return rig.ledger.read("default", rig.id.value(), "exec", 0, 1000).stream().filter(r -> exec.id().equals(r.exec())).map(dev.redoma.model.wire.AuditRecord::action).toList();
    }

    /// As a disk that takes seconds to write: what waits for its record is not begun, everybody is answered in the end, and nothing is lost.
    @Test
    void whileTheDiskStandsStillNothingBeginsAndNothingIsLost() throws Exception {
        try (var rig = new GuestRig(Files.createDirectory(disk.resolve("rig")), 1L << 30)) {
            rig.start("true");
            for (int round = 0; round < 3; round++) {
                freeze(true);
                var begun = new ArrayList<CompletableFuture<Exec>>();
                var markers = new ArrayList<Path>();
                for (int i = 0; i < 8; i++) {
                    var marker = dir.resolve("done-" + round + "-" + i);
                    markers.add(marker);
                    begun.add(CompletableFuture.supplyAsync(() -> rig.start("touch", marker.toString()), r -> Thread.ofVirtual().start(r)));
                }
                Thread.sleep(1500); // for so long the disk writes nothing
                assertThat(begun).noneMatch(CompletableFuture::isDone);
                assertThat(markers).allMatch(Files::notExists);
                freeze(false);
                for (var one : begun) {
                    var exec = one.get(30, TimeUnit.SECONDS);
                    await().atMost(Duration.ofSeconds(30)).until(() -> rig.get(exec).endedAt() != null);
                    assertThat(told(rig, exec)).containsExactly("requested", "approved", "ended");
                }
                assertThat(markers).allMatch(Files::exists);
            }
            rig.ledger.checkpoint();
            assertThat(rig.ledger.verify().status()).isEqualTo(Verdict.Status.OK);
        }
    }

    @Test
    void onADiskThatBecameReadOnlyNothingIsDoneOrToldAndWhatWasToldIsThereAfterwards() throws Exception {
        var home = Files.createDirectory(disk.resolve("rig"));
        var acknowledged = new ArrayList<Exec>();
        String sandbox;
        var rig = new GuestRig(home, 1L << 30);
        try {
            sandbox = rig.id.value();
            for (int i = 0; i < 5; i++) {
                acknowledged.add(rig.start("true"));
            }
            for (var exec : acknowledged) {
                await().atMost(Duration.ofSeconds(30)).until(() -> rig.get(exec).endedAt() != null);
            }
            var go = dir.resolve("go");
            var before = rig.start("sh", "-c", "while [ ! -e " + go + " ]; do sleep 0.05; done");
            breakIt();
            for (int i = 0; i < 5; i++) {
                var marker = dir.resolve("ro-" + i);
                assertThatThrownBy(() -> rig.start("touch", marker.toString())).isInstanceOfSatisfying(RedomaException.class, e -> assertThat(e.code()).isEqualTo(Code.RECORD_FAILED));
                assertThat(marker).doesNotExist();
            }
            Files.createFile(go);
            Thread.sleep(1000); // it ends; that cannot be recorded, and so nobody is told
            assertThat(rig.get(before).endedAt()).isNull();
        } finally {
            closed(rig);
        }
        run("umount", disk.toString());
        mountIt();
        try (var store = SqliteStore.open(home.resolve("redoma.db"))) {
            var ledger = ChainLedger.open(store, home);
            var records = ledger.read("default", sandbox, "exec", 0, 1000);
            for (var exec : acknowledged) {
                assertThat(records.stream().filter(r -> exec.id().equals(r.exec())).map(dev.redoma.model.wire.AuditRecord::action)).containsExactly("requested", "approved", "ended");
            }
            store.write(tx -> ledger.append(tx, new Entry("default", "engine", sandbox, null, "sandbox", "after", Map.of(), Map.of(), List.of())));
            ledger.checkpoint();
            assertThat(ledger.verify().status()).isEqualTo(Verdict.Status.OK);
        }
    }

    /// It would remove its files, which it cannot.
    private static void closed(GuestRig rig) throws java.io.IOException {
        try {
            rig.close();
        } catch (java.nio.file.FileSystemException readOnly) {
            assertThat(readOnly).hasMessageContaining("Read-only");
        }
    }

    /// As after an error that the kernel finds on the disk: read-only at once, whatever is open.
    private void breakIt() throws Exception {
        var device = Files.readAllLines(Path.of("/proc/mounts")).stream().map(l -> l.split(" ")).filter(f -> f[1].equals(disk.toString())).map(f -> Path.of(f[0]).getFileName().toString()).findFirst().orElseThrow();
        Files.writeString(Path.of("/sys/fs/ext4", device, "trigger_fs_error"), "1");
        assertThatThrownBy(() -> Files.createFile(disk.resolve("x"))).hasMessageContaining("Read-only");
    }
}
