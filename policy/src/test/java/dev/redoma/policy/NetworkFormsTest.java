// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What users wrote elsewhere and what it did not mean there, by the ids of the cases.
class NetworkFormsTest {
    private static final InetAddress PUBLIC = InetAddress.ofLiteral("93.184.216.34");

    private static EgressDecider decider(String rules) {
        var stack = new PolicyStack("p", List.of(PolicyFile.read("floor", "f", NamedPolicies.SHIPPED_FLOOR), PolicyFile.read("request", "p", "egress:\n  web:\n" + rules)));
        return new EgressDecider(stack.effective(1), a -> false);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "a.example.com | a.example.com | 443 | true", "a.example.com | b.example.com | 443 | false", "a.example.com | a.example.com | 80 | false", "'*.example.com' | x.y.example.com | 443 | true",
        "'*.example.com' | example.com | 443 | false", "a.example.com:8443 | a.example.com | 8443 | true", "a.example.com:8443 | a.example.com | 443 | false", "A.Example.COM | a.example.com | 443 | true",
        "a.example.com | A.EXAMPLE.COM. | 443 | true", "a.example.com. | a.example.com | 443 | true", "bücher.example | xn--bcher-kva.example | 443 | true", "xn--bcher-kva.example | bücher.example | 443 | true",
        "93.184.216.34 | 93.184.216.34 | 443 | true", "93.184.216.0/24 | 93.184.216.34 | 443 | true", "93.184.216.0/24 | 93.184.217.34 | 443 | false", "93.184.216.34:8443 | 93.184.216.34 | 8443 | true",
        "93.184.216.34:8443 | 93.184.216.34 | 443 | false"})
    void nw06EachFormOfAnEntryMeansWhatItSays(String entry, String asked, int port, boolean allowed) {
        var d = decider("    - {hosts: ['" + entry + "'], tls: opaque}\n");
        var decision = AddressBlock.address(asked).map(a -> d.decideLiteral(a, port)).orElseGet(() -> d.decideConnect(asked, port, List.of(PUBLIC)));
        assertThat(decision.allowed()).isEqualTo(allowed);
    }

    @ParameterizedTest
    @CsvSource({"a.example.com, true", "b.example.com, false", "example.com, true"})
    void nw06TheMoreSpecificEntryCountsAndADenialWinsATie(String host, boolean allowed) {
        var d = decider("    - {hosts: ['*', a.example.com], tls: opaque}\n    - {deny: ['*.example.com']}\n");
        assertThat(d.decideConnect(host, 443, List.of(PUBLIC)).allowed()).isEqualTo(allowed);
        assertThat(decider("    - {hosts: [a.example.com], tls: opaque}\n    - {deny: [a.example.com]}\n").decideName("a.example.com").allowed()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"2130706433", "0x7f000001", "0x7f.1", "127.1", "0177.0.0.1", "127.0.0.01", "017700000001", "1.2.3", "127.0.0.1.", "[::1]", "::ffff:127.0.0.1", "127。0。0。1", "①②⑦.0.0.1"})
    void nw10ASpellingOfAnAddressIsNoName(String spelling) {
        assertThat(decider("    - {hosts: ['*'], ports: any, tls: opaque}\n").decideName(spelling).allowed()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "100.64.0.1", "169.254.169.254", "0.0.0.0", "100.100.100.200", "192.0.0.192", "168.63.129.16", "::1", "::", "fe80::1", "fd00::1",
        "fd00:ec2::254", "64:ff9b::a9fe:a9fe", "64:ff9b::7f00:1", "2002:a9fe:a9fe::1", "::169.254.169.254", "2001:0:1::1", "ff02::1"})
    void nw11UnderInternetNothingPrivateIsReachedByAddressOrByAName(String address) {
        var stack = new PolicyStack("internet", List.of(PolicyFile.read("floor", "f", NamedPolicies.SHIPPED_FLOOR), new NamedPolicies(List.of()).read("request", "internet")));
        var d = new EgressDecider(stack.effective(1), a -> false);
        var there = InetAddress.ofLiteral(address);
        assertThat(d.decideLiteral(there, 443).allowed()).isFalse();
        assertThat(d.decideConnect("a.example.com", 443, List.of(there)).allowed()).isFalse();
        assertThat(d.decideConnect("a.example.com", 443, List.of(PUBLIC, there)).allowed()).as("beside a public one").isFalse();
        assertThat(d.decideConnect("a.example.com", 443, List.of(PUBLIC)).allowed()).isTrue();
    }
}
