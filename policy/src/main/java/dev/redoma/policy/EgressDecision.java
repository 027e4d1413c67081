// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Whether something may leave, and by which rule.
public sealed interface EgressDecision {

    /// The rule that decided; where none speaks of it, the layer and `default` (`request.default`).
    String rule();

    Reason reason();

    /// The class whose rules decided; empty where no rule of any speaks of it.
    Optional<EgressClass> inClass();

    default boolean allowed() {
        return this instanceof Allow;
    }

    /// `candidates`: of each layer, the outermost first, the rules that allow it.
    record Allow(EgressClass egressClass, Passage passage, List<List<Rule>> candidates) implements EgressDecision {

        public Allow {
            candidates = candidates.stream().map(List::copyOf).toList();
        }

        @Override
        public String rule() {
            return candidates.getLast().getFirst().id();
        }

        @Override
        public Reason reason() {
            return Reason.ALLOWED;
        }

        @Override
        public Optional<EgressClass> inClass() {
            return Optional.of(egressClass);
        }

        /// The rules whose rates and budgets it counts towards: one a layer.
        public List<Rule> counted() {
            var counted = new ArrayList<Rule>(candidates.size());
            for (List<Rule> rules : candidates) {
                Rule first = rules.getFirst();
                if (first.rate() != null || first.bytes() != null) {
                    counted.add(first);
                }
            }
            return counted;
        }

        /// A request on the connection that this allowed, whose host is known to be the connection's. `path`: as sent, without the query.
        public EgressDecision request(String method, String path) {
            if (nobodyObjects(method, path)) {
                return this;
            }
            var rest = candidates.stream().map(rules -> rules.stream().filter(r -> r.objects(method, path).isEmpty()).toList()).toList();
            for (int i = rest.size() - 1; i >= 0; i--) {
                if (rest.get(i).isEmpty()) {
                    Rule first = candidates.get(i).getFirst();
                    return new Deny(egressClass, first.id(), first.objects(method, path).orElse(Reason.METHOD), null);
                }
            }
            return new Allow(egressClass, passage, rest);
        }

        private boolean nobodyObjects(String method, String path) {
            for (List<Rule> rules : candidates) {
                for (Rule rule : rules) {
                    if (rule.objects(method, path).isPresent()) {
                        return false;
                    }
                }
            }
            return true;
        }
    }

    /// `about`: the address or port that it is about, where it is about one.
    record Deny(@Nullable EgressClass egressClass, String rule, Reason reason, @Nullable String about) implements EgressDecision {

        @Override
        public Optional<EgressClass> inClass() {
            return Optional.ofNullable(egressClass);
        }
    }
}
