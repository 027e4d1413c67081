// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import static dev.redoma.pool.PoolFixture.BASE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.redoma.kernel.Dir;
import dev.redoma.kernel.Mounts;
import dev.redoma.model.Bytes;
import dev.redoma.model.SandboxId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Random;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// `kill -9` of a server at any instant: its successor finds disks that are whole or not there.
class KillTest {

    @Test
    @Timeout(120)
    void aKilledServerLeavesOnlyWholeDisksAndAMountedPool() throws Exception {
        rounds(3);
    }

    @Test
    @Tag("long")
    void aServerMayBeKilledFortyTimes() throws Exception {
        rounds(40);
    }

    private static void rounds(int rounds) throws Exception {
        var data = Files.createTempDirectory("rd-pool-kill").toRealPath();
        var random = new Random(7);
        for (int i = 0; i < rounds; i++) {
            killedAfter(data, random.nextInt(700));
            inspect(data);
        }
        BtrfsPool.open(data, Backing.sparse()).release();
        assertThat(Mounts.list()).noneMatch(m -> m.target().startsWith(data.toString()));
        PoolFixture.delete(data);
    }

    private static void killedAfter(Path data, int millis) throws Exception {
        var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        var process = new ProcessBuilder(
                        java, "--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC", "-Xmx128m", "-cp", System.getProperty("java.class.path"),
                        Churn.class.getName(), data.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (var out = process.inputReader()) {
            assertThat(out.readLine()).isEqualTo("ready");
            Thread.sleep(Duration.ofMillis(millis));
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    private static void inspect(Path data) {
        try (var pool = BtrfsPool.open(data, Backing.sparse(Bytes.gibi(4)))) {
            var disks = pool.disks();
            for (var id : disks) {
                whole(pool, id);
            }
            for (var snapshot : pool.snapshots()) {
                assertThat(pool.snapshotUpper(snapshot).orElseThrow()).isDirectory();
                pool.deleteSnapshot(snapshot);
            }
            disks.forEach(pool::deleteDisk);
            assertThat(pool.root().resolve("own")).isEmptyDirectory();
            assertThat(pool.root().resolve("disks")).isEmptyDirectory();
            assertThat(pool.root().resolve("saved")).isEmptyDirectory();
        }
    }

    private static void whole(BtrfsPool pool, SandboxId id) {
        try (var dir = Dir.open(pool.disk(id).orElseThrow().subvolume())) {
            assertThat(dir.stat("upper").uid()).isEqualTo(BASE);
            assertThat(dir.stat("work").mode()).isEqualTo(0700);
            assertThat(dir.fd().stat().gid()).isEqualTo(BASE);
        }
    }

    @Test
    void manyAtOnceGetEachTheirOwn() throws Exception {
        var data = Files.createTempDirectory("rd-pool-many").toRealPath();
        var pool = BtrfsPool.open(data, Backing.sparse(Bytes.gibi(1)));
        var layer = pool.importTar(new Tar().file("f", "x").end(), p -> {});
        var lowers = java.util.concurrent.ConcurrentHashMap.<Path>newKeySet();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 40; i++) {
                threads.submit(() -> {
                    pool.createDisk(SandboxId.mint(), Bytes.mebi(10), BASE);
                    lowers.add(pool.layerFor(layer, "t", null));
                    lowers.add(pool.layerFor(pool.importTar(new Tar().file("f", "x").end(), p -> {}), "t", null));
                });
            }
        }
        assertThat(new HashSet<>(pool.disks())).hasSize(40);
        assertThat(lowers).hasSize(1);
        assertThat(pool.layers()).containsExactly(layer);
        pool.disks().forEach(pool::deleteDisk);
        assertThat(pool.disks()).isEmpty();
        pool.release();
        PoolFixture.delete(data);
    }
}
