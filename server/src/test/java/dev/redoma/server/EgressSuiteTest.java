// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What programs try in order to get out, in real sandboxes, as user and as root, against an internet of the tests' own. A case passes on what that saw, down to the single packet, and on
/// the record; what the program was told does not count.
@Timeout(120)
class EgressSuiteTest {
    private static final Map<String, String> POLICIES = Map.of(
            "web", """
                    egress:
                      web:
                        - {hosts: ["*.allowed.test", "exact.test", "b\u00fccher.test"], ports: [80, 443], tls: opaque}
                        - {hosts: ["*.tcp.test"], ports: [8443], tls: opaque}
                    """,
            "every", "egress:\n  web:\n    - {hosts: ['*'], ports: any, tls: opaque}\n");
    private static final AtomicInteger RUNS = new AtomicInteger();
    private static final Map<String, LabBox> BOXES = new HashMap<>();
    private static LabInternet internet;
    private static RealServer server;

    @BeforeAll
    static void open() throws Exception {
        internet = new LabInternet();
        server = RealServer.start(Map.of("REDOMA_POOL_SIZE", "6GiB"), internet.dialler());
        LabBox.template(server);
        for (var policy : POLICIES.entrySet()) {
            for (String user : List.of("user", "root")) {
                BOXES.put(policy.getKey() + " " + user, LabBox.create(server, policy.getValue()));
            }
        }
    }

    @AfterAll
    static void close() throws Exception {
        try {
            server.close();
        } finally {
            internet.close();
        }
    }

    static Stream<Arguments> cases() {
        return Stream.of(EgressNameCases.all(), EgressDnsCases.all(), EgressTlsCases.all(), EgressHttpCases.all(), EgressAddressCases.all(), EgressPacketCases.all()).flatMap(List::stream)
                .flatMap(c -> Stream.of("user", "root").map(u -> Arguments.of(u, c)));
    }

    @ParameterizedTest(name = "{0}: {1}")
    @MethodSource("cases")
    void nothingLeavesButWhatThePolicyLetsThrough(String user, EgressCase given) throws Exception {
        passes(user, given);
    }

    /// What the program was told.
    private static String passes(String user, EgressCase given) throws Exception {
        String label = "c" + RUNS.incrementAndGet();
        var what = given.with(label);
        var box = BOXES.get(what.under() + " " + user);
        if (what.zone() != null) {
            what.zone().accept(internet.names, label);
        }
        long before = quiet();
        long last = box.last();
        internet.arrivals.clear();
        internet.names.asked.clear();
        String output = box.probe(user, what.python());
        long after = quiet();
        assertThat(internet.names.names()).as("looked up; %s", output).containsExactlyInAnyOrderElementsOf(what.looks());
        matches("arrived; " + output, internet.arrivals, what.arrives());
        if (what.looks().isEmpty() && what.arrives().isEmpty()) {
            assertThat(after - before).as("packets; %s", output).isZero();
        }
        var told = new ArrayList<String>();
        box.records(last).stream().filter(r -> !r.action().equals("connect.closed") && !r.fields().containsKey("again")).map(LabBox::told).forEach(told::add);
        matches("recorded; " + output, told, what.records());
        return LabBox.printed(output);
    }

    @ParameterizedTest
    @ValueSource(strings = {"user", "root"})
    void nw01ThereIsNoProxyToUnset(String user) throws Exception {
        passes(user, EgressCase.web("without any variable", "run('env', '-i', 'curl', '-sS', '-m', '5', 'https://denied.test')\nrun('env', '-u', 'HTTPS_PROXY', '-u', 'https_proxy', 'curl', '-sS', '-m', '5', '--noproxy', '*', 'https://denied.test')\n"
                + "literal('45.3.0.1', 443, records(hello('denied.test')))").records("dns.denied denied.test no-rule", "connect.denied 45.3.0.1 no-rule"));
        passes(user, EgressCase.web("with variables that name a proxy", "os.environ.update(https_proxy='http://45.0.0.9:3128', ALL_PROXY='socks5h://45.0.0.9:3128')\nrun('curl', '-sS', '-m', '5', 'https://{h}.allowed.test')").records("connect.denied 45.0.0.9 no-rule"));
    }

