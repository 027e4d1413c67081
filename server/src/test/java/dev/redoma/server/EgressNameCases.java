// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import static dev.redoma.server.EgressCase.web;

import java.util.ArrayList;
import java.util.List;

/// Names that are meant to be taken for others.
final class EgressNameCases {
    private EgressNameCases() {}

    static List<EgressCase> all() {
        var all = new ArrayList<>(List.of(
                web("an allowed name in any case is told an address and nothing leaves for it", "ask('{h}.ALLOWED.tEsT')").records("dns {h}.allowed.test -"),
                web("a trailing dot changes nothing", "tls('{h}.allowed.test.', '{h}.allowed.test')").leads("45.0.0.1").arrives("45.0.0.1:443 tcp", "45.0.0.1:443 tcp .* bytes")
                        .records("dns {h}.allowed.test -", "connect {h}.allowed.test -"),
                web("a name deep below an allowed suffix", "ask('a.b.c.d.{h}.allowed.test')").records("dns a.b.c.d.{h}.allowed.test -"),
                web("a name with a label of 63 characters", "ask('a' * 60 + '{h}'.rjust(3, 'x')[-3:] + '.allowed.test')").records("dns a+.{3}.allowed.test -"),
                web("an A-label that the policy names in Unicode", "ask('xn--bcher-kva.test')").records("dns xn--bcher-kva.test -")));
        for (String name : List.of("{h}.denied.test", "{h}allowed.test", "{h}-allowed.test", "{h}.allowed.test.evil.test", "allowed.test.{h}.test", "{h}.exact.test", "{h}.xn--llowed-2fg.test", "{h}.allowed.tes",
                "{h}.allowed.test.local", "{h}._allowed.test")) {
            all.add(web("another name: " + name, "ask('" + name + "')").records("dns.denied " + name + " no-rule"));
        }
        for (String labels : List.of("[b'{h}\\x00', 'allowed', 'test']", "[b'{h}.x', 'allowed', 'test']", "['{h}', b'allowed.test']", "['{h}%2e', 'allowed', 'test']", "[b'{h}\\\\', 'allowed', 'test']",
                "[b'{h}\\\\.evil', 'allowed', 'test']", "['{h} x', 'allowed', 'test']", "['{h}/x', 'allowed', 'test']", "['{h}:80', 'allowed', 'test']", "['{h}@evil', 'allowed', 'test']", "[b'b\\xc3\\xbccher{h}', 'allowed', 'test']",
                "['*', '{h}', 'allowed', 'test']", "['-{h}', 'allowed', 'test']", "['{h}-', 'allowed', 'test']", "[b'{h}\\n', 'allowed', 'test']", "[b'{h}\\x7f', 'allowed', 'test']", "[b'{h}', b'\\xef\\xbd\\xa1allowed', 'test']",
                "['{h}', 'allowed', 'test', '1']", "['{h}', '0x7f']", "['{h}', '127', '0', '0', '1']")) {
            all.add(web("no name of a host: " + labels, "ask(" + labels + ")").records("dns.denied (?s).*{h}.* bad-name"));
        }
        all.add(web("the root", "ask([])"));
        all.add(web("a reversed address", "ask('{h}.0.45.in-addr.arpa', 12)").records("dns.denied {h}.0.45.in-addr.arpa no-rule"));
        all.add(web("the suffix of a wildcard is not below it", "ask('allowed.test')\nask('ALLOWED.test.'[:-1])").records("dns.denied (?i)allowed.test no-rule"));
        all.add(web("a name longer than names are", "tcp('a.' * 130 + '{h}.allowed.test', 443)"));
        all.add(web("a name of the wrong case in SNI and DNS", "tls('{h}.Allowed.Test', '{h}.aLLOWED.test')").leads("45.0.0.1").arrives("45.0.0.1:443 tcp", "45.0.0.1:443 tcp .* bytes")
                .records("dns {h}.allowed.test -", "connect {h}.allowed.test -"));
        return all;
    }
}
