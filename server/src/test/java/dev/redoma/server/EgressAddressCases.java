// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import static dev.redoma.server.EgressCase.every;
import static dev.redoma.server.EgressCase.web;

import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;

/// Addresses that a program names itself, in all their spellings, where names alone are allowed and where every host is.
final class EgressAddressCases {
    private EgressAddressCases() {}

    static List<EgressCase> all() {
        var all = new ArrayList<EgressCase>();
        spellings(all);
        for (String port : List.of("22", "25", "53", "853", "3128", "5432", "8080", "61443", "61444")) {
            var told = new ArrayList<>(List.of("connect.denied 45.0.0.1 no-rule", "connect.denied (198.18.1.0 never-dialled|.*.test (no-rule|port))"));
            if (!port.equals("53")) {
                told.add("connect.denied 198.18.0.1 never-dialled");
            }
            if (port.equals("61443")) {
                told.add("connect.denied 127.0.0.1 never-dialled");
            }
            all.add(web("port " + port + " of an address, of the resolver and of the loopback", "for a in ('45.0.0.1', '198.18.0.1', '198.18.1.0', '127.0.0.1'): " + (port.equals("53") ? "a == '198.18.0.1' or " : "") + "literal(a, " + port + ")")
                    .records(told.toArray(String[]::new)));
        }
        inward(all);
        all.add(every("a public address where every host is allowed", "literal('45.2.0.1', 8080, b'GET / HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n', False)").arrives("45.2.0.1:8080 tcp.*").records("connect 45.2.0.1 -"));
        all.add(every("plain HTTP to an address where every host is allowed", "literal('45.2.0.2', 80, b'GET / HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n', False)").records("connect.denied 45.2.0.2 plain-http-by-address"));
        all.add(every("another port than HTTP's stays what it is, whatever it says", "literal('45.2.0.3', 3128, b'CONNECT denied.test:443 HTTP/1.1\\r\\nHost: denied.test\\r\\n\\r\\n')").arrives("45.2.0.3:3128 tcp.*").records("connect 45.2.0.3 -"));
        return all;
    }

    /// `spelling=what is on record`; nothing: it is the sandbox's own loopback, or the kernel makes no packet of it. On a port of its own as well, for what repeats is counted.
    private static void spellings(List<EgressCase> all) {
        int port = 20_000;
        for (String one : List.of("45.0.0.1=45.0.0.1 no-rule", "45.1=45.0.0.1 no-rule", "45.0.1=45.0.0.1 no-rule", "755040257=45.1.0.1 no-rule", "0x2d000001=45.0.0.1 no-rule", "0x2d.0.0.1=45.0.0.1 no-rule", "055.0.0.1=45.0.0.1 no-rule",
                "045.0x0.0.1=37.0.0.1 no-rule", "::ffff:45.0.0.1=45.0.0.1 no-rule", "::ffff:2d00:1=45.0.0.1 no-rule", "::45.0.0.1=0:0:0:0:0:0:2d00:1 never-dialled", "::ffff:0:45.0.0.1=0:0:0:0:ffff:0:2d00:1 never-dialled",
                "64:ff9b::2d00:1=64:ff9b:0:0:0:0:2d00:1 never-dialled", "64:ff9b:1::2d00:1=64:ff9b:1:0:0:0:2d00:1 never-dialled", "2002:2d00:1::1=2002:2d00:1:0:0:0:0:1 never-dialled", "2001:0:2d00:1::1=2001:0:2d00:1:0:0:0:1 never-dialled",
                "2a00::5efe:2d00:1=2a00:0:0:0:0:5efe:2d00:1 never-dialled", "2a00:45::1=2a00:45:0:0:0:0:0:1 no-rule", "0.0.0.0=", "0=", "127.0.0.1=", "127.1=", "::1=", "::=", "169.254.169.254=169.254.169.254 never-dialled",
                "2852039166=169.254.169.254 never-dialled", "10.9.0.1=10.9.0.1 no-rule", "198.18.9.9=198.18.9.9 never-dialled", "198.19.255.255=198.19.255.255 never-dialled",
                "fd72:6564:6f6d:6100::9999=fd72:6564:6f6d:6100:0:0:0:9999 no-rule", "224.0.0.1=", "255.255.255.255=")) {
            String spelling = one.substring(0, one.indexOf('='));
            String told = one.substring(one.indexOf('=') + 1);
            all.add(web("an address that a program names, " + spelling, "for port in (80, 443, " + port++ + "): tcp('" + spelling + "', port, records(hello('a.allowed.test')))")
                    .records(told.isEmpty() ? new String[0] : new String[] {"connect.denied " + told}));
        }
        all.add(every("the listener's own port, though every port is allowed", "literal('45.2.0.4', 61443)").records("connect.denied 45.2.0.4 reserved-port"));
    }

    /// Each once: what repeats is counted.
    private static void inward(List<EgressCase> all) {
        var never = new ArrayList<>(List.of("169.254.169.254=2852039166", "169.254.170.2=0xa9feaa02", "169.254.170.23=0251.0376.0252.027", "169.254.169.253=169.254.43517", "169.254.169.123", "169.254.42.42", "169.254.0.23",
                "100.100.100.200=1684301000", "168.63.129.16=0xa83f8110", "192.0.0.192=3221225664", "192.80.8.124", "fd00:ec2::254", "fd00:ec2::253", "fd00:ec2::23", "fd20:ce::254", "fd00:c1::a9fe:a9fe", "fd00:42::42",
                "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::1", "::a9fe:a9fe", "::ffff:0:a9fe:a9fe", "2001:0:a9fe:a9fe::1", "2a00::5efe:a9fe:a9fe", "64:ff9b:1::a9fe:a9fe", "240.0.0.1", "192.0.2.1", "2001:db8::1", "100::1"));
        own().forEach(never::add);
        for (String address : never) {
            String spelled = address.substring(address.indexOf('=') + 1);
            all.add(every("never dialled: " + spelled, "tcp('" + spelled + "', 8080)").records("connect.denied .* never-dialled"));
        }
        all.add(every("a metadata service in a mapped address", "tcp('::ffff:169.254.169.254', 8081)").records("connect.denied 169.254.169.254 never-dialled"));
        for (String address : List.of("10.9.0.1=167837697", "172.16.9.1=0xac100901", "192.168.9.1=0300.0250.011.01", "100.64.9.1", "fd00::9")) {
            all.add(every("private: " + address, "tcp('" + address.substring(address.indexOf('=') + 1) + "', 8080)").records("connect.denied .* private-address"));
        }
    }

    /// This host's own addresses but loopback.
    static List<String> own() {
        try {
            return NetworkInterface.networkInterfaces().flatMap(NetworkInterface::inetAddresses).filter(a -> !a.isLoopbackAddress() && !a.isLinkLocalAddress()).map(a -> a.getHostAddress().replaceFirst("%.*", "")).toList();
        } catch (SocketException e) {
            throw new IllegalStateException(e);
        }
    }
}
