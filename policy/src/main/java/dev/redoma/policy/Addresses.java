// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// What kind of address it is, where it is none of the public ones. IPv4 within IPv6 (mapped, compatible, NAT64, 6to4, ISATAP, Teredo) counts as
/// what it stands for. Addresses of metadata services that lie outside of the link-local ranges are known by themselves.
public final class Addresses {
    private static final Set<Raw> METADATA = Stream.of("100.100.100.200", "168.63.129.16", "192.80.8.124", "fd00:ec2::254", "fd00:ec2::253", "fd00:ec2::23",
                    "fd20:ce::254", "fd00:c1::a9fe:a9fe", "fd00:42::42")
            .map(a -> new Raw(InetAddress.ofLiteral(a).getAddress())).collect(Collectors.toUnmodifiableSet());

    private Addresses() {}

    /// Empty: public.
    public static Optional<AddressKind> kind(InetAddress address) {
        return kind(address.getAddress());
    }

    public static Optional<AddressKind> kind(byte[] a) {
        return a.length == 4 ? four(a) : six(a);
    }

    private record Raw(byte[] bytes) {
        @Override
        public boolean equals(@org.jspecify.annotations.Nullable Object other) {
            return other instanceof Raw raw && Arrays.equals(raw.bytes, bytes);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(bytes);
        }
    }

    private static Optional<AddressKind> four(byte[] a) {
        int first = a[0] & 0xff;
        int second = a[1] & 0xff;
        int third = a[2] & 0xff;
        if (METADATA.contains(new Raw(a))) {
            return Optional.of(AddressKind.METADATA);
        }
        if (first == 0) {
            return Optional.of(AddressKind.UNSPECIFIED);
        }
        if (first == 127) {
            return Optional.of(AddressKind.LOOPBACK);
        }
        if (first == 10 || first == 172 && second >= 16 && second < 32 || first == 192 && second == 168) {
            return Optional.of(AddressKind.PRIVATE);
        }
        if (first == 100 && second >= 64 && second < 128) {
            return Optional.of(AddressKind.SHARED);
        }
        if (first == 169 && second == 254) {
            return Optional.of(AddressKind.LINK_LOCAL);
        }
        if (first >= 224 && first < 240) {
            return Optional.of(AddressKind.MULTICAST);
        }
        boolean protocol = first == 192 && second == 0 && (third == 0 || third == 2) || first == 192 && second == 88 && third == 99;
        boolean tests = first == 198 && (second == 18 || second == 19 || second == 51 && third == 100) || first == 203 && second == 0 && third == 113;
        return first >= 240 || protocol || tests ? Optional.of(AddressKind.RESERVED) : Optional.empty();
    }

    private static Optional<AddressKind> six(byte[] a) {
        if (METADATA.contains(new Raw(a))) {
            return Optional.of(AddressKind.METADATA);
        }
        if (zeros(a, 0, 15) && (a[15] == 0 || a[15] == 1)) {
            return Optional.of(a[15] == 0 ? AddressKind.UNSPECIFIED : AddressKind.LOOPBACK);
        }
        if (zeros(a, 0, 12) || zeros(a, 0, 10) && a[10] == -1 && a[11] == -1 || begins(a, 0x00, 0x64, 0xff, 0x9b) && zeros(a, 4, 12)) {
            return inside(a, 12);
        }
        if (begins(a, 0x20, 0x02)) {
            return inside(a, 2);
        }
        if (a[10] == 0x5e && a[11] == (byte) 0xfe && a[9] == 0 && (a[8] == 0 || a[8] == 2)) {
            return Optional.of(AddressKind.TUNNEL);
        }
        if ((a[0] & 0xff) == 0xff) {
            return Optional.of(AddressKind.MULTICAST);
        }
        if ((a[0] & 0xff) == 0xfe && (a[1] & 0xc0) == 0x80) {
            return Optional.of(AddressKind.LINK_LOCAL);
        }
        if ((a[0] & 0xfe) == 0xfc || (a[0] & 0xff) == 0xfe && (a[1] & 0xc0) == 0xc0) {
            return Optional.of(AddressKind.PRIVATE);
        }
        if (begins(a, 0x20, 0x01, 0x00, 0x00) || begins(a, 0x00, 0x64, 0xff, 0x9b)) {
            return Optional.of(AddressKind.TUNNEL);
        }
        boolean notGlobal = (a[0] & 0xe0) != 0x20;
        boolean documentation = begins(a, 0x20, 0x01, 0x0d, 0xb8) || begins(a, 0x3f, 0xff) && (a[2] & 0xf0) == 0;
        boolean protocol = begins(a, 0x20, 0x01) && (a[2] & 0xfe) == 0;
        return notGlobal || documentation || protocol ? Optional.of(AddressKind.RESERVED) : Optional.empty();
    }

    /// An address that stands for an IPv4 one is what that is; a public one so disguised is left to the plain form.
    private static Optional<AddressKind> inside(byte[] a, int at) {
        return Optional.of(four(Arrays.copyOfRange(a, at, at + 4)).orElse(AddressKind.TUNNEL));
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
}
