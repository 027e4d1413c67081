// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model;

/// Id of an exposed port: `pv` and 18 characters of `a-z0-9`.
public record ExposureId(String value) {

    public ExposureId {
        Ids.check("exposure", "pv", value);
    }

    public static ExposureId mint() {
        return new ExposureId(Ids.mint("pv"));
    }

    public static boolean looksLike(String text) {
        return text.length() == 20 && text.startsWith("pv");
    }

    @Override
    public String toString() {
        return value;
    }
}
