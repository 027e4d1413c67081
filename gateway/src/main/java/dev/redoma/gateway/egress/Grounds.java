// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import dev.redoma.policy.EgressDecision.Allow;

/// What allows a connection now: at first what it was let through by, then what the newest policy says of it. Thread-safe.
final class Grounds {
    private volatile Allow now;

    Grounds(Allow first) {
        now = first;
    }

    Allow now() {
        return now;
    }

    /// Under the lock of its sandbox. How it is carried stays; the newer one allows that as well.
    void become(Allow newer) {
        now = new Allow(newer.egressClass(), now.passage(), newer.candidates());
    }
}
