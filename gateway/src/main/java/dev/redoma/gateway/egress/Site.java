// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import dev.redoma.policy.HostName;
import java.net.InetAddress;
import java.util.Optional;

/// What an intercepted connection is for: the name that was asked for, or the address that a program named itself. Every request on it has to be for this.
record Site(String host, boolean address, int port) {
    private static final int HTTPS = 443;

    static Site of(String name, int port) {
        return new Site(name, false, port);
    }

    static Site of(InetAddress literal, int port) {
        String text = literal.getHostAddress();
        int zone = text.indexOf('%');
        return new Site(zone < 0 ? text : text.substring(0, zone), true, port);
    }

    /// As in `Host`.
    String authority() {
        String name = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
        return port == HTTPS ? name : name + ":" + port;
    }

    /// With its port or without, in any case of letters; nothing else.
    boolean isMeantBy(String authority) {
        String end = ":" + port;
        String name = authority.endsWith(end) ? authority.substring(0, authority.length() - end.length()) : authority;
        return address ? literal(name).filter(a -> a.equals(InetAddress.ofLiteral(host))).isPresent() : HostName.parse(name).filter(n -> n.ascii().equals(host)).isPresent();
    }

    private static Optional<InetAddress> literal(String text) {
        boolean six = text.startsWith("[") && text.endsWith("]");
        try {
            InetAddress address = InetAddress.ofLiteral(six ? text.substring(1, text.length() - 1) : text);
            return six == address instanceof java.net.Inet6Address ? Optional.of(address) : Optional.empty();
        } catch (IllegalArgumentException none) {
            return Optional.empty();
        }
    }
}
