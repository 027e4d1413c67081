// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model;

/// Id of a request for approval: `ap` and 18 characters of `a-z0-9`.
public record ApprovalId(String value) {

    public ApprovalId {
        Ids.check("approval", "ap", value);
    }

    public static ApprovalId mint() {
        return new ApprovalId(Ids.mint("ap"));
    }

    public static boolean looksLike(String text) {
        return text.length() == 20 && text.startsWith("ap");
    }

    @Override
    public String toString() {
        return value;
    }
}
