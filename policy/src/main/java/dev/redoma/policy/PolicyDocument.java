// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import java.util.List;

/// One policy file as it was read. `layer`: whose it is (`floor`, `tenant`, `template`, `request`); `source`: what it is called; `text`: all of it.
public record PolicyDocument(String layer, String source, String text, Terms terms, List<Rule> rules) {

    public PolicyDocument {
        rules = List.copyOf(rules);
    }

    PolicyLayer egress() {
        return new PolicyLayer(layer, source, rules);
    }
}
