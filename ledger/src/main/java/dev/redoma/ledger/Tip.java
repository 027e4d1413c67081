// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger;

import java.util.ArrayList;
import java.util.List;
import org.jdbi.v3.core.Handle;

/// The last record of a chain as a transaction sees it. It is read each time (one look-up in a page that is in memory) because what
/// would be remembered could be wrong after a transaction was undone.
record Tip(long seq, byte[] hash) {

    static Tip of(Handle tx, String tenant) {
        return tx.createQuery("SELECT seq, hash FROM record WHERE tenant = ? ORDER BY seq DESC LIMIT 1")
                .bind(0, tenant)
                .map((rs, c) -> new Tip(rs.getLong(1), rs.getBytes(2)))
                .findOne()
                .orElseGet(() -> new Tip(0, new byte[32]));
    }

    /// All tenants with a chain; one look-up each, where `DISTINCT` would walk every record.
    static List<String> tenants(Handle tx) {
        var tenants = new ArrayList<String>();
        var next = after(tx, "");
        while (next.isPresent()) {
            tenants.add(next.get());
            next = after(tx, next.get());
        }
        return tenants;
    }

    private static java.util.Optional<String> after(Handle tx, String tenant) {
        return tx.createQuery("SELECT tenant FROM record WHERE tenant > ? ORDER BY tenant LIMIT 1").bind(0, tenant).mapTo(String.class).findOne();
    }
}
