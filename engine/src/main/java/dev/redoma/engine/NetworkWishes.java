// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import java.util.List;

/// What somebody wishes of a sandbox's network in a few lists, where a policy file is too much. `internet`: false for nothing but what `allowOut` names. Hosts, `*.suffix`,
/// addresses and ranges may go out; addresses and ranges may be kept from it. What is allowed wins.
public record NetworkWishes(boolean internet, List<String> allowOut, List<String> denyOut) {
    /// What is said where everything is denied.
    public static final String ALL = "0.0.0.0/0";

    public static final NetworkWishes NOTHING_LEAVES = new NetworkWishes(false, List.of(), List.of(ALL));
    public static final NetworkWishes NONE = new NetworkWishes(true, List.of(), List.of());

    public NetworkWishes {
        allowOut = List.copyOf(allowOut);
        denyOut = List.copyOf(denyOut);
    }
}
