// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// What is public where this host stands: the public addresses of the Internet, and the ranges beside them that its operator says lead to the same on its network (NAT64, shared
/// addresses, a split horizon). An IPv6 range of 96 bits is one of translated IPv4: each address of it counts as what it stands for. What is dangerous everywhere (loopback,
/// link-local, multicast, metadata services) no range makes public.
public record AddressSpace(List<AddressBlock> publicToo) {
    /// As on the Internet.
    public static final AddressSpace INTERNET = new AddressSpace(List.of());
    private static final int TRANSLATED = 96;
    private static final int WIDEST_FOUR = 8;
    private static final int WIDEST_SIX = 16;
    private static final List<AddressBlock> TRANSLATION = blocks("64:ff9b::/96", "64:ff9b:1::/48");
    /// Those of 198.18.0.0/15 and of fd72:6564:6f6d:6100::/64 stand for names in sandboxes.
    private static final List<AddressBlock> NEVER = blocks("0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "198.18.0.0/15", "224.0.0.0/3", "::/8", "fe80::/10", "ff00::/8", "2002::/16", "2001::/32",
            "fd72:6564:6f6d:6100::/64");

    public AddressSpace {
        publicToo = List.copyOf(publicToo);
        publicToo.forEach(b -> refusal(b).ifPresent(why -> {
            throw new IllegalArgumentException(b + " " + why);
        }));
    }

    private static List<AddressBlock> blocks(String... texts) {
        return Stream.of(texts).map(b -> AddressBlock.parse(b).orElseThrow()).toList();
    }

    /// Why a range cannot be one that is public; empty: it can.
    public static Optional<String> refusal(AddressBlock block) {
        boolean four = block.first() instanceof Inet4Address;
        if (!four && TRANSLATION.stream().anyMatch(t -> t.covers(block))) {
            return block.prefix() == TRANSLATED ? Optional.empty() : Optional.of("is translated IPv4, of which a range has 96 bits");
        }
        if (block.prefix() < (four ? WIDEST_FOUR : WIDEST_SIX)) {
            return Optional.of("is too wide");
        }
        if (NEVER.stream().anyMatch(block::meets) || Addresses.kind(block.first()).filter(k -> k == AddressKind.METADATA).isPresent() && block.prefix() == block.first().getAddress().length * 8) {
            return Optional.of("holds addresses that are never dialled");
        }
        return Optional.empty();
    }

    /// Empty: public here.
    public Optional<AddressKind> kind(InetAddress address) {
        var kind = Addresses.kind(address);
        if (kind.isEmpty() || publicToo.stream().noneMatch(b -> b.contains(address))) {
            return kind;
        }
        return switch (kind.get()) {
            case PRIVATE, SHARED, RESERVED -> translated(address).flatMap(this::kind);
            case TUNNEL -> translated(address).map(this::kind).orElse(kind);
            case UNSPECIFIED, LOOPBACK, LINK_LOCAL, MULTICAST, METADATA, OWN -> kind;
        };
    }

    /// The IPv4 address that an address of a range of translated ones stands for.
    public Optional<InetAddress> translated(InetAddress address) {
        if (!(address instanceof Inet6Address) || publicToo.stream().noneMatch(b -> b.prefix() == TRANSLATED && b.contains(address))) {
            return Optional.empty();
        }
        try {
            byte[] raw = address.getAddress();
            return Optional.of(InetAddress.getByAddress(Arrays.copyOfRange(raw, 12, 16)));
        } catch (UnknownHostException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
