// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import dev.redoma.model.SandboxId;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/// Which address of a sandbox stands for which name. A row is never changed and goes with its sandbox only.
final class NameRows {
    private NameRows() {}

    static Map<Integer, String> of(Handle tx, SandboxId sandbox) {
        var all = new LinkedHashMap<Integer, String>();
        tx.createQuery("SELECT number, name FROM egress_name WHERE sandbox = :sandbox ORDER BY number").bind("sandbox", sandbox.value())
                .map((row, context) -> Map.entry(row.getInt(1), row.getString(2))).forEach(e -> all.put(e.getKey(), e.getValue()));
        return all;
    }

    static void insert(Handle tx, SandboxId sandbox, int number, String name) {
        tx.createUpdate("INSERT INTO egress_name (sandbox, number, name) VALUES (:sandbox, :number, :name)").bind("sandbox", sandbox.value()).bind("number", number).bind("name", name)
                .execute();
    }

    static void copy(Handle tx, SandboxId from, SandboxId to) {
        tx.createUpdate("INSERT INTO egress_name (sandbox, number, name) SELECT :to, number, name FROM egress_name WHERE sandbox = :from").bind("to", to.value())
                .bind("from", from.value()).execute();
    }

    static void forget(Handle tx, SandboxId sandbox) {
        tx.createUpdate("DELETE FROM egress_name WHERE sandbox = :sandbox").bind("sandbox", sandbox.value()).execute();
    }
}