    /// Where no name or address of it is granted there is no connection at all. Where every host is, an address is decided after the program has connected: it gets a reset, or of HTTP the reason, and never an end that looks orderly.
    @ParameterizedTest
    @ValueSource(strings = {"user", "root"})
    void nw07WhatIsDeniedDoesNotLookConnected(String user) throws Exception {
        String output = passes(user, EgressCase.web("connecting", """
                for to in (('45.3.0.2', 443), ('45.3.0.2', 22), ('10.9.0.2', 80), ('169.254.170.2', 80), ('198.18.7.7', 443), ('2a00:45::2', 443)):
                    with socket.socket(socket.AF_INET6 if ':' in to[0] else socket.AF_INET) as s:
                        s.settimeout(5)
                        told('connect', s.connect_ex(to))
                """).records("connect.denied 45.3.0.2 no-rule", "connect.denied 10.9.0.2 no-rule", "connect.denied 169.254.170.2 never-dialled", "connect.denied 198.18.7.7 never-dialled", "connect.denied 2a00:45:0:0:0:0:0:2 no-rule"));
        String proposal = server.get("/v1/sandboxes/" + BOXES.get("web " + user).id + "/policy/learn").body();
        assertThat(proposal).as("a human may allow the public ones").contains("45.3.0.2").contains("169.254.170.2: its address 169.254.170.2 is");
        assertThat(output.lines().filter(l -> l.contains("connect "))).as(output).hasSize(6).allMatch(l -> l.contains("connect 111"));
        String last = user.equals("root") ? "8" : "7";
        String inward = passes(user, EgressCase.every("an address that is decided", "literal('10.9.7." + last + "', 8080, b'x', False); literal('10.9.8." + last + "', 443, records(hello('x.test')), False)")
                .records("connect.denied 10.9.7." + last + " private-address", "connect.denied 10.9.8." + last + " private-address"));
        assertThat(inward.lines().filter(l -> l.contains("ConnectionResetError"))).as(inward).hasSize(2);
        String http = passes(user, EgressCase.web("a name that leads inwards", "http('{h}.allowed.test', 'GET / HTTP/1.1\\nHost: {h}.allowed.test\\n\\n')").leads("10.9.0.1")
                .records("dns {h}.allowed.test -", "connect.denied {h}.allowed.test private-address"));
        assertThat(http).contains("403 Forbidden", "egress_refused");
    }

    @ParameterizedTest
    @ValueSource(strings = {"user", "root"})
    void nw14WhatGoesToAnAddressGoesThereWhateverHostItNames(String user) throws Exception {
        String to = "45.4.0." + (user.equals("root") ? 1 : 2);
        passes(user, EgressCase.every("another host in the request", "literal('" + to + "', 3128, b'GET / HTTP/1.1\\r\\nHost: other.test\\r\\n\\r\\n')").arrives(to + ":3128 tcp.*").records("connect " + to + " -"));
    }

    private static void matches(String as, List<String> seen, List<String> expected) {
        assertThat(seen).as(as).allSatisfy(s -> assertThat(expected).anyMatch(s::matches));
        assertThat(expected).as(as + " " + seen).allSatisfy(e -> assertThat(seen).anyMatch(s -> s.matches(e)));
    }

    /// The number of packets once none comes any more.
    private static long quiet() {
        long[] seen = {-1};
        Awaitility.await().atMost(java.time.Duration.ofSeconds(30)).pollInterval(java.time.Duration.ofMillis(25)).until(() -> {
            long now = internet.packets();
            boolean still = now == seen[0];
            seen[0] = now;
            return still;
        });
        return seen[0];
    }
}
