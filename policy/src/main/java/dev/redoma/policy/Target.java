// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import java.net.Inet6Address;

/// What a rule speaks of: hosts by name, or addresses, and which ports of them.
public sealed interface Target {

    Ports ports();

    /// Hosts by their names.
    record Named(HostPattern hosts, Ports ports) implements Target {
        @Override
        public String toString() {
            return hosts + " (" + ports + ")";
        }
    }

    /// Addresses. Of a rule that allows: as literals; of one that denies: also as what a name leads to.
    record Numbered(AddressBlock block, Ports ports) implements Target {
        @Override
        public String toString() {
            String text = block.first() instanceof Inet6Address ? "[" + block + "]" : block.toString();
            return text + " (" + ports + ")";
        }
    }
}
