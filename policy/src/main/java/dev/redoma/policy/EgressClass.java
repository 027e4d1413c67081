// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import java.util.List;
import java.util.Locale;

/// The classes of what leaves a sandbox. None of them widens another. In the order in which they are asked: the narrower ones first.
public enum EgressClass {
    PACKAGES, GIT, INTERNAL, WEBHOOKS, WEB;

    private static final List<EgressClass> ALL = List.of(values());

    /// In that order.
    public static List<EgressClass> all() {
        return ALL;
    }

    /// As in the policy file.
    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }
}
