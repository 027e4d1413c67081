// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model;

/// Id of an exec: `ex` and 18 characters of `a-z0-9`.
public record ExecId(String value) {

    public ExecId {
        Ids.check("exec", "ex", value);
    }

    public static ExecId mint() {
        return new ExecId(Ids.mint("ex"));
    }

    public static boolean looksLike(String text) {
        return text.length() == 20 && text.startsWith("ex");
    }

    @Override
    public String toString() {
        return value;
    }
}
