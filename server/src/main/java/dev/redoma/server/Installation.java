// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import dev.redoma.store.Store;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;

/// The name of this installation, made on first start: ten hex digits, short enough for names of cgroups and mounts.
final class Installation {
    private static final String KEY = "id";

    private Installation() {}

    static String id(Store store) {
        return store.write(tx -> {
            tx.execute("INSERT INTO installation (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING", KEY, mint());
            return tx.createQuery("SELECT value FROM installation WHERE name = :name").bind("name", KEY).mapTo(String.class).one();
        });
    }

    private static String mint() {
        return HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong(), 10);
    }
}
