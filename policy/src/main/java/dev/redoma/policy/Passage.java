// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

/// How the gateway carries a connection, the strictest first: of several that apply the first one counts.
///
/// `HTTP`: it sees every request (TLS is intercepted) and each is decided by `EgressDecider.decideRequest`. `TLS`: it must be TLS whose SNI is the name that was asked for; what is inside is
/// not seen. `TCP`: bytes as they are; where they begin as TLS does, its SNI must be the name.
public enum Passage {
    HTTP, TLS, TCP;

    public Passage stricter(Passage other) {
        return compareTo(other) <= 0 ? this : other;
    }
}
