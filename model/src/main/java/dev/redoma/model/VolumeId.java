// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model;

/// Id of a volume: `vl` and 18 characters of `a-z0-9`.
public record VolumeId(String value) {

    public VolumeId {
        Ids.check("volume", "vl", value);
    }

    public static VolumeId mint() {
        return new VolumeId(Ids.mint("vl"));
    }

    public static boolean looksLike(String text) {
        return text.length() == 20 && text.startsWith("vl");
    }

    @Override
    public String toString() {
        return value;
    }
}
