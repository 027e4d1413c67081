// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/// What a document wants humans to decide before it happens: `by` of them, `within` a time after which it is denied. `id` is unique in an effective policy (`floor.approve[0]`).
public record ApprovalRule(String id, Subject subject, int by, Duration within, Rule.Place place) {

    /// What it is about.
    public sealed interface Subject {
        /// Commands, by any of the patterns.
        record Exec(List<CommandPattern> patterns) implements Subject {}

        /// Connections to hosts (`*`: addresses too), of classes; empty: of any.
        record Egress(List<HostPattern> hosts, Set<EgressClass> classes) implements Subject {}

        /// Ports that are exposed.
        record Port(Ports ports) implements Subject {}

        /// More of a resource than the sandbox was given; `lifetime` is the only one that can be raised while it lives.
        record Raise(Set<String> resources) implements Subject {}

        /// That a change set is applied.
        record Apply() implements Subject {}
    }

    /// Whether it asks for no less than the other, whatever the two are called.
    boolean covers(ApprovalRule other) {
        return subject.equals(other.subject) && by >= other.by && within.compareTo(other.within) <= 0;
    }

    public String says() {
        String what = switch (subject) {
            case Subject.Exec e -> "commands like " + e.patterns().stream().map(p -> "'" + p + "'").collect(Collectors.joining(", ")) + " (advisory)";
            case Subject.Egress e -> "connections to " + e.hosts().stream().map(HostPattern::toString).collect(Collectors.joining(", "))
                    + (e.classes().isEmpty() ? "" : " of class " + e.classes().stream().map(EgressClass::wire).sorted().collect(Collectors.joining(", ")));
            case Subject.Port p -> "exposing ports " + p.ports();
            case Subject.Raise r -> "raising " + r.resources().stream().sorted().collect(Collectors.joining(", "));
            case Subject.Apply a -> "applying a change set";
        };
        return what + " waits for " + (by == 1 ? "one approver" : by + " approvers") + ", denied after " + dev.redoma.model.Amounts.time(within);
    }
}
