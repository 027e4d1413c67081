// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.model.Bytes;
import dev.redoma.model.SandboxId;
import dev.redoma.model.SnapshotId;
import java.nio.file.Files;
import java.nio.file.Path;

/// A server that does nothing but create, write, snapshot, reset and delete, until it is killed.
final class Churn {
    private Churn() {}

    public static void main(String[] args) throws Exception {
        var pool = BtrfsPool.open(Path.of(args[0]), Backing.sparse(Bytes.gibi(4)));
        var layer = pool.importTar(new Tar().file("f", "x").end(), p -> {});
        System.out.println("ready");
        for (int i = 0; i < 4; i++) {
            Thread.ofPlatform().start(() -> loop(pool, layer));
        }
    }

    private static void loop(BtrfsPool pool, LayerId layer) {
        try {
            while (true) {
                var id = SandboxId.mint();
                var disk = pool.createDisk(id, Bytes.mebi(20), PoolFixture.BASE);
                Files.write(disk.upper().resolve("f"), new byte[100_000]);
                pool.layerFor(layer, "t", id);
                var snapshot = SnapshotId.mint();
                pool.snapshot(id, snapshot);
                pool.resetDisk(id, Bytes.mebi(20), PoolFixture.BASE);
                if (id.value().charAt(2) > 'c') {
                    pool.deleteSnapshot(snapshot);
                    pool.deleteDisk(id);
                }
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
