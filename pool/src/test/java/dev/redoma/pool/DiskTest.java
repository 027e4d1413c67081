// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import static dev.redoma.pool.PoolFixture.BASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redoma.kernel.Dir;
import dev.redoma.kernel.DiskDevices;
import dev.redoma.kernel.Stat;
import dev.redoma.model.Bytes;
import dev.redoma.model.SandboxId;
import dev.redoma.model.SnapshotId;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class DiskTest {
    @RegisterExtension
    static final PoolFixture FIXTURE = new PoolFixture();

    private static final Bytes QUOTA = Bytes.mebi(100);

    @Test
    void theUpperBelongsToTheRangeAndNobodyElseGetsNearIt() {
        var disk = create(SandboxId.mint());
        try (var dir = Dir.open(disk.subvolume())) {
            assertThat(dir.stat("upper")).extracting(Stat::uid, Stat::gid, Stat::mode).containsExactly(BASE, BASE, 0755);
            assertThat(dir.fd().stat()).extracting(Stat::uid, Stat::mode).containsExactly(0L, 0700);
        }
        assertThat(Lowers.uidBase(disk.upper())).isEqualTo(BASE);
    }

    @Test
    void theDeviceBelowADiskIsTold() throws IOException {
        var loop = DiskDevices.under(create(SandboxId.mint()).upper());
        assertThat(loop).singleElement().asString().startsWith("7:");
        var backing = Path.of("/sys/dev/block", loop.getFirst(), "loop/backing_file");
        assertThat(Files.readString(backing).strip()).startsWith(FIXTURE.data().toString());
        assertThat(DiskDevices.under(Path.of("/proc"))).isEmpty();
    }

    @Test
    void writesStopAtTheLimitAndDeletingWorksWhenFull() throws IOException {
        var id = SandboxId.mint();
        var disk = create(id);
        var file = disk.upper().resolve("big");
        long written = fill(file, 300);
        assertThat(written).isBetween(QUOTA.value() - (4 << 20), QUOTA.value());
        assertThat(FIXTURE.pool().used(id).value()).isBetween(QUOTA.value() - (4 << 20), QUOTA.value());
        Files.delete(file);
        FIXTURE.pool().settle();
        assertThat(fill(disk.upper().resolve("again"), 50)).isEqualTo(50L << 20);
    }

    @Test
    void usageIsLive() throws IOException {
        var id = SandboxId.mint();
        var disk = create(id);
        fill(disk.upper().resolve("f"), 20);
        assertThat(FIXTURE.pool().used(id).value()).isBetween(20L << 20, 22L << 20);
    }

    @Test
    void createIsIdempotentAndKeepsWhatIsThere() throws IOException {
        var id = SandboxId.mint();
        Files.writeString(create(id).upper().resolve("f"), "kept");
        assertThat(create(id).upper().resolve("f")).hasContent("kept");
        assertThat(FIXTURE.pool().disks()).contains(id);
    }

    @Test
    void deleteIsIdempotentAndFreesSpace() throws IOException {
        var id = SandboxId.mint();
        fill(create(id).upper().resolve("f"), 90);
        FIXTURE.pool().settle();
        long before = FIXTURE.pool().space().freeBytes();
        FIXTURE.pool().deleteDisk(id);
        FIXTURE.pool().deleteDisk(id);
        assertThat(FIXTURE.pool().disk(id)).isEmpty();
        awaitFree(before + (80L << 20));
    }

    @Test
    void resetGivesAnEmptyDiskOfTheSameLimit() throws IOException {
        var id = SandboxId.mint();
        fill(create(id).upper().resolve("f"), 60);
        var disk = FIXTURE.pool().resetDisk(id, QUOTA, BASE);
        assertThat(disk.upper()).isEmptyDirectory();
        assertThat(fill(disk.upper().resolve("f"), 300)).isLessThanOrEqualTo(QUOTA.value());
    }

    @Test
    void aSnapshotKeepsWhatTheSandboxChangesLater() throws IOException {
        var id = SandboxId.mint();
        var disk = create(id);
        Files.writeString(disk.upper().resolve("f"), "before");
        var snapshot = SnapshotId.mint();
        var upper = FIXTURE.pool().snapshot(id, snapshot);
        Files.writeString(disk.upper().resolve("f"), "after");
        assertThat(upper.resolve("f")).hasContent("before");
        assertThatThrownBy(() -> Files.writeString(upper.resolve("f"), "x")).isInstanceOf(IOException.class);
        FIXTURE.pool().deleteDisk(id);
        assertThat(upper.resolve("f")).hasContent("before");
        assertThat(FIXTURE.pool().snapshotUpper(snapshot)).hasValue(upper);
        FIXTURE.pool().deleteSnapshot(snapshot);
        FIXTURE.pool().deleteSnapshot(snapshot);
        assertThat(FIXTURE.pool().snapshotUpper(snapshot)).isEmpty();
    }

    @Test
    void deletingALayerFreesDiskWithAllCopiesOfIt() throws Exception {
        var content = new byte[80 << 20];
        new java.util.Random(1).nextBytes(content);
        var layer = FIXTURE.pool().importTar(new Tar().member('0', "f", 0644, 0, "", content).end(), p -> {});
        FIXTURE.pool().layerFor(layer, "one", null);
        FIXTURE.pool().layerFor(layer, "two", SandboxId.mint());
        FIXTURE.pool().settle();
        long before = FIXTURE.pool().space().freeBytes();
        FIXTURE.pool().deleteLayer(layer);
        FIXTURE.pool().deleteLayer(layer);
        FIXTURE.pool().settle();
        assertThat(FIXTURE.pool().layers()).doesNotContain(layer);
        awaitFree(before + (70L << 20));
    }

    @Test
    void deletingASnapshotFreesDisk() throws IOException {
        var id = SandboxId.mint();
        var disk = create(id);
        fill(disk.upper().resolve("f"), 80);
        var snapshot = SnapshotId.mint();
        FIXTURE.pool().snapshot(id, snapshot);
        FIXTURE.pool().deleteDisk(id);
        FIXTURE.pool().settle();
        long before = FIXTURE.pool().space().freeBytes();
        FIXTURE.pool().deleteSnapshot(snapshot);
        awaitFree(before + (70L << 20));
    }

    @Test
    void dataThatASnapshotHoldsIsChargedUntilItIsDeleted() throws IOException {
        var id = SandboxId.mint();
        var disk = create(id);
        fill(disk.upper().resolve("f"), 80);
        var snapshot = SnapshotId.mint();
        FIXTURE.pool().snapshot(id, snapshot);
        Files.delete(disk.upper().resolve("f"));
        assertThat(fill(disk.upper().resolve("g"), 80)).isLessThan(80L << 20);
        Files.delete(disk.upper().resolve("g"));
        FIXTURE.pool().deleteSnapshot(snapshot);
        Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> {
            FIXTURE.pool().settle();
            return FIXTURE.pool().used(id).value() < 1 << 20;
        });
        assertThat(fill(disk.upper().resolve("g"), 80)).isEqualTo(80L << 20);
    }

    private static Pool.Disk create(SandboxId id) {
        return FIXTURE.pool().createDisk(id, QUOTA, BASE);
    }

    private static void awaitFree(long bytes) {
        Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> {
            FIXTURE.pool().settle();
            return FIXTURE.pool().space().freeBytes() >= bytes;
        });
    }

    /// Writes until refused; returns the bytes taken.
    static long fill(Path file, int mebibytes) throws IOException {
        var block = new byte[1 << 20];
        new Random(1).nextBytes(block);
        long written = 0;
        try (OutputStream out = Files.newOutputStream(file)) {
            for (int i = 0; i < mebibytes; i++) {
                out.write(block);
                written += block.length;
            }
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("quota");
        }
        return written;
    }
}
