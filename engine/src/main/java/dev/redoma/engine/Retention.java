// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.SandboxId;
import java.time.Instant;
import java.util.List;

/// Forgets sandboxes that ended long ago: their rows, commands and spools. The ledger keeps its records.
final class Retention {
    private final Core core;

    Retention(Core core) {
        this.core = core;
    }

    void sweep() {
        Instant old = core.now().minus(core.config().times().ended());
        List<String> ids = core.store().read(tx -> tx.createQuery("SELECT id FROM sandbox WHERE state = 'ended' AND target IS NULL AND ended_at < :old AND id NOT IN (SELECT sandbox FROM review) LIMIT 500")
                .bind("old", Columns.micros(old)).mapTo(String.class).list());
        for (String id : ids) {
            core.execs().forget(new SandboxId(id));
            core.redactions().forget(new SandboxId(id));
            core.store().write(tx -> {
                for (String table : List.of("exec", "system_log", "idempotency", "sandbox_policy", "redaction")) {
                    tx.createUpdate("DELETE FROM " + table + " WHERE sandbox = :id").bind("id", id).execute();
                }
                return tx.createUpdate("DELETE FROM sandbox WHERE id = :id").bind("id", id).execute();
            });
        }
    }

    /// When a sandbox was last active, for operators who look after a restart; a restart itself counts as activity.
    void noteActivity() {
        Instant now = core.now();
        record Seen(SandboxId id, Instant at) {}
        List<Seen> seen = core.boxes().all().stream()
                .flatMap(b -> b.live() instanceof LiveBox live ? java.util.stream.Stream.of(new Seen(b.id(), now.minus(live.idle()))) : java.util.stream.Stream.of())
                .toList();
        if (!seen.isEmpty()) {
            core.store().write(tx -> {
                seen.forEach(s -> new RowChange().activeAt(s.at()).apply(tx, s.id()));
                return seen.size();
            });
        }
    }
}
