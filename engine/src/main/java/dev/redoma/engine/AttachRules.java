// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.model.Scope;
import dev.redoma.model.TenantId;
import dev.redoma.model.wire.NewAttachGrant;
import java.time.Duration;
import java.util.Optional;

/// Who may let others join, whom, and who needs nobody's leave. Pure.
final class AttachRules {
    private static final Duration STANDARD = Duration.ofHours(1);
    private static final Duration LEAST = Duration.ofSeconds(1);
    private static final Duration MOST = Duration.ofDays(7);

    private final Approvals.Persons persons;

    AttachRules(Approvals.Persons persons) {
        this.persons = persons;
    }

    Optional<String> person(String key) {
        return persons.person(key);
    }

    /// Who made it, by whatever key of theirs, and operators.
    void owner(Caller caller, SandboxRow row) {
        boolean same = caller.key().equals(row.createdBy()) || persons.person(caller.key()).filter(p -> persons.person(row.createdBy()).filter(p::equals).isPresent()).isPresent();
        if (!same && !caller.operator()) {
            throw Problem.of(Code.POLICY_REFUSED, "Only who made a sandbox, or an operator, says who may join what runs in it.", "Ask them.").with("reason", "attach").raise();
        }
    }

    /// Whoever runs commands in it joins them too.
    static boolean uses(Caller caller, SandboxRow row) {
        return caller.operator() || caller.scopes().contains(Scope.EXEC) && (caller.key().equals(row.createdBy()) || row.reopen().equals("tenant"));
    }

    static void mode(String mode) {
        if (!mode.equals(AttachService.READ) && !mode.equals(AttachService.WRITE)) {
            throw Problem.field("mode", "is not known", "read or write");
        }
    }

    /// Somebody of that tenant who could do what is granted. What is of another tenant is told as what does not exist.
    void grantee(NewAttachGrant what, TenantId tenant) {
        mode(what.mode());
        if ((what.person() == null) == (what.key() == null)) {
            throw Problem.field("person", "and key: one of the two", "the id of a person (us…), or of a key (ky…)");
        }
        var field = what.person() != null ? "person" : "key";
        var id = String.valueOf(what.person() != null ? what.person() : what.key());
        var holder = (id.startsWith(field.equals("person") ? "us" : "ky") ? persons.holder(id) : Optional.<Approvals.Persons.Holder>empty()).filter(h -> h.tenant().equals(tenant))
                .orElseThrow(() -> Problem.field(field, "is nobody of this tenant", "the id of somebody who is"));
        boolean writes = what.mode().equals(AttachService.WRITE);
        if (!holder.scopes().contains(Scope.OPERATE) && !holder.scopes().contains(writes ? Scope.EXEC : Scope.READ)) {
            throw Problem.field("mode", "is more than they may do: it needs the scope '" + (writes ? "exec" : "read") + "'", writes ? "read, or somebody else" : "somebody else");
        }
    }

    static Duration time(NewAttachGrant what) {
        if (what.ttlMs() == null) {
            return STANDARD;
        }
        if (what.ttlMs() < LEAST.toMillis() || what.ttlMs() > MOST.toMillis()) {
            throw Problem.field("ttlMs", what.ttlMs() + " is out of range", LEAST.toMillis() + " to " + MOST.toMillis());
        }
        return Duration.ofMillis(what.ttlMs());
    }

    static RedomaException notGranted(String mode) {
        return Problem.of(Code.POLICY_REFUSED, "You are not granted to join this command" + (mode.equals(AttachService.WRITE) ? " and type." : "."),
                "Ask who made the sandbox, or an operator ('redoma attach grant').").with("reason", "attach").with("mode", mode).raise();
    }

    static RedomaException noGrant(String id) {
        return Problem.of(Code.ATTACH_GRANT_NOT_FOUND, "There is no grant '" + RequestRules.shown(id) + "' of this sandbox.", "See 'redoma attach list SANDBOX'.").raise();
    }

    static RedomaException full(String what, int most) {
        return Problem.of(Code.QUOTA_EXCEEDED, "This sandbox has " + most + " " + what + ".", "End some first.").with("limit", most).with("inUse", most).raise();
    }
}
