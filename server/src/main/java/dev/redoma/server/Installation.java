// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import dev.redoma.store.Store;
import java.util.UUID;

/// The name of this installation, made on first start.
final class Installation {
    private static final String KEY = "id";

    private Installation() {}

    static String id(Store store) {
        return store.write(tx -> {
            tx.execute("INSERT INTO installation (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING", KEY, UUID.randomUUID().toString());
            return tx.createQuery("SELECT value FROM installation WHERE name = :name").bind("name", KEY).mapTo(String.class).one();
        });
    }
}
