// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import java.util.Locale;

/// Why something was decided as it was.
public enum Reason {
    /// A rule of every layer allows it.
    ALLOWED("a rule allows it"),
    /// What was asked for is no name of a host.
    BAD_NAME("it is not the name of a host"),
    /// No rule speaks of the host.
    NO_RULE("no rule allows it"),
    /// A rule denies it.
    DENIED("a rule denies it"),
    PORT("no rule allows this port of it"),
    METHOD("no rule allows this method there"),
    PATH("no rule allows this path there"),
    /// A path that readers may understand differently, where a rule says something of paths.
    AMBIGUOUS_PATH("the path can be read in two ways"),
    /// An address that is never dialled.
    NEVER_DIALLED("its address is never dialled"),
    /// A private address that the rule does not name.
    PRIVATE_ADDRESS("its address is private and no rule of class internal names it"),
    /// The name has no address.
    NO_ADDRESS("it has no address");

    private final String text;

    Reason(String text) {
        this.text = text;
    }

    /// As in records and answers.
    public String wire() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    public String text() {
        return text;
    }
}
