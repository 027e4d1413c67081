// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import java.util.List;

/// The egress rules of one document: `layer` says whose it is (`floor`, `tenant`, `template`, `request`), `source` what it is called.
public record PolicyLayer(String layer, String source, List<Rule> rules) {

    public PolicyLayer {
        rules = List.copyOf(rules);
    }

    public List<Rule> of(EgressClass egressClass) {
        return rules.stream().filter(r -> r.egressClass() == egressClass).toList();
    }
}
