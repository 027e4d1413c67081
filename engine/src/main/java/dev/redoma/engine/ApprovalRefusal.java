// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import org.jspecify.annotations.Nullable;

/// How those are told who asked for something that humans decide, and those who decide.
final class ApprovalRefusal {
    private ApprovalRefusal() {}

    static RedomaException pending(ApprovalRow row) {
        return Problem.of(Code.APPROVAL_PENDING, "This needs approval (" + String.join(", ", row.rules()) + "); it was asked for as " + row.id() + ", and nothing has been done. Make exactly the same call again once it is approved.",
                        "Have it approved by another person than who asks ('redoma approvals show " + row.id() + "'); then it goes through once.")
                .with("approval", row.id().value()).with("expiresAt", row.deadline().toString()).with("rules", row.rules()).raise();
    }

    /// `reason` null: nobody said anything in time.
    static RedomaException denied(ApprovalRow row, @Nullable String reason) {
        boolean expired = row.state() == ApprovalRow.State.EXPIRED;
        return Problem.of(Code.APPROVAL_DENIED, expired ? "Nobody approved this in time (" + row.id() + "): it is denied." : "This was denied (" + row.id() + ")" + (reason == null ? "." : ": " + Visible.of(reason)),
                        expired ? "Make the call again to ask anew." : "Do something else, or ask the people who decide. The same call is denied until " + row.deadline() + ".")
                .with("approval", row.id().value()).with("state", row.state().wire()).raise();
    }

    static RedomaException cancelled(ApprovalRow row) {
        return Problem.of(Code.SANDBOX_ENDED, "The sandbox has ended; the request for approval " + row.id() + " went with it.", "Make a new one.").with("approval", row.id().value()).raise();
    }

    static RedomaException used(ApprovalRow row) {
        return Problem.of(Code.WRONG_STATE, "The approval " + row.id() + " was used already, or its time is over.", "Make the call again to ask anew.")
                .with("approval", row.id().value()).with("state", row.state().wire()).raise();
    }

    static RedomaException changed() {
        return Problem.of(Code.WRONG_STATE, "A file that the command names changed while it waited for approval: it was not run.",
                "Make the call again: approval is asked for what is there now.").with("state", "changed").raise();
    }

    static RedomaException notFound(String id) {
        return Problem.of(Code.APPROVAL_NOT_FOUND, "There is no request for approval '" + RequestRules.shown(id) + "'.", "See 'redoma approvals list'.").raise();
    }

    static RedomaException over(ApprovalRow row) {
        return Problem.of(Code.WRONG_STATE, "It is " + row.state().wire() + " already.", "See 'redoma approvals show " + row.id() + "'.").with("state", row.state().wire()).raise();
    }

    static RedomaException twice() {
        return Problem.of(Code.WRONG_STATE, "You have said your word on this already; another person has to agree.", "Ask somebody else.").with("state", "pending").raise();
    }

    static RedomaException notYours(String why) {
        return Problem.of(Code.FORBIDDEN, "You cannot decide this: " + why, "Somebody else has to, by a key of a person of its own (docs/approvals.md).").with("scope", "approve").raise();
    }
}
