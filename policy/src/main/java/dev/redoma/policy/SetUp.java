// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import java.util.List;

/// What runs in a new sandbox before it is anybody's: shell commands, one after the other, under rules of egress of their own, which hold as long as that takes. Without rules nothing leaves meanwhile.
public record SetUp(List<String> run, List<Rule> rules) {

    public SetUp {
        run = List.copyOf(run);
        rules = List.copyOf(rules);
    }
}
