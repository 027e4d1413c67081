// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// ky-alice and ky-alice-approves are Alice's; ky-carol and ky-carol-2 Carol's; ky-dan and ky-bot were made by ky-alice, ky-erin by a key that Alice's other key made.
final class ApprovalPeople implements Approvals.Persons {
    private static final Map<String, String> PERSONS = Map.of("ky-middle", "us-middle", "ky-fay", "us-fay", "ky-alice", "us-alice", "ky-alice-approves", "us-alice", "ky-carol", "us-carol", "ky-carol-2", "us-carol",
            "ky-bob", "us-bob", "ky-dan", "us-dan", "ky-erin", "us-erin");
    private static final Map<String, String> ISSUERS = Map.of("ky-bot", "ky-alice", "ky-dan", "ky-alice", "ky-erin", "ky-middle", "ky-middle", "ky-alice-approves", "ky-carol", "ky-root", "ky-root", "server");
    final Set<String> disabled = ConcurrentHashMap.newKeySet();

    @Override
    public Optional<String> person(String key) {
        return Optional.ofNullable(PERSONS.get(key));
    }

    @Override
    public Optional<String> issuer(String key) {
        return Optional.ofNullable(ISSUERS.get(key));
    }

    @Override
    public boolean decides(String person) {
        return !disabled.contains(person);
    }
}
