// SPDX-License-Identifier: Apache-2.0
package dev.redoma.model;

/// What failed.
public enum Layer {
    COMMAND, GUEST, RUNTIME, TEMPLATE, REGISTRY, NETWORK, UPSTREAM, POLICY, HOST, SERVER, REQUEST;

    public String wire() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }
}
