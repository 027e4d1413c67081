// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.store.Store;

/// Which key a database belongs to.
final class Identity {
    private static final String NAME = "ledger.publicKey";

    private Identity() {}

    /// True only for a database that never had a key and holds no record.
    static boolean isFresh(Store store) {
        return store.read(tx -> tx.createQuery("""
                SELECT NOT EXISTS (SELECT 1 FROM installation WHERE name = :name) AND NOT EXISTS (SELECT 1 FROM record)""")
                .bind("name", NAME).mapTo(Boolean.class).one());
    }

    static void confirm(Store store, String publicKey) {
        String known = store.write(tx -> {
            tx.execute("INSERT INTO installation (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING", NAME, publicKey);
            return tx.createQuery("SELECT value FROM installation WHERE name = :name").bind("name", NAME).mapTo(String.class).one();
        });
        if (!publicKey.equals(known)) {
            throw Problem.of(Code.HOST_FAILED, "The ledger's key is " + publicKey + ", but the database was written with " + known + ".",
                    "Put back the ledger.key that belongs to this database.").raise();
        }
    }
}
