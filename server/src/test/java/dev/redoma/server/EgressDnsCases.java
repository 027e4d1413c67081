// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import static dev.redoma.server.EgressCase.every;
import static dev.redoma.server.EgressCase.web;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/// Other resolvers, tunnels through names, and names that lead where they should not.
final class EgressDnsCases {
    private static final String[] REACHED = {"45.0.0.1:443 tcp", "45.0.0.1:443 tcp .* bytes"};
    private static final String KNOWN = "dns {h}.allowed.test -";
    private static final String CONNECTS = "tls('{h}.allowed.test', '{h}.allowed.test')";

    private EgressDnsCases() {}

    static List<EgressCase> all() {
        var all = new ArrayList<EgressCase>();
        others(all);
        tunnels(all);
        turns(all);
        for (String inward : List.of("10.9.0.1", "172.16.0.1", "192.168.1.1", "100.64.0.1", "fd00::1")) {
            all.add(web("a name that leads to the private " + inward, CONNECTS).leads(inward).records(KNOWN, "connect.denied {h}.allowed.test private-address"));
        }
        for (String never : List.of("127.0.0.1", "0.0.0.0", "::1", "::", "169.254.169.254", "169.254.170.2", "169.254.170.23", "169.254.169.123", "169.254.42.42", "169.254.0.23", "100.100.100.200", "168.63.129.16",
                "192.0.0.192", "192.80.8.124", "fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254", "fd00:c1::a9fe:a9fe", "fd00:42::42", "fe80::a9fe:a9fe", "224.0.0.251", "255.255.255.255", "198.18.0.1", "192.0.2.1",
                "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::1", "::a9fe:a9fe", "::ffff:0:a9fe:a9fe", "2001:0:a9fe:a9fe::1", "2a00::5efe:a9fe:a9fe", "64:ff9b:1::a9fe:a9fe", "2001:db8::1")) {
            all.add(web("a name that leads to " + never, CONNECTS).leads(never).records(KNOWN, "connect.denied {h}.allowed.test (never-dialled|private-address)"));
        }
        return all;
    }

    private static void others(List<EgressCase> all) {
        for (String server : List.of("45.0.0.53", "8.8.8.8", "2a00:45::53", "127.0.0.53", "198.18.0.2", "10.9.0.1")) {
            String told = server.replace("::", ":0:0:0:0:0:");
            boolean own = server.startsWith("127.");
            all.add(web("a question by datagram to " + server, "ask('{h}.allowed.test', server='" + server + "')").records(own ? new String[0] : new String[] {"packet.denied " + told + " protocol"}));
            all.add(web("a question by connection to " + server, "ask_tcp('{h}.allowed.test', server='" + server + "')").records(own ? new String[0] : new String[] {"connect.denied " + told + " (no-rule|never-dialled)"}));
        }
        all.add(web("DNS over TLS", "literal('45.0.0.54', 853, records(hello('dns.test')))").records("connect.denied 45.0.0.54 no-rule"));
        all.add(web("DNS over HTTPS to an address", "literal('45.0.0.54', 443, records(hello('dns.test')))").records("connect.denied 45.0.0.54 no-rule"));
        all.add(web("DNS over HTTPS to a name", "tls('{h}.dns.test', '{h}.dns.test')").records("dns.denied {h}.dns.test no-rule"));
        all.add(web("QUIC, and DNS over it", "for port in (443, 784, 853, 8853): udp('45.0.0.53', port)").records("packet.denied 45.0.0.53 protocol"));
        all.add(web("QUIC to an allowed name", "udp(socket.gethostbyname('{h}.allowed.test'), 443)").records(KNOWN, "packet.denied {h}.allowed.test protocol"));
        all.add(web("DNS over TLS and at other ports of the resolver", "for port in (853, 443, 5353): ask('{h}.allowed.test', port=port); ask_tcp('{h}.allowed.test', port=port)").records("packet.denied 198.18.0.1 protocol", "connect.denied 198.18.0.1 never-dialled"));
        all.add(web("multicast names", "udp('224.0.0.251', 5353); udp('ff02::fb', 5353)").records("packet.denied 224.0.0.251 protocol", "packet.denied ff02:0:0:0:0:0:0:fb protocol"));
        all.add(every("where every host is allowed, other resolvers are not by datagram", "ask('{h}.denied.test', server='45.0.0.53'); udp('45.0.0.53', 443)").records("packet.denied 45.0.0.53 protocol"));
    }

