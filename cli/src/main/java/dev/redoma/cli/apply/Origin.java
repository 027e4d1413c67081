// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli.apply;

/// Where a change set is from: its sandbox, its digest, and the apply by which it is on record.
public record Origin(String sandbox, String digest, String apply) {
    private static final String ID = "[A-Za-z0-9_:.-]{1,128}";

    /// They come from a server, and are written down line by line.
    public Origin {
        if (!sandbox.matches(ID) || !digest.matches(ID) || !apply.matches(ID)) {
            throw new NotApplied("the server named the sandbox, the change set or the apply by what is no identifier");
        }
    }
}
