// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model;

/// Id of a snapshot: `sn` and 18 characters of `a-z0-9`.
public record SnapshotId(String value) {

    public SnapshotId {
        Ids.check("snapshot", "sn", value);
    }

    public static SnapshotId mint() {
        return new SnapshotId(Ids.mint("sn"));
    }

    public static boolean looksLike(String text) {
        return text.length() == 20 && text.startsWith("sn");
    }

    @Override
    public String toString() {
        return value;
    }
}
