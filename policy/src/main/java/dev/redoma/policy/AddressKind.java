// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

/// What an address is, where it is none of the public ones. `never`: dialled under no configuration; loopback and this host's own addresses only for what an operator configures,
/// never for a sandbox.
public enum AddressKind {
    UNSPECIFIED("unspecified", true), LOOPBACK("loopback", false), LINK_LOCAL("link-local", true), PRIVATE("private", false), SHARED("shared", false),
    MULTICAST("multicast", true), RESERVED("reserved", true), TUNNEL("tunnelled", true), METADATA("a metadata service's", true), OWN("one of this host's own", false);

    private final String text;
    private final boolean never;

    AddressKind(String text, boolean never) {
        this.text = text;
        this.never = never;
    }

    public boolean never() {
        return never;
    }

    /// May be reached by a sandbox whose rule of class `internal` names it.
    public boolean internal() {
        return this == PRIVATE || this == SHARED;
    }

    @Override
    public String toString() {
        return text;
    }
}
