// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.redoma.ledger.Verdict;
import dev.redoma.model.Code;
import dev.redoma.model.RedomaException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A disk that really is full, under database and ledger.
class UnrecordedTest {
    @TempDir Path dir;
    private Path disk;

    @BeforeEach
    void mount() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "mounting needs root");
        disk = Files.createDirectory(dir.resolve("disk"));
        run("mount", "-t", "tmpfs", "-o", "size=6m", "redoma-test", disk.toString());
    }

    @AfterEach
    void unmount() throws Exception {
        run("umount", disk.toString());
    }

    private static void run(String... command) throws Exception {
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as("%s", List.of(command)).isZero();
    }

    private void fill(Path ballast) throws IOException {
        try (var file = FileChannel.open(ballast, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            var page = ByteBuffer.allocate(4096);
            for (int i = 0; i < 4096; i++) {
                file.write(page.clear());
            }
        } catch (IOException full) {
            assertThat(full).hasMessageContaining("space");
        }
    }

    @Test
    void whatCannotBeRecordedIsNotDoneAndWhatWasDoneIsRecordedOnceItCanBe() throws Exception {
        var ballast = disk.resolve("ballast");
        try (var rig = new GuestRig(Files.createDirectory(disk.resolve("rig")), 1L << 30)) {
            var go = dir.resolve("go");
            var before = rig.start("sh", "-c", "while [ ! -e " + go + " ]; do sleep 0.05; done; exit 4");
            fill(ballast);
            int refused = 0;
            for (int i = 0; i < 400 && refused < 5; i++) {
                var marker = dir.resolve("done-" + i);
                try {
                    var exec = rig.start("touch", marker.toString());
                    assertThat(rig.ledger.read("default", rig.id.value(), "exec", 0, 1000)).anyMatch(r -> exec.id().equals(r.exec()) && r.action().equals("requested"));
                } catch (RedomaException e) {
                    assertThat(e.code()).isEqualTo(Code.RECORD_FAILED);
                    assertThat(marker).doesNotExist();
                    refused++;
                }
            }
            assertThat(refused).as("refused on a full disk").isEqualTo(5);
            Files.createFile(go);
            Thread.sleep(1000);
            if (rig.get(before).endedAt() != null) {
                assertThat(rig.ledger.read("default", rig.id.value(), "exec", 0, 1000)).as("what is told is on record").anyMatch(r -> before.id().equals(r.exec()) && r.action().equals("ended"));
            }
            Files.delete(ballast);
            await().atMost(Duration.ofSeconds(30)).until(() -> rig.get(before).endedAt() != null);
            assertThat(rig.get(before).exitCode()).isEqualTo(4);
            assertThat(rig.start("true").id()).isNotNull();
            rig.ledger.checkpoint();
            assertThat(rig.ledger.verify().status()).isEqualTo(Verdict.Status.OK);
        }
    }
}
