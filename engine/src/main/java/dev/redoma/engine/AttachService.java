// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.ledger.Ledger;
import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Ids;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.model.Scope;
import dev.redoma.model.wire.AttachGrant;
import dev.redoma.model.wire.Attached;
import dev.redoma.model.wire.Attachment;
import dev.redoma.model.wire.NewAttachGrant;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Grants lie in the database, who is there is in memory with a row that tells of it until the record of the end is written. One who joins is in memory before the transaction that looks at the grant: a revocation
/// comes before that, and refuses it, or after, and finds it. Thread-safe.
final class AttachService implements Attachments, OpenAttachment.Told {
    static final String READ = "read";
    static final String WRITE = "write";
    private static final Logger LOG = LoggerFactory.getLogger(AttachService.class);
    private static final int GRANTS = 64;
    private static final int OPEN = 32;

    private final Core core;
    private final Execs execs;
    private final AttachRules rules;
    private final AttachRecords records;
    private final Map<String, OpenAttachment> open = new ConcurrentHashMap<>();

    AttachService(Core core, Execs execs, Ledger ledger) {
        this.core = core;
        this.execs = execs;
        this.rules = new AttachRules(core.approvals().desk().persons());
        this.records = new AttachRecords(ledger);
    }

    /// Whoever was there when a server died is there no more; how much they typed is not known.
    void recover() {
        core.store().write(tx -> {
            AttachRows.all(tx).forEach(a -> {
                AttachRows.left(tx, a.attachment().id());
                records.detached(tx, a.tenant(), a.attachment(), "server-ended", null);
            });
            return true;
        });
    }

    @Override
    public AttachGrant grant(Caller caller, String sandbox, NewAttachGrant what) {
        var row = owned(caller, sandbox);
        rules.grantee(what, row.tenant());
        var time = AttachRules.time(what);
        if (what.exec() != null) {
            execs.get(caller, row.id().value(), what.exec());
        }
        return core.store().write(tx -> {
            var now = core.now();
            present(tx, caller, row);
            AttachRows.forgetOver(tx, row.id().value(), now);
            if (AttachRows.grants(tx, row.id().value(), now).size() >= GRANTS) {
                throw AttachRules.full("grants to attach", GRANTS);
            }
            var grant = new AttachGrant(Ids.mintAttachGrant(), row.id().value(), what.person(), what.key(), what.exec(), what.mode(), now, caller.key(), now.plus(time));
            AttachRows.insert(tx, row.tenant().value(), grant);
            records.granted(tx, row.tenant().value(), grant);
            return grant;
        });
    }

    private SandboxRow owned(Caller caller, String sandbox) {
        caller.need(Scope.EXEC);
        var row = core.store().read(tx -> Access.visible(tx, caller, sandbox));
        rules.owner(caller, row);
        return row;
    }

    private static void present(Handle tx, Caller caller, SandboxRow row) {
        var now = SandboxRows.get(tx, row.id());
        Access.notQuarantined(caller, now);
        if (now.state() == State.ENDED) {
            throw Access.ended(now);
        }
    }

    @Override
    public Attached list(Caller caller, String sandbox) {
        caller.need(Scope.READ);
        var row = core.store().read(tx -> Access.visible(tx, caller, sandbox));
        var there = open.values().stream().map(OpenAttachment::facts).filter(a -> a.sandbox().equals(row.id().value())).sorted(Comparator.comparing(Attachment::since).thenComparing(Attachment::id)).toList();
        return new Attached(there, core.store().read(tx -> AttachRows.grants(tx, row.id().value(), core.now())));
    }

    @Override
    public void revoke(Caller caller, String sandbox, String grant) {
        var row = owned(caller, sandbox);
        core.store().write(tx -> {
            var found = AttachRows.find(tx, row.id().value(), grant).orElseThrow(() -> AttachRules.noGrant(grant));
            AttachRows.delete(tx, grant);
            records.revoked(tx, row.tenant().value(), caller.key(), found);
            return true;
        });
        end(a -> grant.equals(a.facts().grant()), "revoked", Problem.of(Code.POLICY_REFUSED, "The grant by which you had joined was revoked.", "Ask for another.").with("reason", "attach"));
    }

    private void end(Predicate<OpenAttachment> which, String why, Problem problem) {
        open.values().stream().filter(which).toList().forEach(a -> {
            a.end(why, problem);
            a.close();
        });
    }

    @Override
    public void check(Caller caller, String sandbox, String exec, String mode) {
        way(caller, sandbox, exec, mode);
    }

