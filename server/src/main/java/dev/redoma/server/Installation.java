// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import dev.redoma.store.Sql;
import dev.redoma.store.Store;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;

/// The name of this installation, made on first start: ten hex digits, short enough for names of cgroups and mounts.
final class Installation {
    private static final String KEY = "id";

    private Installation() {}

    static String id(Store store) {
        // Looked up first: a commit is not for nothing.
        var known = store.read(tx -> Sql.list(tx, row -> row.getString(1), "SELECT value FROM installation WHERE name = ?", KEY));
        return !known.isEmpty() ? known.getFirst() : store.write(tx -> {
            Sql.update(tx, "INSERT INTO installation (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING", KEY, mint());
            return Sql.list(tx, row -> row.getString(1), "SELECT value FROM installation WHERE name = ?", KEY).getFirst();
        });
    }

    private static String mint() {
        return HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong(), 10);
    }
}
