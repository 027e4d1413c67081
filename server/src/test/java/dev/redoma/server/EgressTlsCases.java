// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import static dev.redoma.server.EgressCase.every;
import static dev.redoma.server.EgressCase.web;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// What is said at the beginning of TLS.
final class EgressTlsCases {
    private static final String KNOWN = "dns {h}.allowed.test -";
    private static final String[] REACHED = {"45.0.0.1:443 tcp", "45.0.0.1:443 tcp .* bytes"};

    private EgressTlsCases() {}

    static List<EgressCase> all() {
        var all = new ArrayList<EgressCase>();
        var denied = Map.ofEntries(
                Map.entry("no server name", "tls('{h}.allowed.test')"), Map.entry("a denied one", "tls('{h}.allowed.test', 'denied.test')"),
                Map.entry("another allowed one", "tls('{h}.allowed.test', 'other.allowed.test')"), Map.entry("an allowed and a denied one", "tls('{h}.allowed.test', '{h}.allowed.test', 'denied.test')"),
                Map.entry("a denied and an allowed one", "tls('{h}.allowed.test', 'denied.test', '{h}.allowed.test')"), Map.entry("the same twice", "tls('{h}.allowed.test', '{h}.allowed.test', '{h}.allowed.test')"),
                Map.entry("one with a NUL", "tls('{h}.allowed.test', '{h}.allowed.test\\x00.denied.test')"), Map.entry("an address", "tls('{h}.allowed.test', '45.0.0.1')"),
                Map.entry("an empty one", "tls('{h}.allowed.test', '')"), Map.entry("one that goes on", "tls('{h}.allowed.test', '{h}.allowed.test.denied.test')"),
                Map.entry("a denied one in pieces", "tls('{h}.allowed.test', 'denied.test', size=5)"), Map.entry("a denied one, slowly", "tls('{h}.allowed.test', 'denied.test', slow=True)"),
                Map.entry("a denied one behind an encrypted hello", "tls('{h}.allowed.test', 'denied.test', more=ECH)"),
                Map.entry("HTTP instead of TLS", "tcp('{h}.allowed.test', 443, b'GET / HTTP/1.1\\r\\nHost: {h}.allowed.test\\r\\n\\r\\n')"),
                Map.entry("SSH instead of TLS", "tcp('{h}.allowed.test', 443, b'SSH-2.0-x\\r\\n')"), Map.entry("nothing but a beginning", "tcp('{h}.allowed.test', 443, records(hello('{h}.allowed.test'))[:-9])"),
                Map.entry("more behind its end", "tcp('{h}.allowed.test', 443, records(hello('{h}.allowed.test') + b'\\x01'))"));
        denied.forEach((what, python) -> all.add(web("TLS to an allowed name with " + what, python).records(KNOWN, "connect.denied {h}.allowed.test (sni-.*|not-tls)")));
        for (int size : List.of(1, 3, 40)) {
            all.add(web("TLS with its own name in records of " + size, "tls('{h}.allowed.test', '{h}.allowed.test', size=" + size + ")").leads("45.0.0.1").arrives(REACHED).records(KNOWN, "connect {h}.allowed.test -"));
        }
        all.add(web("TLS with its own name, byte after byte", "tls('{h}.allowed.test', '{h}.allowed.test', slow=True)").leads("45.0.0.1").arrives(REACHED).records(KNOWN, "connect {h}.allowed.test -"));
        all.add(web("an encrypted hello behind the right name passes and is on record as what it is", "tls('{h}.allowed.test', '{h}.allowed.test', more=ECH)").leads("45.0.0.1").arrives(REACHED)
                .records(KNOWN, "connect {h}.allowed.test -"));
        all.add(web("a denied name in TLS on another port", "tls('{h}.tcp.test', 'denied.test', port=8443)").zone((names, h) -> names.put(h + ".tcp.test", List.of("45.0.0.1"))).looks("{h}.tcp.test")
                .arrives("45.0.0.1:8443 tcp", "45.0.0.1:8443 tcp 0 bytes").records("dns {h}.tcp.test -", "connect {h}.tcp.test -", "connect.denied {h}.tcp.test sni-mismatch"));
        all.add(web("another port of an allowed name", "tcp('{h}.allowed.test', 8443); tcp('{h}.allowed.test', 22)").records(KNOWN, "connect.denied {h}.allowed.test no-rule"));
        all.add(every("a name in TLS to an address that the program names", "literal('45.3.0.' + str(os.getuid() % 2 + 1), 443, records(hello('{h}.any.test')))").arrives("45.3.0.[12]:443 tcp.*").records("connect 45.3.0.[12] -"));
        return all;
    }
}
