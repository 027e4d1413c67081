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
    }

    private static void matches(String as, List<String> seen, List<String> expected) {
        assertThat(seen).as(as).allSatisfy(s -> assertThat(expected).anyMatch(s::matches));
        assertThat(expected).as(as + " " + seen).allSatisfy(e -> assertThat(seen).anyMatch(s -> s.matches(e)));
    }

    /// The number of packets once none comes any more.
    private static long quiet() {
        long[] seen = {-1};
        Awaitility.await().pollInterval(java.time.Duration.ofMillis(25)).until(() -> {
            long now = internet.packets();
            boolean still = now == seen[0];
            seen[0] = now;
            return still;
        });
        return seen[0];
    }
}
