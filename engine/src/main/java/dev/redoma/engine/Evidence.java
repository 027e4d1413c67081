// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Caller;
import dev.redoma.model.wire.Erased;
import dev.redoma.model.wire.Scanned;
import org.jspecify.annotations.Nullable;

/// What is kept of what happened.
public interface Evidence {

    /// Looks through all that is kept of a tenant (null: of all) for what should have been masked. For operators.
    Scanned scan(Caller caller, @Nullable String tenant);

    /// Somebody is about to be handed all records of a tenant (null: of all), with what is sealed in plain; on record first.
    void exporting(Caller caller, @Nullable String tenant);

    /// What packet rules refused of the sandbox of this id by now is on record when it returns, as far as records can be written. It is read from the kernel each second at any rate.
    void note(String sandbox);

    /// Makes what was sealed about an ended sandbox unreadable for ever, and removes the words and output of its commands; the chain stays whole. For operators.
    Erased erase(Caller caller, String sandbox);
}
