// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model;

/// Id of a key: `ky` and 18 characters of `a-z0-9`.
public record KeyId(String value) {

    public KeyId {
        Ids.check("key", "ky", value);
    }

    public static KeyId mint() {
        return new KeyId(Ids.mint("ky"));
    }

    public static boolean looksLike(String text) {
        return text.length() == 20 && text.startsWith("ky");
    }

    @Override
    public String toString() {
        return value;
    }
}
