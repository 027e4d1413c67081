// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine.image;

import org.jspecify.annotations.Nullable;

/// Operating system and processor, as images name them; what is null was not said.
record Platform(@Nullable String os, @Nullable String architecture, @Nullable String variant) {

    /// This host's.
    static Platform host() {
        var arch = System.getProperty("os.arch");
        return new Platform("linux", arch.equals("aarch64") ? "arm64" : arch, null);
    }

    /// True if what is for `other` runs here; what says nothing about itself may.
    boolean takes(Platform other) {
        return same(os, other.os) && same(architecture, other.architecture);
    }

    private static boolean same(@Nullable String mine, @Nullable String other) {
        return other == null || other.isEmpty() || other.equals(mine);
    }

    @Override
    public String toString() {
        return Refusal.shown((os == null ? "?" : os) + "/" + (architecture == null ? "?" : architecture) + (variant == null ? "" : "/" + variant));
    }
}
