// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger;

import dev.redoma.store.SqliteStore;
import dev.redoma.store.Store;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/// A real store with a ledger in a directory of its own.
record LedgerRig(Path directory, Store store, ChainLedger ledger) implements AutoCloseable {

    static LedgerRig open(Path directory) {
        var store = SqliteStore.open(directory.resolve("redoma.db"));
        try {
            return new LedgerRig(directory, store, ChainLedger.open(store, directory));
        } catch (RuntimeException e) {
            store.close();
            throw e;
        }
    }

    static Entry entry(String tenant, int n) {
        return new Entry(tenant, "key/ky1", "sb" + n % 3, "ex" + n, "exec", "ended", Map.of("exitCode", n, "timedOut", false),
                Map.of("argv", List.of("sh", "-c", "echo secret " + n), "cwd", "/home/user"), List.of("exitCode"));
    }

    long append(String tenant, int n) {
        return store.write(tx -> ledger.append(tx, entry(tenant, n)));
    }

    LedgerRig fill(String tenant, int count) {
        for (int i = 1; i <= count; i++) {
            append(tenant, i);
        }
        return this;
    }

    /// What an intruder with the database's file does.
    void tamper(String sql) {
        store.write(tx -> tx.execute(sql));
    }

    /// Copies a closed rig.
    static Path copy(Path from, Path to) {
        try (var files = Files.list(from)) {
            Files.createDirectories(to);
            for (var file : files.toList()) {
                Files.copy(file, to.resolve(file.getFileName()), java.nio.file.StandardCopyOption.COPY_ATTRIBUTES);
            }
            return to;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        store.close();
    }
}
