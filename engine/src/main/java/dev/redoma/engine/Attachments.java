// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Caller;
import dev.redoma.model.Problem;
import dev.redoma.model.wire.AttachGrant;
import dev.redoma.model.wire.Attached;
import dev.redoma.model.wire.NewAttachGrant;
import dev.redoma.model.wire.Tty;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.Consumer;

/// People who join what runs in a sandbox. Whoever may use it (scope `exec`) joins as they are; others of the tenant by a grant of its owner, which is who made it, by any key of theirs, or an operator. Each joining and leaving
/// is on record, and who is there is seen by all who see the sandbox.
public interface Attachments {

    /// On record when it returns. INVALID_FIELD where nobody of the tenant has that id, or they could not type whatever they were granted.
    AttachGrant grant(Caller caller, String sandbox, NewAttachGrant what);

    Attached list(Caller caller, String sandbox);

    /// When it returns nobody joins by it any more, and whoever was there by it sees nothing more and types nothing more. ATTACH_GRANT_NOT_FOUND where there is none.
    void revoke(Caller caller, String sandbox, String grant);

    /// Throws as `join` would.
    void check(Caller caller, String sandbox, String exec, String mode);

    /// On record when it returns. `mode`: `read` (scope `read`) or `write` (scope `exec`). POLICY_REFUSED with `reason: attach` where no grant says so. `cutOff` hears, on any thread, why it is ended by others.
    Joined join(Caller caller, String sandbox, String exec, String mode, Consumer<Problem> cutOff);

    /// Somebody is there, until it is closed; that is on record then.
    interface Joined extends AutoCloseable {
        boolean writes();

        /// As one who may use the sandbox anyway.
        boolean own();

        /// What the command prints, masked as for all, until it has ended.
        Execs.Output output(long offset);

        /// That they type is durable before the first byte goes in; how much it was, and its digest, at the end. The command's stdin stays open after it.
        void type(InputStream from) throws IOException;

        void resize(Tty size);

        /// What one who only reads is told when they type all the same; the first time is on record at once.
        Problem readsOnly();

        /// Why it ends, for the record; what was said first counts.
        void because(String why);

        @Override
        void close();
    }
}
