// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/// What a sandbox is told about names.
@Timeout(60)
class EgressNamesTest {
    @TempDir
    Path dir;

    Lab lab;

    @BeforeEach
    void open() throws Exception {
        lab = new Lab(dir);
    }

    @AfterEach
    void close() throws Exception {
        lab.close();
    }

    @Test
    void anAllowedNameGetsAnAddressOfItsOwnAndNothingIsLookedUp() throws Exception {
        var inside = lab.sandbox(Lab.policy(Lab.web(443, "*.allowed.test")));
        assertThat(inside.four("a.allowed.test")).isEqualTo(InetAddress.ofLiteral("198.18.1.0"));
        assertThat(inside.four("b.allowed.test")).isEqualTo(InetAddress.ofLiteral("198.18.1.1"));
        assertThat(inside.six("a.allowed.test")).isEqualTo(InetAddress.ofLiteral("fd72:6564:6f6d:6100::100"));
        assertThat(inside.four("A.Allowed.TEST")).isEqualTo(InetAddress.ofLiteral("198.18.1.0"));
        assertThat(lab.lookUps).isEmpty();
        assertThat(lab.told(inside)).startsWith("dns a.allowed.test -", "dns b.allowed.test -");
    }

    @ParameterizedTest
    @ValueSource(strings = {"denied.test", "allowed.test", "notallowed.test", "a.allowed.test.denied.test", "1.18.18.198.in-addr.arpa", "127.1", "2130706433", "0x7f000001", "0177.0.0.1",
        "45.0.0.1", "secret-data-of-the-sandbox.tunnel.denied.test", "a\\000.allowed.test", "a%2e.allowed.test", "a\\046b.allowed.test", "a\\\\.allowed.test", "xn--\\195\\188.allowed.test", "a b.allowed.test"})
    void aNameThatNoRuleAllowsDoesNotExistAndLeavesNothingButItsRecord(String name) throws Exception {
        var inside = lab.sandbox(Lab.policy(Lab.web(443, "*.allowed.test")));
        assertThat(inside.code(name, Type.A)).isEqualTo("NXDOMAIN");
        assertThat(lab.lookUps).isEmpty();
        assertThat(lab.told(inside)).singleElement().asString().startsWith("dns.denied ");
    }

    @ParameterizedTest
    @ValueSource(ints = {Type.TXT, Type.NULL, Type.HTTPS, Type.SVCB, Type.MX, Type.ANY, Type.CNAME, Type.NS, Type.SRV, Type.CAA})
    void otherTypesAreAnsweredEmpty(int type) throws Exception {
        var inside = lab.sandbox(Lab.policy(Lab.web(443, "*.allowed.test")));
        var answer = inside.ask(Name.fromString("a.allowed.test."), type);
        assertThat(Rcode.string(answer.getRcode())).isEqualTo("NOERROR");
        assertThat(answer.getSection(Section.ANSWER)).isEmpty();
        assertThat(answer.getSection(Section.ADDITIONAL)).isEmpty();
        assertThat(lab.lookUps).isEmpty();
    }

    @Test
    void questionsOverAConnectionAreAnsweredTheSame() throws Exception {
        var inside = lab.sandbox(Lab.policy(Lab.web(443, "*.allowed.test")));
        assertThat(inside.askByTcp("a.allowed.test", Type.A).getSection(Section.ANSWER)).hasSize(1);
        assertThat(Rcode.string(inside.askByTcp("denied.test", Type.A).getRcode())).isEqualTo("NXDOMAIN");
    }

    @Test
    void anAddressStandsForTheSameNameAfterARestartAndInAFork() throws Exception {
        var policy = Lab.policy(Lab.web(443, "*.allowed.test"));
        var inside = lab.sandbox(policy);
        inside.four("a.allowed.test");
        var b = inside.four("b.allowed.test");
        lab.stop();
        lab.start();
        lab.apply(inside, policy, null);
        assertThat(inside.four("b.allowed.test")).isEqualTo(b);
        assertThat(inside.four("c.allowed.test")).isEqualTo(InetAddress.ofLiteral("198.18.1.2"));
        try (var fork = new Inside(Lab.namespace("true"), dev.redoma.model.SandboxId.mint())) {
            lab.apply(fork, policy, inside.id);
            assertThat(fork.four("b.allowed.test")).isEqualTo(b);
            assertThat(fork.four("d.allowed.test")).isEqualTo(InetAddress.ofLiteral("198.18.1.3"));
        }
    }

    @Test
    void floodingWithDeniedNamesIsCountedAndHidesNothingOfAnotherSandbox() throws Exception {
        var flood = lab.sandbox(Lab.policy(Lab.web(443, "*.allowed.test")));
        var other = lab.sandbox(Lab.policy(Lab.web(443, "*.allowed.test")));
        for (int i = 0; i < 700; i++) {
            assertThat(flood.code("n" + i + ".denied.test", Type.A)).isIn("NXDOMAIN", "REFUSED");
        }
        assertThat(other.code("one.denied.test", Type.A)).isEqualTo("NXDOMAIN");
        assertThat(lab.told(other)).containsExactly("dns.denied one.denied.test no-rule");
        lab.gateway.detach(flood.id);
        long told = lab.records(flood).stream().mapToLong(r -> r.fields().get("again") instanceof Number n && "many".equals(r.fields().get("reason")) ? n.longValue() : 1).sum();
        assertThat(told).isEqualTo(700);
        assertThat(lab.records(flood).size()).isLessThan(700);
        assertThat(lab.lookUps).isEmpty();
    }

    @Test
    void whatIsAskedTooFastWaitsAndBothFamiliesOfANameAreOneRefusal() throws Exception {
        var inside = lab.sandbox(Lab.policy(Lab.web(443, "*.allowed.test")));
        for (int i = 0; i < 3; i++) {
            assertThat(inside.code("one.denied.test", Type.A)).isEqualTo("NXDOMAIN");
            assertThat(inside.code("one.denied.test", Type.AAAA)).isEqualTo("NXDOMAIN");
        }
        assertThat(inside.code("two.denied.test", Type.AAAA)).isEqualTo("NXDOMAIN");
        assertThat(lab.gateway.refused(inside.id).orElseThrow().names()).isEqualTo(4);
        for (int i = 0; i < 600; i++) {
            assertThat(inside.code("a.allowed.test", i % 2 == 0 ? Type.A : Type.AAAA)).isEqualTo("NOERROR");
        }
        for (int i = 0; i < 350; i++) {
            assertThat(inside.code("n" + i + ".allowed.test", Type.A)).as("more than can be recorded at once").isEqualTo("NOERROR");
        }
        assertThat(lab.gateway.refused(inside.id).orElseThrow().names()).as("none of those was refused").isEqualTo(4);
        lab.gateway.detach(inside.id);
        assertThat(lab.records(inside)).filteredOn(r -> r.action().equals("dns.denied")).extracting(r -> r.fields().get("host") + " " + r.fields().getOrDefault("again", 1))
                .containsExactlyInAnyOrder("one.denied.test 1", "two.denied.test 1", "one.denied.test 2");
    }

    @Test
    void withoutARecordNoNameIsAnswered() throws Exception {
        var inside = lab.sandbox(Lab.policy(Lab.web(443, "*.allowed.test")));
        lab.store.close();
        for (String name : List.of("a.allowed.test", "denied.test")) {
            assertThat(inside.code(name, Type.A)).as(name).isEqualTo("SERVFAIL");
        }
    }
}
