// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// What an allowed connection can carry: `passage`, and where requests are seen, for one method: of each layer the paths (empty: any).
record Ability(Passage passage, List<Set<String>> paths) {

    /// Of a method, `*` for one that no rule names; null: nothing.
    static @org.jspecify.annotations.Nullable Ability of(EgressDecision decision, String method) {
        if (!(decision instanceof EgressDecision.Allow allow)) {
            return null;
        }
        var layers = allow.candidates().stream().map(rules -> rules.stream().filter(r -> r.methods().isEmpty() || r.methods().contains(method)).toList()).toList();
        if (layers.stream().anyMatch(List::isEmpty)) {
            return null;
        }
        return new Ability(allow.passage(), layers.stream().map(Ability::paths).filter(p -> !p.isEmpty()).distinct().toList());
    }

    private static Set<String> paths(List<Rule> rules) {
        boolean any = rules.stream().anyMatch(r -> r.paths().isEmpty());
        return any ? Set.of() : rules.stream().flatMap(r -> r.paths().stream()).map(PathPattern::text).collect(Collectors.toCollection(TreeSet::new));
    }

    /// True only where nothing that this carries is not carried by `other`. Paths are compared as they are written: of two ways to write the same this may say no.
    boolean within(Ability other) {
        boolean seen = passage.compareTo(other.passage) <= 0;
        return seen && other.paths.stream().allMatch(theirs -> paths.stream().anyMatch(theirs::containsAll));
    }

    /// The paths as they are told: of all layers.
    List<String> told() {
        return paths.stream().flatMap(Set::stream).distinct().sorted().toList();
    }
}
