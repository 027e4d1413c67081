// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.model.SandboxId;
import dev.redoma.model.TenantId;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/// Who sees which sandbox, and who may take it up again. What a caller may not see answers exactly as what does not exist.
final class Access {
    private Access() {}

    /// By id (operators: of any tenant) or by name in the caller's own tenant.
    static SandboxRow visible(Handle tx, Caller caller, String sandbox) {
        Optional<SandboxRow> row = SandboxId.looksLike(sandbox)
                ? SandboxRows.find(tx, sandbox).filter(r -> sees(caller, r.tenant()))
                : SandboxRows.named(tx, caller.tenant(), sandbox);
        return row.orElseThrow(() -> notFound(sandbox));
    }

    static boolean sees(Caller caller, TenantId tenant) {
        return caller.operator() || tenant.equals(caller.tenant());
    }

    static RedomaException notFound(String sandbox) {
        return Problem.of(Code.SANDBOX_NOT_FOUND, "No sandbox '" + RequestRules.shown(sandbox) + "'.", "See 'redoma list' for those there are.").raise();
    }

    /// `reopen` says who may resume, start again or connect.
    static void mayReopen(Caller caller, SandboxRow row) {
        boolean allowed = switch (row.reopen()) {
            case "tenant" -> true;
            case "creator" -> caller.operator() || caller.key().equals(row.createdBy());
            default -> false;
        };
        if (!allowed) {
            throw refused(row);
        }
    }

    /// Commands and files of one that runs: its creator always, others where they might reopen it.
    static void mayUse(Caller caller, SandboxRow row) {
        if (!caller.key().equals(row.createdBy()) && !caller.operator() && !row.reopen().equals("tenant")) {
            throw refused(row);
        }
    }

    /// What is in quarantine is the operators' alone.
    static void notQuarantined(Caller caller, SandboxRow row) {
        if (row.quarantined() && !caller.operator()) {
            throw Problem.of(Code.POLICY_REFUSED, "The sandbox is in quarantine.", "Ask an operator to release or end it.").with("reason", "quarantine").raise();
        }
    }

    private static RedomaException refused(SandboxRow row) {
        return Problem.of(Code.POLICY_REFUSED, "This sandbox was made with reopen: " + row.reopen() + ", which does not include this key.",
                        "Use the key that made it, or make one with reopen: tenant.")
                .with("reopen", row.reopen()).raise();
    }

    static RedomaException ended(SandboxRow row) {
        var problem = Problem.of(Code.SANDBOX_ENDED, "The sandbox has ended" + (row.reason() == null ? "." : " (" + row.reason().kind() + ")."), "Make a new one.");
        return (row.reason() == null ? problem : problem.with("reason", row.reason().kind())).raise();
    }

    static RedomaException wrongState(SandboxRow row, String verb) {
        if (row.state() == State.ENDED) {
            return ended(row);
        }
        return Problem.of(Code.WRONG_STATE, "Cannot " + verb + ": the sandbox is " + row.state().wire() + ".", remedy(row.state()))
                .with("state", row.state().wire()).raise();
    }

    private static String remedy(State state) {
        return switch (state) {
            case PAUSED -> "Resume it first.";
            case STOPPED, ARCHIVED, LOST -> "Start it first.";
            case RUNNING -> "Stop or pause it first.";
            case CREATING, ENDED -> "Wait until it runs.";
        };
    }
}
