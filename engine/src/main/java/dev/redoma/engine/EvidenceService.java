// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.ledger.Entry;
import dev.redoma.ledger.Ledger;
import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.SandboxId;
import dev.redoma.model.Scope;
import dev.redoma.model.wire.Erased;
import dev.redoma.model.wire.Scanned;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/// Scans and erases.
final class EvidenceService implements Evidence {
    private static final int PURGES = 200;
    private static final int PURGE_PAUSE_MS = 50;

    private final Core core;
    private final Execs execs;
    private final Ledger ledger;
    private final Reviews reviews;

    EvidenceService(Core core, Execs execs, Ledger ledger, Reviews reviews) {
        this.reviews = reviews;
        this.execs = execs;
        this.core = core;
        this.ledger = ledger;
    }

    @Override
    public Scanned scan(Caller caller, @Nullable String tenant) {
        caller.need(Scope.OPERATE);
        return new EvidenceScan(core, execs, ledger, caller).run(tenant);
    }

    @Override
    public void note(String sandbox) {
        core.store().read(tx -> SandboxRows.find(tx, sandbox)).ifPresent(row -> core.uplink().note(row.id()));
    }

    @Override
    public Erased erase(Caller caller, String sandbox) {
        caller.need(Scope.OPERATE);
        // First what may take a while and can fail; whoever asks again finds less to do.
        core.store().read(tx -> row(tx, caller, sandbox)).ifPresent(row -> {
            mustHaveEnded(row);
            reviews.forget(caller, row.id().value());
        });
        var erased = core.store().write(tx -> erase(tx, caller, sandbox));
        var id = new SandboxId(erased.sandbox());
        core.redactions().forget(id);
        core.execs().forget(id);
        purge();
        return erased;
    }

    /// What was removed stands in the database's log until that is written anew: nothing is called erased before.
    private void purge() {
        for (int i = 0; i < PURGES; i++) {
            if (core.store().purge()) {
                return;
            }
            try {
                Thread.sleep(PURGE_PAUSE_MS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                break;
            }
        }
        throw Problem.of(Code.WRONG_STATE, "It was erased, but the log of the database still holds what was removed: somebody reads an older state.", "Erase it again.").raise();
    }

    private static Optional<SandboxRow> row(Handle tx, Caller caller, String sandbox) {
        return SandboxId.looksLike(sandbox) ? SandboxRows.find(tx, sandbox) : SandboxRows.named(tx, caller.tenant(), sandbox);
    }

    @Override
    public void exporting(Caller caller, @Nullable String tenant) {
        core.store().write(tx -> ledger.append(tx, new Entry(tenant == null ? caller.tenant().value() : tenant, caller.key(), null, null, "admin", "audit.export",
                Map.of("everyTenant", tenant == null), Map.of(), List.of())));
    }

    private static void mustHaveEnded(SandboxRow row) {
        if (row.state() != State.ENDED || row.target() != null) {
            throw Problem.of(Code.WRONG_STATE, "Cannot erase: the sandbox is " + row.state().wire() + ", and what it does is still to be recorded.", "End it first.")
                    .with("state", row.state().wire()).raise();
        }
    }

    private Erased erase(Handle tx, Caller caller, String sandbox) {
        var row = row(tx, caller, sandbox).orElse(null);
        if (row != null) {
            mustHaveEnded(row);
        }
        var id = row == null ? sandbox : row.id().value();
        var tenant = row == null ? ledger.tenantOf(tx, sandbox) : row.tenant().value();
        if (tenant == null) {
            throw Access.notFound(sandbox);
        }
        long commands = tx.createUpdate("DELETE FROM exec WHERE sandbox = :id").bind("id", id).execute();
        for (var table : List.of("system_log", "redaction", "idempotency", "sandbox_policy")) {
            tx.createUpdate("DELETE FROM " + table + " WHERE sandbox = :id").bind("id", id).execute();
        }
        ApprovalRows.erase(tx, id);
        tx.createUpdate("UPDATE sandbox SET name = NULL, labels = '{}', env = '{}', workspace = NULL WHERE id = :id").bind("id", id).execute();
        ledger.erase(tx, tenant, id);
        ledger.append(tx, new Entry(tenant, caller.key(), null, null, "admin", "erase", Map.of("sandbox", id, "commands", commands), Map.of(), List.of()));
        return new Erased(id, tenant, commands);
    }
}
