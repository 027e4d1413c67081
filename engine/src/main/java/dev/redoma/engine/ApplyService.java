// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Ids;
import dev.redoma.model.Problem;
import dev.redoma.model.wire.ApplyChanges;
import dev.redoma.model.wire.ApplyGrant;
import dev.redoma.model.wire.ApplyResult;
import dev.redoma.model.wire.Change;
import dev.redoma.model.wire.ChangeSet;
import dev.redoma.pool.Outgoing;
import java.util.List;
import java.util.Set;

/// What is decided and recorded on this side when a change set is applied; the files are put in place by the client, on its machine. Thread-safe.
final class ApplyService {
    private static final int LONGEST = 4096;

    private final Core core;
    private final ReviewRecords records;

    ApplyService(Core core, ReviewRecords records) {
        this.core = core;
        this.records = records;
    }

    /// On record when it returns, with the approval that is spent by it where humans decide that. CHANGES_MOVED where `now` is not what was reviewed.
    ApplyGrant grant(Caller caller, SandboxRow row, ChangeSet now, ApplyChanges asked) {
        List<String> only = asked.only() == null ? List.of() : asked.only();
        if (asked.target() != null && asked.target().length() > LONGEST) {
            throw Problem.field("target", "is too long", "at most " + LONGEST + " characters");
        }
        var wanted = Outgoing.of(Outgoing.Format.TAR, only);
        if (!now.digest().equals(asked.digest())) {
            throw Problem.of(Code.CHANGES_MOVED, "The workspace is not what was reviewed: it changed since.", "Review it again ('redoma diff'), and give the digest that this shows.").with("digest", now.digest()).raise();
        }
        var items = now.items().stream().filter(c -> wanted.takes(c.path())).toList();
        if (!only.isEmpty() && items.isEmpty()) {
            throw Problem.of(Code.FILE_NOT_FOUND, "Nothing of the change set matches what is wanted of it.", "See 'redoma diff'; a pattern without a slash matches a name at any depth, '**' across folders.").raise();
        }
        items.stream().filter(c -> !c.whole()).findFirst().ifPresent(c -> {
            throw Problem.of(Code.FILE_REFUSED, "The change set is not whole there: '" + c.path() + "' was cut by a bound, or not read.", "Leave it out, or fetch it by itself with 'redoma cp'.").with("path", c.path()).raise();
        });
        var paths = items.stream().map(Change::path).toList();
        var ticket = core.approvals().apply(caller, row, now, items, asked);
        var id = Ids.mintApply();
        core.store().write(tx -> {
            ticket.redeem(tx, null);
            records.apply(tx, row, caller.key(), id, asked, paths.size(), ticket.approval());
            return true;
        });
        return new ApplyGrant(id, now.digest(), paths);
    }

    /// Of an apply that was granted to this very key for this sandbox, and once: what came of it is the client's word, that there was one is not.
    void result(Caller caller, SandboxRow row, String apply, ApplyResult result) {
        Ids.checkApply(apply);
        if (!Set.of("applied", "failed").contains(result.outcome()) || result.message() != null && result.message().length() > LONGEST) {
            throw Problem.field("outcome", "is not known", "applied or failed, with a message of at most " + LONGEST + " characters");
        }
        core.store().write(tx -> {
            if (!records.granted(tx, row, caller.key(), apply)) {
                throw Problem.of(Code.APPLY_NOT_FOUND, "No apply '" + apply + "' was granted to this key for this sandbox.", "The answer of 'POST …/apply' has its id.").raise();
            }
            if (records.told(tx, row, apply)) {
                throw Problem.of(Code.WRONG_STATE, "What came of the apply '" + apply + "' is on record already.", "Nothing is to be done.").raise();
            }
            records.applied(tx, row, caller.key(), apply, result);
            return true;
        });
    }
}
