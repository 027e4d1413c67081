// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redoma.kernel.Mounts;
import dev.redoma.model.Bytes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/// A real pool on a sparse file, for the tests of one class; afterwards it is unmounted and nothing of it is left.
final class PoolFixture implements BeforeAllCallback, AfterAllCallback {
    static final long BASE = 7_000L * 65_536;
    private Path data = Path.of("/nonexistent");
    private BtrfsPool pool;

    BtrfsPool pool() {
        return pool;
    }

    Path data() {
        return data;
    }

    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
        data = Files.createTempDirectory("rd-pool-test").toRealPath();
        pool = BtrfsPool.open(data, Backing.sparse(Bytes.gibi(4)));
    }

    /// As a killed server and its successor: nothing is unmounted in between.
    void reopen() {
        pool.close();
        pool = BtrfsPool.open(data, Backing.sparse(Bytes.gibi(4)));
    }

    /// As a reboot: unmounted, and mounted anew.
    void remount() {
        pool.release();
        pool = BtrfsPool.open(data, Backing.sparse(Bytes.gibi(4)));
    }

    @Override
    public void afterAll(ExtensionContext context) throws Exception {
        pool.release();
        assertThat(Mounts.list()).noneMatch(m -> m.target().startsWith(data.toString()));
        delete(data);
    }

    static void delete(Path tree) throws IOException {
        try (var files = Files.walk(tree)) {
            files.sorted(Comparator.reverseOrder()).forEach(p -> p.toFile().delete());
        }
        assertThat(tree).doesNotExist();
    }
}
