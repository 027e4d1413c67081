// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model;

/// Id of a person: `us` and 18 characters of `a-z0-9`.
public record UserId(String value) {

    public UserId {
        Ids.check("user", "us", value);
    }

    public static UserId mint() {
        return new UserId(Ids.mint("us"));
    }

    public static boolean looksLike(String text) {
        return text.length() == 20 && text.startsWith("us");
    }

    @Override
    public String toString() {
        return value;
    }
}
