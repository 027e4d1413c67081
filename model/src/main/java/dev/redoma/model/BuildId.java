// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model;

/// Id of a build of a template: `bd` and 18 characters of `a-z0-9`.
public record BuildId(String value) {
    public BuildId {
        Ids.check("build", "bd", value);
    }

    public static BuildId mint() {
        return new BuildId(Ids.mint("bd"));
    }

    public static boolean looksLike(String text) {
        return text.length() == 20 && text.startsWith("bd");
    }

    @Override
    public String toString() {
        return value;
    }
}
