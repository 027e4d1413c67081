// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// Egress over the wire, on a real server: what a sandbox is told, what is on record, and what a change or a restart leaves. Nothing outside this machine is reached.
@ExtendWith(LabExtension.class)
@Timeout(120)
class EgressBehavioursTest {
    private final Lab lab;

    EgressBehavioursTest(Lab lab) {
        this.lab = lab;
    }

    private static String policy(String... hosts) {
        return "egress:\n  web:\n    - {hosts: ['" + String.join("', '", hosts) + "'], ports: [80, 443], tls: opaque}\n";
    }

    private List<String> told(Box box) {
        var items = lab.api().get("/v1/audit?category=egress&sandbox=" + box.id()).expect(200).json().get("items");
        return StreamSupport.stream(items.spliterator(), false).map(r -> r.get("action").asString() + " " + r.get("fields").path("host").asString(r.get("fields").path("address").asString("-")) + " "
                + r.get("fields").path("reason").asString("-")).toList();
    }

    @Test
    void nw05WhatIsRefusedIsRefusedAtOnceAndOnRecord() {
        try (var box = lab.tiny(Map.of("policy", policy("a.example.com")))) {
            assertThat(box.sh("cat /etc/resolv.conf").text()).startsWith("nameserver 198.18.0.1\n");
            long before = System.nanoTime();
            assertThat(box.sh("wget -qO- http://denied.example.com/ || echo refused; wget -qO- http://192.0.2.1/ || echo refused; wget -qO- http://a.example.com:8080/ || echo refused").text())
                    .isEqualTo("refused\nrefused\nrefused\n");
            assertThat(System.nanoTime() - before).isLessThan(10_000_000_000L);
            assertThat(told(box)).contains("dns.denied denied.example.com no-rule", "dns a.example.com -", "connect.denied 192.0.2.1 never-dialled", "connect.denied a.example.com no-rule").noneMatch(t -> t.startsWith("connect "));
            assertThat(lab.verifyLedger()).isEqualTo("ok");
        }
    }

    @Test
    void aNameOfThisHostIsNotDialled() throws Exception {
        String own = InetAddress.getLocalHost().getHostName();
        try (var box = lab.tiny(Map.of("policy", policy(own)))) {
            assertThat(box.sh("printf 'GET / HTTP/1.1\\r\\nHost: " + own + "\\r\\n\\r\\n' | nc -w 5 " + own + " 80").text()).startsWith("HTTP/1.1 403 Forbidden\r\n").contains("\"error\":\"egress_refused\"");
            assertThat(told(box)).contains("connect.denied " + own + " never-dialled");
        }
    }

    @Test
    void nw19ALiveChangeIsInForceWhenItIsAnsweredAndOutlivesTheServer() {
        var box = lab.tiny();
        assertThat(box.sh("wget -qO- http://a.example.com/ || echo refused").text()).isEqualTo("refused\n");
        assertThat(told(box)).isEmpty();
        lab.api().put(box.path("/policy"), ("{\"policy\":\"" + policy("*.example.com").replace("\n", "\\n") + "\"}").getBytes(), "application/json").expect(200);
        String look = "busybox nslookup b.example.com 198.18.0.1 2>&1 | grep -c 198.18.1.; true";
        assertThat(box.sh(look).text()).isNotEqualTo("0\n");
        lab.stopServer();
        lab.startServer();
        try (var after = box.as(lab.api())) {
            assertThat(after.sh(look).text()).isNotEqualTo("0\n");
            lab.api().put(after.path("/policy"), "{\"policy\":\"none\"}".getBytes(), "application/json").expect(200);
            assertThat(after.sh(look).text()).isEqualTo("0\n");
            assertThat(told(after)).contains("dns b.example.com -", "dns.denied b.example.com no-rule");
        }
    }

    private void change(Box box, String policy) {
        lab.api().put(box.path("/policy"), ("{\"policy\":\"" + policy.replace("\n", "\\n") + "\"}").getBytes(), "application/json").expect(200);
    }

    @Test
    void oneThatIsPausedGetsItsPolicyAtOnceAndHearsOfItsResolverWhenItGoesOn() {
        try (var box = lab.tiny()) {
            box.verb("pause");
            long before = System.nanoTime();
            change(box, policy("a.example.com"));
            assertThat(System.nanoTime() - before).as("nobody waited for a guest that is frozen").isLessThan(5_000_000_000L);
            assertThat(lab.listeners(box)).isPositive();
            box.verb("resume");
            assertThat(box.sh("cat /etc/resolv.conf; busybox nslookup a.example.com 2>&1 | grep -c 198.18.1.; true").text()).startsWith("nameserver 198.18.0.1\n").doesNotEndWith("\n0\n");
        }
    }

    @Test
    void noChangeOfPolicyGivesOneInQuarantineANetwork() {
        try (var box = lab.tiny(Map.of("policy", policy("a.example.com")))) {
            assertThat(lab.listeners(box)).isPositive();
            box.verb("quarantine");
            assertThat(lab.listeners(box)).isZero();
            change(box, policy("b.example.com"));
            assertThat(lab.listeners(box)).isZero();
            box.verb("resume");
            assertThat(lab.listeners(box)).isPositive();
        }
    }

    private long recorded(Box box, String action) {
        var items = lab.api().get("/v1/audit?category=egress&limit=1000&sandbox=" + box.id()).expect(200).json().get("items");
        return items.valueStream().filter(r -> r.get("action").asString().equals(action)).mapToLong(r -> r.get("fields").path("again").asLong(1)).sum();
    }

    private static long refused(Box box, String what) {
        return box.api().get(box.path("/usage")).expect(200).json().get("refused").get(what).asLong();
    }

    @Test
    void refusalsAreCountedAndTheCountOutlivesTheServer() throws Exception {
        var box = lab.tiny(Map.of("policy", policy(InetAddress.getLocalHost().getHostName())));
        assertThat(refused(box, "names")).isZero();
        box.sh("for i in 1 2 3 4 5; do wget -qO- http://denied.example.com/; done; wget -qO- http://" + InetAddress.getLocalHost().getHostName() + "/; true");
        long names = refused(box, "names");
        assertThat(names).isGreaterThanOrEqualTo(5);
        assertThat(refused(box, "connections")).isEqualTo(1);
        lab.stopServer();
        lab.startServer();
        try (var after = box.as(lab.api())) {
            assertThat(recorded(after, "dns.denied")).isEqualTo(names);
            assertThat(refused(after, "names")).isEqualTo(names);
            assertThat(refused(after, "connections")).isEqualTo(1);
            after.sh("wget -qO- http://denied.example.com/; true");
            assertThat(refused(after, "names")).isGreaterThan(names);
        }
        try (var none = lab.tiny()) {
            assertThat(none.api().get(none.path("/usage")).expect(200).json().has("refused")).as("nobody counts there").isFalse();
        }
    }
}
