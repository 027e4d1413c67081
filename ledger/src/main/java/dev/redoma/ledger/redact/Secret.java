// SPDX-License-Identifier: Apache-2.0
package dev.redoma.ledger.redact;

import java.nio.charset.StandardCharsets;

/// A value that nobody is to see, and the name by which records speak of it.
public record Secret(String name, String value) {
    /// Shorter ones would tear holes into anything that is written.
    public static final int LEAST = 8;
    public static final int MOST = 16 << 10;

    byte[] bytes() {
        return value.getBytes(StandardCharsets.UTF_8);
    }

    /// Never the value.
    @Override
    public String toString() {
        return "Secret[" + name + "]";
    }
}
