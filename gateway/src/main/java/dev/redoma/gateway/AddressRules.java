// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Optional;

/// What kind of address it is, where it is none of the public ones. IPv4 within IPv6 (mapped, compatible, NAT64, 6to4, ISATAP) counts as
/// what it stands for.
final class AddressRules {

    /// Why an address is not public. `never`: under no configuration.
    enum Kind {
        UNSPECIFIED("unspecified", true), LOOPBACK("loopback", false), LINK_LOCAL("link-local", true), PRIVATE("private", false), SHARED("shared", false),
        MULTICAST("multicast", true), RESERVED("reserved", true), TUNNEL("tunnelled", true), OWN("one of this host's own", false);

        private final String text;
        private final boolean never;

        Kind(String text, boolean never) {
            this.text = text;
            this.never = never;
        }

        boolean never() {
            return never;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    private AddressRules() {}

    /// Empty: public.
    static Optional<Kind> of(InetAddress address) {
        var kind = of(address.getAddress());
        return kind.isPresent() ? kind : own(address) ? Optional.of(Kind.OWN) : Optional.empty();
    }

    static Optional<Kind> of(byte[] a) {
        return a.length == 4 ? four(a) : six(a);
    }

    private static boolean own(InetAddress address) {
        try {
            return NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException unknown) {
            return true;
        }
    }

    private static Optional<Kind> four(byte[] a) {
        int first = a[0] & 0xff;
        int second = a[1] & 0xff;
        int third = a[2] & 0xff;
        if (first == 0) {
            return Optional.of(Kind.UNSPECIFIED);
        }
        if (first == 127) {
            return Optional.of(Kind.LOOPBACK);
        }
        if (first == 10 || first == 172 && second >= 16 && second < 32 || first == 192 && second == 168) {
            return Optional.of(Kind.PRIVATE);
        }
        if (first == 100 && second >= 64 && second < 128) {
            return Optional.of(Kind.SHARED);
        }
        if (first == 169 && second == 254) {
            return Optional.of(Kind.LINK_LOCAL);
        }
        if (first >= 224 && first < 240) {
            return Optional.of(Kind.MULTICAST);
        }
        boolean protocol = first == 192 && second == 0 && (third == 0 || third == 2) || first == 192 && second == 88 && third == 99;
        boolean tests = first == 198 && (second == 18 || second == 19 || second == 51 && third == 100) || first == 203 && second == 0 && third == 113;
        return first >= 240 || protocol || tests ? Optional.of(Kind.RESERVED) : Optional.empty();
    }

    private static Optional<Kind> six(byte[] a) {
        if (zeros(a, 0, 15) && (a[15] == 0 || a[15] == 1)) {
            return Optional.of(a[15] == 0 ? Kind.UNSPECIFIED : Kind.LOOPBACK);
        }
        if (zeros(a, 0, 12) || zeros(a, 0, 10) && a[10] == -1 && a[11] == -1 || begins(a, 0x00, 0x64, 0xff, 0x9b) && zeros(a, 4, 12)) {
            return inside(a, 12);
        }
        if (begins(a, 0x20, 0x02)) {
            return inside(a, 2);
        }
        if (a[10] == 0x5e && a[11] == (byte) 0xfe && a[9] == 0 && (a[8] == 0 || a[8] == 2)) {
            return Optional.of(Kind.TUNNEL);
        }
        if ((a[0] & 0xff) == 0xff) {
            return Optional.of(Kind.MULTICAST);
        }
        if ((a[0] & 0xff) == 0xfe && (a[1] & 0xc0) == 0x80) {
            return Optional.of(Kind.LINK_LOCAL);
        }
        if ((a[0] & 0xfe) == 0xfc || (a[0] & 0xff) == 0xfe && (a[1] & 0xc0) == 0xc0) {
            return Optional.of(Kind.PRIVATE);
        }
        if (begins(a, 0x20, 0x01, 0x00, 0x00) || begins(a, 0x00, 0x64, 0xff, 0x9b)) {
            return Optional.of(Kind.TUNNEL);
        }
        boolean notGlobal = (a[0] & 0xe0) != 0x20;
        boolean documentation = begins(a, 0x20, 0x01, 0x0d, 0xb8) || begins(a, 0x3f, 0xff) && (a[2] & 0xf0) == 0;
        boolean protocol = begins(a, 0x20, 0x01) && (a[2] & 0xfe) == 0;
        return notGlobal || documentation || protocol ? Optional.of(Kind.RESERVED) : Optional.empty();
    }

    /// An address that stands for an IPv4 one is what that is; a public one so disguised is left to the plain form.
    private static Optional<Kind> inside(byte[] a, int at) {
        return Optional.of(four(Arrays.copyOfRange(a, at, at + 4)).orElse(Kind.TUNNEL));
    }

    private static boolean zeros(byte[] a, int from, int to) {
        for (int i = from; i < to; i++) {
            if (a[i] != 0) {
                return false;
            }
        }
        return true;
    }

    private static boolean begins(byte[] a, int... start) {
        for (int i = 0; i < start.length; i++) {
            if ((a[i] & 0xff) != start[i]) {
                return false;
            }
        }
        return true;
    }

    /// The addresses of a name (one look-up) or of a literal.
    static InetAddress[] resolve(String host) throws UnknownHostException {
        return InetAddress.getAllByName(host.indexOf(':') >= 0 ? "[" + host + "]" : host);
    }
}
