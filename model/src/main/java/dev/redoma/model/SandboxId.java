// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model;

/// Id of a sandbox: `sb` and 18 characters of `a-z0-9`.
public record SandboxId(String value) {

    public SandboxId {
        Ids.check("sandbox", "sb", value);
    }

    public static SandboxId mint() {
        return new SandboxId(Ids.mint("sb"));
    }

    public static boolean looksLike(String text) {
        return text.length() == 20 && text.startsWith("sb");
    }

    @Override
    public String toString() {
        return value;
    }
}