    private record Way(SandboxRow row, @Nullable AttachGrant grant) {}

    /// What is refused to somebody who sees the sandbox is on record.
    private Way way(Caller caller, String sandbox, String exec, String mode) {
        AttachRules.mode(mode);
        if (!caller.scopes().contains(Scope.EXEC)) {
            caller.need(Scope.READ);
        }
        var row = core.store().read(tx -> Access.visible(tx, caller, sandbox));
        execs.get(caller, row.id().value(), exec);
        try {
            if (mode.equals(WRITE)) {
                caller.need(Scope.EXEC);
            }
            return core.store().read(tx -> found(tx, caller, row, exec, mode));
        } catch (RedomaException refused) {
            core.store().write(tx -> {
                records.refused(tx, row.tenant().value(), caller.key(), row.id().value(), exec, mode, refused.code().wire());
                return true;
            });
            throw refused;
        }
    }

    private Way found(Handle tx, Caller caller, SandboxRow row, String exec, String mode) {
        Access.notQuarantined(caller, SandboxRows.get(tx, row.id()));
        return AttachRules.uses(caller, row) ? new Way(row, null) : new Way(row, AttachRows.fitting(tx, row.id().value(), exec, mode, caller.key(), rules.person(caller.key()).orElse(null), core.now())
                .orElseThrow(() -> AttachRules.notGranted(mode)));
    }

    @Override
    public Joined join(Caller caller, String sandbox, String exec, String mode, Consumer<Problem> cutOff) {
        var way = way(caller, sandbox, exec, mode);
        var id = way.row().id().value();
        var grant = way.grant();
        var facts = new Attachment(Ids.mintAttachment(), id, exec, mode, caller.key(), rules.person(caller.key()).orElse(null), grant == null ? null : grant.id(), core.now());
        var made = new OpenAttachment(facts, caller, way.row().tenant(), grant == null ? null : grant.expiresAt(), execs, cutOff, this);
        open.put(facts.id(), made);
        try {
            if (open.values().stream().filter(a -> a.facts().sandbox().equals(id)).count() > OPEN) {
                throw AttachRules.full("people attached", OPEN);
            }
            core.store().write(tx -> {
                Access.notQuarantined(caller, SandboxRows.get(tx, way.row().id()));
                if (grant != null && AttachRows.find(tx, id, grant.id()).filter(g -> core.now().isBefore(g.expiresAt())).isEmpty()) {
                    throw AttachRules.notGranted(mode);
                }
                AttachRows.joined(tx, way.row().tenant().value(), facts);
                records.attached(tx, way.row().tenant().value(), facts);
                return true;
            });
            return made;
        } catch (RuntimeException refused) {
            open.remove(facts.id());
            throw refused;
        }
    }

    /// Ends what is over: grants whose time has come, and all but operators where a sandbox is in quarantine.
    void sweep() {
        if (open.isEmpty()) {
            return;
        }
        var now = core.now();
        end(a -> a.expired(now), "expired", Problem.of(Code.POLICY_REFUSED, "The time for which you were granted to join is over.", "Ask for more.").with("reason", "attach"));
        end(a -> !a.operator() && quarantined(a), "quarantine", Problem.of(Code.POLICY_REFUSED, "The sandbox is in quarantine.", "Ask an operator.").with("reason", "quarantine"));
    }

    private boolean quarantined(OpenAttachment a) {
        return core.store().read(tx -> SandboxRows.find(tx, a.facts().sandbox())).filter(SandboxRow::quarantined).isPresent();
    }

    @Override
    public void typing(OpenAttachment a) {
        core.store().write(tx -> {
            records.typing(tx, a.tenant().value(), a.facts());
            return true;
        });
    }

    @Override
    public void writeRefused(OpenAttachment a) {
        core.store().write(tx -> {
            records.writeRefused(tx, a.tenant().value(), a.facts());
            return true;
        });
    }

    /// Where it cannot be written, the next server finds the row, and writes what it knows.
    @Override
    public void left(OpenAttachment a, String why) {
        open.remove(a.facts().id());
        try {
            core.store().write(tx -> {
                if (AttachRows.left(tx, a.facts().id())) {
                    records.detached(tx, a.tenant().value(), a.facts(), why, a.seen());
                }
                return true;
            });
        } catch (RuntimeException unwritten) {
            LOG.warn("that {} left {} is not on record yet: {}", a.facts().key(), a.facts().sandbox(), unwritten.getMessage());
        }
    }
}
