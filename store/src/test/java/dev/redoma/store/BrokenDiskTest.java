// SPDX-License-Identifier: Apache-2.0
package dev.redoma.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.redoma.model.Code;
import dev.redoma.model.RedomaException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// On real file systems: a small tmpfs of the test's own.
@Timeout(120)
class BrokenDiskTest {
    @TempDir Path dir;

    private static void run(String... command) throws Exception {
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as("%s", List.of(command)).isZero();
    }

    private interface Body {
        void on(Path disk) throws Exception;
    }

    private void onSmallDisk(Body body) throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "mounting needs root");
        var disk = Files.createDirectory(dir.resolve("redoma-test-disk"));
        run("mount", "-t", "tmpfs", "-o", "size=2m", "redoma-test", disk.toString());
        try {
            body.on(disk);
        } finally {
            run("umount", disk.toString());
        }
    }

    private static void put(Store store, String name, int bytes) {
        store.write(h -> h.execute("INSERT INTO installation (name, value) VALUES (?, ?)", name, "x".repeat(bytes)));
    }

    private static List<String> names(Store store) {
        return store.read(h -> h.createQuery("SELECT name FROM installation").mapTo(String.class).list());
    }

    @Test
    void aFullDiskRefusesByNameLosesNothingAcknowledgedAndServesWhenSpaceReturns() throws Exception {
        onSmallDisk(disk -> {
            var ballast = disk.resolve("ballast");
            Files.write(ballast, new byte[512 << 10]);
            var acknowledged = new ArrayList<String>();
            try (var store = SqliteStore.open(disk.resolve("redoma.db"))) {
                assertThatThrownBy(() -> {
                    for (int i = 0; i < 10_000; i++) {
                        put(store, "n" + i, 20_000);
                        acknowledged.add("n" + i);
                    }
                }).isInstanceOfSatisfying(RedomaException.class, e -> assertThat(e.code()).isEqualTo(Code.RECORD_FAILED));
                assertThat(names(store)).containsExactlyInAnyOrderElementsOf(acknowledged);
                Files.delete(ballast);
                put(store, "after", 100);
                acknowledged.add("after");
            }
            try (var store = SqliteStore.open(disk.resolve("redoma.db"))) {
                assertThat(names(store)).containsExactlyInAnyOrderElementsOf(acknowledged);
            }
        });
    }

    @Test
    void manyWritersOnAFullDiskEachLearnTheTruth() throws Exception {
        onSmallDisk(disk -> {
            var acknowledged = java.util.Collections.synchronizedList(new ArrayList<String>());
            var refused = new AtomicInteger();
            try (var store = SqliteStore.open(disk.resolve("redoma.db"))) {
                try (var tasks = Executors.newVirtualThreadPerTaskExecutor()) {
                    for (int i = 0; i < 400; i++) {
                        String name = "n" + i;
                        tasks.submit(() -> {
                            try {
                                put(store, name, 15_000);
                                acknowledged.add(name);
                            } catch (RedomaException e) {
                                assertThat(e.code()).isEqualTo(Code.RECORD_FAILED);
                                refused.incrementAndGet();
                            }
                        });
                    }
                }
                assertThat(refused.get() + acknowledged.size()).isEqualTo(400);
                assertThat(refused).hasPositiveValue();
                assertThat(names(store)).containsExactlyInAnyOrderElementsOf(acknowledged);
            }
        });
    }

    @Test
    void aReadOnlyDiskIsRefusedByNameAndServesOnceWritable() throws Exception {
        onSmallDisk(disk -> {
            try (var store = SqliteStore.open(disk.resolve("redoma.db"))) {
                put(store, "a", 10);
            }
            run("mount", "-o", "remount,ro", disk.toString());
            assertThatThrownBy(() -> SqliteStore.open(disk.resolve("redoma.db")))
                    .isInstanceOfSatisfying(RedomaException.class, e -> assertThat(e.code()).isEqualTo(Code.RECORD_FAILED));
            run("mount", "-o", "remount,rw", disk.toString());
            try (var store = SqliteStore.open(disk.resolve("redoma.db"))) {
                assertThat(names(store)).containsExactly("a");
            }
        });
    }

    @Test
    void aFileThatIsNoDatabaseIsRefusedByName() throws Exception {
        var file = Files.write(dir.resolve("redoma.db"), "this is not a database, whatever its name says".repeat(200).getBytes());
        assertThatThrownBy(() -> SqliteStore.open(file))
                .isInstanceOfSatisfying(RedomaException.class, e -> assertThat(e.code()).isEqualTo(Code.RECORD_FAILED));
    }

    @Test
    void corruptPagesAreReportedAndTheStoreLivesOn() throws Exception {
        var file = dir.resolve("redoma.db");
        try (var store = SqliteStore.open(file)) {
            for (int i = 0; i < 50; i++) {
                put(store, "n" + i, 3_000);
            }
        }
        try (var raw = new RandomAccessFile(file.toFile(), "rw")) {
            for (long at = 4096; at < raw.length(); at += 4096) {
                raw.seek(at);
                raw.write(new byte[64]);
            }
        }
        try (var store = SqliteStore.open(file)) {
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(() -> put(store, "m", 10))
                        .isInstanceOfSatisfying(RedomaException.class, e -> assertThat(e.code()).isEqualTo(Code.RECORD_FAILED));
            }
        } catch (RedomaException e) {
            assertThat(e.code()).isEqualTo(Code.RECORD_FAILED);
        }
    }
}
