// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/// That something may happen: nobody has to approve it, or it was approved. Used once, in the transaction that begins it: with that the approval is spent, and without it nothing is.
interface ApprovalTicket {

    /// Throws where it was used meanwhile, or its time is over: then nothing may begin.
    void redeem(Handle tx, @Nullable String exec);

    /// By which approval.
    Optional<String> approval();

    /// Nobody has to approve it.
    ApprovalTicket NONE = new ApprovalTicket() {
        @Override
        public void redeem(Handle tx, @Nullable String exec) {}

        @Override
        public Optional<String> approval() {
            return Optional.empty();
        }
    };
}
