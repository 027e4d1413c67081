// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b;

import dev.redoma.model.Caller;
import dev.redoma.model.wire.AuditRecord;
import dev.redoma.model.wire.Key;
import dev.redoma.model.wire.NewKey;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What the server keeps beside the engine: keys, and the record of what happened. All of it is of the caller's tenant. Thread-safe.
public interface Office {
    /// Most records that one call of `happened` gives.
    int MOST = 1000;

    /// Keys that hold.
    List<Key> keys(Caller caller);

    /// A key that may do what the caller may.
    NewKey makeKey(Caller caller, String name);

    void revokeKey(Caller caller, String id);

    /// The newest records of changes of sandboxes, oldest first; of one sandbox, or of all (null).
    List<AuditRecord> happened(Caller caller, @Nullable String sandbox);
}
