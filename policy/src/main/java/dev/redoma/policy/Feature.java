// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

/// What a gateway enforces of policies. A policy that needs more is refused when it is loaded.
public enum Feature {
    EGRESS("that anything leaves"), INTERCEPTION("TLS interception, which methods, paths and 'tls: intercept' (the default of class web) need"), RATES("rates"), BYTES("byte budgets");

    private final String text;

    Feature(String text) {
        this.text = text;
    }

    @Override
    public String toString() {
        return text;
    }
}
