// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import dev.redoma.policy.EgressDecision;
import dev.redoma.policy.EgressDecision.Allow;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// The requests that are under way on one connection. What begins and what changes it is ordered by the lock of its sandbox.
final class Requests {
    private final Budgets budgets;
    private final Set<Ongoing> ongoing = ConcurrentHashMap.newKeySet();

    Requests(Budgets budgets) {
        this.budgets = budgets;
    }

    /// One of them, by its method and its path without the query, and what allows it now.
    static final class Ongoing {
        private final String method;
        private final String path;
        private volatile @Nullable Grounds by;

        Ongoing(String method, String path) {
            this.method = method;
            this.path = path;
        }

        String method() {
            return method;
        }

        String path() {
            return path;
        }

        /// Only once it was begun.
        Grounds by() {
            return java.util.Objects.requireNonNull(by);
        }
    }

    EgressDecision begin(Ongoing request, Allow connection) {
        EgressDecision decision = connection.request(request.method, request.path);
        if (decision instanceof Allow allow) {
            request.by = new Grounds(allow, budgets);
            ongoing.add(request);
        }
        return decision;
    }

    void end(Ongoing request) {
        ongoing.remove(request);
    }

    /// False: a newer policy does not allow one of those under way.
    boolean become(Allow connection) {
        for (Ongoing one : ongoing) {
            if (!(connection.request(one.method, one.path) instanceof Allow allow)) {
                return false;
            }
            one.by().become(allow);
        }
        return true;
    }
}
