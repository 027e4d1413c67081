// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.regex.Pattern;

/// A range of addresses: those that share the first `prefix` bits of `first`, whose other bits are zero.
public record AddressBlock(InetAddress first, int prefix) {
    private static final String BYTE = "(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])";
    private static final Pattern FOUR = Pattern.compile(BYTE + "(\\." + BYTE + "){3}");
    private static final Pattern SIX = Pattern.compile("[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*");

    public AddressBlock {
        byte[] raw = first.getAddress();
        if (prefix < 0 || prefix > raw.length * 8) {
            throw new IllegalArgumentException("a prefix of " + prefix);
        }
        for (int bit = prefix; bit < raw.length * 8; bit++) {
            if ((raw[bit / 8] & 0x80 >> bit % 8) != 0) {
                throw new IllegalArgumentException("bits are set behind the prefix");
            }
        }
    }

    /// One plainly written address (four decimal bytes, or IPv6 that does not stand for IPv4). Empty: it is none.
    public static Optional<InetAddress> address(String text) {
        if (!FOUR.matcher(text).matches() && !(text.length() <= 45 && SIX.matcher(text).matches())) {
            return Optional.empty();
        }
        try {
            var address = InetAddress.ofLiteral(text);
            return address instanceof Inet4Address && text.contains(":") ? Optional.empty() : Optional.of(address);
        } catch (IllegalArgumentException none) {
            return Optional.empty();
        }
    }

    /// An address, or an address and a prefix. Empty: it is none, or it has bits behind the prefix.
    public static Optional<AddressBlock> parse(String text) {
        int slash = text.indexOf('/');
        if (slash < 0) {
            return address(text).map(AddressBlock::of);
        }
        String bits = text.substring(slash + 1);
        if (!bits.matches("0|[1-9][0-9]{0,2}")) {
            return Optional.empty();
        }
        try {
            return address(text.substring(0, slash)).map(a -> new AddressBlock(a, Integer.parseInt(bits)));
        } catch (IllegalArgumentException unfit) {
            return Optional.empty();
        }
    }

    public static AddressBlock of(InetAddress address) {
        return new AddressBlock(address, address.getAddress().length * 8);
    }

    public boolean contains(InetAddress address) {
        byte[] mine = first.getAddress();
        byte[] its = address.getAddress();
        if (mine.length != its.length) {
            return false;
        }
        for (int bit = 0; bit < prefix; bit++) {
            if (((mine[bit / 8] ^ its[bit / 8]) & 0x80 >> bit % 8) != 0) {
                return false;
            }
        }
        return true;
    }

    public boolean covers(AddressBlock other) {
        return prefix <= other.prefix && contains(other.first);
    }

    /// Both have addresses in common: then one of them covers the other.
    public boolean meets(AddressBlock other) {
        return covers(other) || other.covers(this);
    }

    /// The last address of it.
    public InetAddress last() {
        byte[] raw = first.getAddress();
        for (int bit = prefix; bit < raw.length * 8; bit++) {
            raw[bit / 8] |= (byte) (0x80 >> bit % 8);
        }
        try {
            // Not InetAddress: it makes IPv4 of ::ffff:0:0/96, where ranges like ::/80 end.
            return raw.length == 4 ? InetAddress.getByAddress(raw) : Inet6Address.getByAddress(null, raw, -1);
        } catch (UnknownHostException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    @Override
    public String toString() {
        return first.getHostAddress() + (prefix == first.getAddress().length * 8 ? "" : "/" + prefix);
    }
}