    private static void tunnels(List<EgressCase> all) {
        all.add(web("data in the labels of a denied name", "ask('MFRGGZDFMZTWQ2LK.{h}.evil.test'); ask('NNWG23TPOBYXE43U.{h}.evil.test')").records("dns.denied (?i)m[a-z0-9]+.{h}.evil.test no-rule", "dns.denied (?i)n[a-z0-9]+.{h}.evil.test no-rule"));
        for (int type : IntStream.of(16, 10, 65, 64, 15, 255, 5, 2, 33, 257).toArray()) {
            all.add(web("a question of type " + type + " for an allowed name is answered empty", "answer = ask('{h}.allowed.test', " + type + ")\nassert answer[6:8] == b'\\0\\0'").records(KNOWN));
        }
        all.add(web("data in names below an allowed suffix does not leave by asking", "for i in range(20): ask('data%d.{h}.allowed.test' % i)").records(
                IntStream.range(0, 20).mapToObj(i -> "dns data" + i + ".{h}.allowed.test -").toArray(String[]::new)));
        all.add(web("what leaves by connecting below an allowed suffix is on record", "tls('data.{h}.allowed.test', 'data.{h}.allowed.test')")
                .zone((names, h) -> names.put("data." + h + ".allowed.test", List.of("45.0.0.1"))).looks("data.{h}.allowed.test").arrives(REACHED)
                .records("dns data.{h}.allowed.test -", "connect data.{h}.allowed.test -"));
    }

    private static void turns(List<EgressCase> all) {
        all.add(web("a name that is rebound is checked at each connection", CONNECTS + "\n" + CONNECTS)
                .zone((names, h) -> names.put(h + ".allowed.test", List.of("45.0.0.1"), List.of("10.9.0.1"))).looks("{h}.allowed.test").arrives(REACHED)
                .records(KNOWN, "connect {h}.allowed.test -", "connect.denied {h}.allowed.test private-address"));
        all.add(web("one private address among public ones", CONNECTS).leads("45.0.0.1", "10.9.0.1").records(KNOWN, "connect.denied {h}.allowed.test private-address"));
        all.add(web("one metadata address among public ones", CONNECTS).leads("45.0.0.1", "169.254.169.254").records(KNOWN, "connect.denied {h}.allowed.test never-dialled"));
        all.add(web("a private address in the other family", CONNECTS).leads("45.0.0.1", "fd00::1").records(KNOWN, "connect.denied {h}.allowed.test private-address"));
        all.add(web("an alias that leads to a private address", CONNECTS).zone((names, h) -> {
            names.put(h + ".allowed.test", List.of("=" + h + ".inward.test"));
            names.put(h + ".inward.test", List.of("10.9.0.1"));
        }).looks("{h}.allowed.test", "{h}.inward.test").records(KNOWN, "connect.denied {h}.allowed.test private-address"));
        all.add(web("an alias that leads to a public address", CONNECTS).zone((names, h) -> {
            names.put(h + ".allowed.test", List.of("=" + h + ".cdn.test"));
            names.put(h + ".cdn.test", List.of("45.0.0.1"));
        }).looks("{h}.allowed.test", "{h}.cdn.test").arrives(REACHED).records(KNOWN, "connect {h}.allowed.test -"));
        all.add(web("aliases that lead in a circle", CONNECTS).zone((names, h) -> {
            names.put(h + ".allowed.test", List.of("=" + h + ".b.test"));
            names.put(h + ".b.test", List.of("=" + h + ".allowed.test"));
        }).looks("{h}.allowed.test", "{h}.b.test").records(KNOWN, "connect.failed {h}.allowed.test look-up"));
        all.add(web("a name that does not exist outside", CONNECTS).looks("{h}.allowed.test").records(KNOWN, "connect.failed {h}.allowed.test no-address"));
        all.add(web("a name without an address", CONNECTS).leads().records(KNOWN, "connect.failed {h}.allowed.test no-address"));
        all.add(web("a name with more addresses than any", CONNECTS).leads(IntStream.range(0, 300).mapToObj(i -> "45.1." + i / 250 + "." + i % 250).toArray(String[]::new))
                .records(KNOWN, "connect.failed {h}.allowed.test look-up"));
    }
}
