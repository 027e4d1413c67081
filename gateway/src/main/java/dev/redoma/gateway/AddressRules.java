// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway;

import dev.redoma.policy.AddressKind;
import dev.redoma.policy.Addresses;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// What kind of address it is, where it is none of the public ones, those of this host among them.
final class AddressRules {

    private static final long FRESH = TimeUnit.MILLISECONDS.toNanos(50);
    private static volatile @Nullable Interfaces interfaces;

    private AddressRules() {}

    /// Empty: public.
    static Optional<AddressKind> of(InetAddress address) {
        var kind = of(address.getAddress());
        return kind.isPresent() ? kind : own(address) ? Optional.of(AddressKind.OWN) : Optional.empty();
    }

    static Optional<AddressKind> of(byte[] a) {
        return Addresses.kind(a);
    }

    /// By the interfaces as they are now, or were at most `FRESH` ago: to ask the kernel took 57 µs where it was measured, and each connection asks more than once.
    static boolean own(InetAddress address) {
        var seen = interfaces;
        if (seen == null || System.nanoTime() - seen.at > FRESH) {
            try {
                seen = Interfaces.now();
                interfaces = seen;
            } catch (SocketException unknown) {
                return true;
            }
        }
        return seen.addresses.contains(address);
    }

    private record Interfaces(Set<InetAddress> addresses, long at) {
        static Interfaces now() throws SocketException {
            long at = System.nanoTime();
            return new Interfaces(NetworkInterface.networkInterfaces().flatMap(NetworkInterface::inetAddresses).collect(Collectors.toUnmodifiableSet()), at);
        }
    }

    /// The addresses of a name (one look-up) or of a literal.
    static InetAddress[] resolve(String host) throws UnknownHostException {
        return InetAddress.getAllByName(host.indexOf(':') >= 0 ? "[" + host + "]" : host);
    }
}
