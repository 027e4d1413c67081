// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.ApprovalId;
import dev.redoma.model.Caller;
import dev.redoma.model.Problem;
import dev.redoma.model.Scope;
import dev.redoma.model.TenantId;
import dev.redoma.model.wire.Approval;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Requests for approval as callers see and decide them, each call authorised. Thread-safe.
final class ApprovalService implements Approvals {
    private static final int MOST = 200;
    private static final int REASON = 1000;

    private final ApprovalDesk desk;

    ApprovalService(ApprovalDesk desk) {
        this.desk = desk;
    }

    @Override
    public List<Approval> list(Caller caller, boolean open, @Nullable String sandbox) {
        sees(caller);
        var id = sandbox == null ? null : desk.sandbox(caller, sandbox).value();
        return desk.list(caller.operator() ? null : caller.tenant().value(), open, id, MOST);
    }

    @Override
    public Approval get(Caller caller, String approval) {
        sees(caller);
        return desk.view(visible(caller, approval));
    }

    private static void sees(Caller caller) {
        if (!caller.scopes().contains(Scope.APPROVE)) {
            caller.need(Scope.READ);
        }
    }

    private ApprovalRow visible(Caller caller, String approval) {
        return Optional.of(approval).filter(ApprovalId::looksLike).flatMap(desk::find).filter(row -> Access.sees(caller, new TenantId(row.tenant()))).orElseThrow(() -> ApprovalRefusal.notFound(approval));
    }

    @Override
    public Approval decide(Caller caller, String approval, boolean approve, String reason) {
        caller.need(Scope.APPROVE);
        if (caller.scopes().stream().anyMatch(s -> s != Scope.APPROVE && s != Scope.READ)) {
            throw ApprovalRefusal.notYours("this key can do more than approve.");
        }
        var row = visible(caller, approval);
        if (reason.isBlank() || reason.length() > REASON) {
            throw Problem.field("reason", reason.isBlank() ? "is empty" : "has " + reason.length() + " characters", "1 to " + REASON + " characters: why");
        }
        return desk.decide(row.id(), new Approval.Decision(another(caller, row), caller.key(), approve ? "approve" : "deny", reason, desk.now()));
    }

    /// The person of this key, who must not be who asked, by whatever key, nor who made the key that asked.
    private String another(Caller caller, ApprovalRow row) {
        var persons = desk.persons();
        String person = persons.person(caller.key()).orElseThrow(() -> ApprovalRefusal.notYours("this key belongs to nobody."));
        if (caller.key().equals(row.requestedBy()) || person.equals(row.requester())) {
            throw ApprovalRefusal.notYours("you asked for it yourself.");
        }
        var behind = behind(row);
        if (behind.contains(person)) {
            throw ApprovalRefusal.notYours("you made the key that asked for it.");
        }
        if (madeBy(caller.key(), row, behind)) {
            throw ApprovalRefusal.notYours("this key was made by who asked for it.");
        }
        return person;
    }

    /// Whose key asked, who made that, and so on.
    private Set<String> behind(ApprovalRow row) {
        var persons = new HashSet<String>();
        var seen = new HashSet<String>();
        for (var key = Optional.of(row.requestedBy()); key.isPresent() && seen.add(key.get()); key = desk.persons().issuer(key.get())) {
            desk.persons().person(key.get()).ifPresent(persons::add);
        }
        if (row.requester() != null) {
            persons.add(row.requester());
        }
        return persons;
    }

    /// Whether who asked made this key's value, or that of a key by which it was made, and so on.
    private boolean madeBy(String key, ApprovalRow row, Set<String> behind) {
        var seen = new HashSet<String>();
        for (Optional<String> by = desk.persons().issuer(key); by.isPresent() && seen.add(by.get()); by = desk.persons().issuer(by.get())) {
            boolean theirs = by.get().equals(row.requestedBy()) || desk.persons().person(by.get()).filter(behind::contains).isPresent();
            if (theirs) {
                return true;
            }
        }
        return false;
    }
}
