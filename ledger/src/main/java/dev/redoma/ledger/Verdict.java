// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger;

import org.jspecify.annotations.Nullable;

/// Outcome of a verification: how many records were walked and, if it failed, the first bad one.
public record Verdict(Status status, long records, @Nullable String tenant, long firstBad, String message) {

    /// `UNANCHORED`: everything fits together, but no key pinned outside the data vouches for it.
    /// `UNOPENED`: everything fits together, but what is sealed in some records is not shown, and no record says that it was erased; `firstBad` is the first such one.
    public enum Status { OK, UNANCHORED, UNOPENED, FAILED }
}
