// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway;

import dev.redoma.policy.AddressKind;
import dev.redoma.policy.Addresses;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Optional;

/// What kind of address it is, where it is none of the public ones, those of this host among them.
final class AddressRules {

    private AddressRules() {}

    /// Empty: public.
    static Optional<AddressKind> of(InetAddress address) {
        var kind = of(address.getAddress());
        return kind.isPresent() ? kind : own(address) ? Optional.of(AddressKind.OWN) : Optional.empty();
    }

    static Optional<AddressKind> of(byte[] a) {
        return Addresses.kind(a);
    }

    static boolean own(InetAddress address) {
        try {
            return NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException unknown) {
            return true;
        }
    }

    /// The addresses of a name (one look-up) or of a literal.
    static InetAddress[] resolve(String host) throws UnknownHostException {
        return InetAddress.getAllByName(host.indexOf(':') >= 0 ? "[" + host + "]" : host);
    }
}
