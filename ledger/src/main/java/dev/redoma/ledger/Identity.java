// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.store.Sql;
import dev.redoma.store.Store;

/// Which key a database belongs to.
final class Identity {
    private static final String NAME = "ledger.publicKey";

    private Identity() {}

    /// True only for a database that never had a key and holds no record.
    static boolean isFresh(Store store) {
        return store.read(tx -> Sql.list(tx, row -> row.getBoolean(1), """
                SELECT NOT EXISTS (SELECT 1 FROM installation WHERE name = ?) AND NOT EXISTS (SELECT 1 FROM record)""", NAME).getFirst());
    }

    static void confirm(Store store, String publicKey) {
        var present = store.read(tx -> Sql.list(tx, row -> row.getString(1), "SELECT value FROM installation WHERE name = ?", NAME));
        String known = !present.isEmpty() ? present.getFirst() : store.write(tx -> {
            Sql.update(tx, "INSERT INTO installation (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING", NAME, publicKey);
            return Sql.list(tx, row -> row.getString(1), "SELECT value FROM installation WHERE name = ?", NAME).getFirst();
        });
        if (!publicKey.equals(known)) {
            throw Problem.of(Code.HOST_FAILED, "The ledger's key is " + publicKey + ", but the database was written with " + known + ".",
                    "Put back the ledger.key that belongs to this database.").raise();
        }
    }
}
