// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import dev.redoma.policy.EgressDecision.Allow;
import java.util.List;

/// What allows a connection now, and what its bytes are counted towards: at first what it was let through by, then what the newest policy says of it. Thread-safe.
final class Grounds {
    private final Budgets budgets;
    private volatile Allow now;
    private volatile List<Budgets.Charge> charges;

    Grounds(Allow first, Budgets budgets) {
        this.budgets = budgets;
        this.now = first;
        this.charges = budgets.charges(first.counted());
    }

    Allow now() {
        return now;
    }

    /// Whether so many more bytes may pass.
    boolean spend(int bytes) {
        return Budgets.spend(charges, bytes);
    }

    /// The same of bytes that belong to no request.
    boolean spendOnAny(int bytes) {
        return Budgets.spend(budgets.chargesOfAny(now.candidates()), bytes);
    }

    /// Under the lock of its sandbox. How it is carried stays; the newer one allows that as well.
    synchronized void become(Allow newer) {
        now = new Allow(newer.egressClass(), now.passage(), newer.candidates());
        charges = budgets.chargesOfAny(newer.candidates());
    }

    /// Counts towards the rules that grant it, unless a newer policy has come since `first`.
    synchronized void count(Allow first, Allow granted) {
        if (now == first) {
            now = granted;
            charges = budgets.charges(granted.counted());
        }
    }
}
