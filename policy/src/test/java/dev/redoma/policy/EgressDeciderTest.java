// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redoma.policy.Rule.Handling;
import dev.redoma.policy.Rule.Place;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EgressDeciderTest {
    private static final InetAddress PUBLIC = InetAddress.ofLiteral("93.184.216.34");

    @Test
    void withoutAnyLayerNothingLeaves() {
        var none = decider();
        assertThat(none.decideName("a.example.com").reason()).isEqualTo(Reason.NO_RULE);
        assertThat(none.decideName("a.example.com").inClass()).as("no class speaks of it").isEmpty();
        assertThat(none.decideLiteral(PUBLIC, 443).allowed()).isFalse();
        assertThat(EffectivePolicy.NONE.closed()).isTrue();
    }

    @Test
    void anExactNameIsAllowedInAnySpellingAndItsNeighboursAreNot() {
        var d = decider(layer("request", allow("r", EgressClass.WEB, "api.example.com")));
        for (String name : List.of("api.example.com", "API.Example.COM", "api.example.com.")) {
            assertThat(d.decideName(name).allowed()).as(name).isTrue();
        }
        for (String name : List.of("xapi.example.com", "api.example.com.attacker.example", "example.com", "a.api.example.com", "api.example.co")) {
            assertThat(d.decideName(name).allowed()).as(name).isFalse();
        }
    }

    @Test
    void aSuffixIsWhatLiesBelowTheNameAndNotTheNameNorALookAlike() {
        var d = decider(layer("request", allow("r", EgressClass.WEB, "*.example.com")));
        assertThat(d.decideName("a.example.com").allowed()).isTrue();
        assertThat(d.decideName("a.b.example.com").allowed()).isTrue();
        for (String name : List.of("example.com", "notexample.com", "a.notexample.com", "example.com.attacker.example", ".example.com", "*.example.com")) {
            assertThat(d.decideName(name).allowed()).as(name).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "a..example.com", "a\0.example.com", "a%2eexample.com", "a\\example.com", "a/b.example.com", "a b.example.com", "127.1", "2130706433", "0x7f000001",
        "0177.0.0.1", "127.0.0.1", "a.example.com..", "ex\u3002ample.com", "stra\u00dfe.example.com", "[::1]", "::1", "-a.example.com", "a-.example.com", "user@a.example.com", "a.example.com:443"})
    void whatIsNoNameIsRefusedAsNoName(String name) {
        var d = decider(layer("request", allow("r", EgressClass.WEB, "*")));
        assertThat(d.decideName(name).reason()).isEqualTo(Reason.BAD_NAME);
    }

    @Test
    void anInternationalNameIsItsALabels() {
        var d = decider(layer("request", allow("r", EgressClass.WEB, "xn--bcher-kva.example")));
        assertThat(d.decideName("b\u00fccher.example").allowed()).isTrue();
        assertThat(d.decideName("B\u00dcCHER.example").allowed()).isTrue();
        assertThat(d.decideName("xn--bcher-kva.example").allowed()).isTrue();
    }

    @Test
    void theMostSpecificRuleWinsAndADenialWinsATie() {
        var d = decider(layer("request", allow("any", EgressClass.WEB, "*"), deny("no", EgressClass.WEB, "*.example.com"), allow("yes", EgressClass.WEB, "ok.example.com"),
                deny("tie", EgressClass.WEB, "tie.example.com"), allow("tied", EgressClass.WEB, "tie.example.com")));
        assertThat(d.decideName("other.example").rule()).isEqualTo("any");
        assertThat(d.decideName("a.example.com")).isEqualTo(new EgressDecision.Deny(EgressClass.WEB, "no", Reason.DENIED, null));
        assertThat(d.decideName("ok.example.com").rule()).isEqualTo("yes");
        assertThat(d.decideName("tie.example.com").rule()).isEqualTo("tie");
    }

    @Test
    void eachLayerHasToAllowInTheSameClass() {
        var floor = layer("floor", allow("f", EgressClass.WEB, "*.example.com"));
        var d = decider(floor, layer("request", allow("w", EgressClass.WEB, "*"), allow("i", EgressClass.INTERNAL, "db.internal")));
        assertThat(d.decideName("a.example.com").rule()).isEqualTo("w");
        assertThat(d.decideName("a.other.example")).isEqualTo(new EgressDecision.Deny(EgressClass.WEB, "floor.default", Reason.NO_RULE, null));
        assertThat(d.decideName("db.internal").allowed()).isFalse();
        var crossed = decider(floor, layer("request", allow("i", EgressClass.INTERNAL, "a.example.com")));
        assertThat(crossed.decideName("a.example.com").allowed()).isFalse();
    }

    @Test
    void aNameIsNotLookedUpWhereNoPortIsLeft() {
        var d = decider(layer("floor", rule("f", EgressClass.WEB, false, Ports.of(443), "*")), layer("request", rule("r", EgressClass.WEB, false, Ports.of(8443), "a.example.com")));
        assertThat(d.decideName("a.example.com").allowed()).isFalse();
        assertThat(d.decideConnect("a.example.com", 8443, List.of(PUBLIC)).reason()).isEqualTo(Reason.PORT);
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "100.64.0.1", "169.254.169.254", "100.100.100.200", "192.0.0.192", "168.63.129.16", "0.0.0.0", "224.0.0.1",
        "255.255.255.255", "::1", "fe80::1", "fc00::1", "fd00:ec2::254", "64:ff9b::a9fe:a9fe", "64:ff9b:1::a00:1", "2002:a9fe:a9fe::", "2001:0:1::1", "::127.0.0.1", "::a00:1",
        "2a00::5efe:a00:1", "::ffff:0:a00:1", "ff02::1", "2001:db8::1", "198.18.0.1"})
    void noNameAndNoLiteralLeadsToWhatIsNotPublic(String address) {
        var d = decider(layer("request", rule("r", EgressClass.WEB, false, Ports.ANY, "*")));
        var there = InetAddress.ofLiteral(address);
        assertThat(d.decideConnect("a.example.com", 443, List.of(there)).allowed()).isFalse();
        assertThat(d.decideConnect("a.example.com", 443, List.of(PUBLIC, there)).allowed()).as("mixed").isFalse();
        assertThat(d.decideLiteral(there, 443).allowed()).isFalse();
        assertThat(d.decideLiteral(PUBLIC, 443).allowed()).isTrue();
    }

    @Test
    void aPrivateAddressNeedsARuleThatNamesItsRange() {
        var into = new Rule("i", EgressClass.INTERNAL, false, targets(Ports.of(5432), "db.internal"), List.of(AddressBlock.parse("10.1.0.0/16").orElseThrow()), Set.of(), List.of(),
                Handling.TCP, null, null, place());
        var d = decider(layer("request", into));
        assertThat(d.decideConnect("db.internal", 5432, List.of(InetAddress.ofLiteral("10.1.2.3"))).allowed()).isTrue();
        for (String other : List.of("10.2.0.1", "93.184.216.34", "127.0.0.1", "169.254.169.254")) {
            assertThat(d.decideConnect("db.internal", 5432, List.of(InetAddress.ofLiteral(other))).allowed()).as(other).isFalse();
        }
        assertThat(d.decideConnect("db.internal", 5432, List.of()).reason()).isEqualTo(Reason.NO_ADDRESS);
        assertThat(d.decideLiteral(InetAddress.ofLiteral("10.1.2.3"), 5432).allowed()).isFalse();
    }

    @Test
    void anAddressOfThisHostIsNeverDialled() {
        var policy = new EffectivePolicy("p", 1, List.of(layer("request", rule("r", EgressClass.WEB, false, Ports.ANY, "*"))));
        var d = new EgressDecider(policy, PUBLIC::equals);
        assertThat(d.decideConnect("a.example.com", 443, List.of(PUBLIC)).reason()).isEqualTo(Reason.NEVER_DIALLED);
        assertThat(d.decideLiteral(PUBLIC, 443).reason()).isEqualTo(Reason.NEVER_DIALLED);
    }

    @ParameterizedTest
    @CsvSource({
        "203.0.113.0/24, 203.0.113.9, true", "203.0.113.0/24, 198.51.100.9, false", "100.64.0.0/10, 100.64.0.9, true", "100.64.0.0/10, 100.100.100.200, false",
        "10.0.0.0/8, 10.1.2.3, true", "10.0.0.0/8, 192.168.0.1, false", "203.0.113.0/24, ::ffff:203.0.113.9, true", "203.0.113.0/24, 64:ff9b::cb00:7109, false",
        "64:ff9b::/96, 64:ff9b::5db8:d822, true", "64:ff9b::/96, 64:ff9b::a00:1, false", "64:ff9b::/96, 64:ff9b::7f00:1, false", "64:ff9b::/96, 64:ff9b::a9fe:a9fe, false",
        "64:ff9b::/96, 64:ff9b::6464:64c8, false", "64:ff9b:1:2::/96, 64:ff9b:1:2::5db8:d822, true", "64:ff9b:1:2::/96, 64:ff9b:1:2::a00:1, false",
        "fd00:1::/32, fd00:1::9, true", "fd00::/16, fd00:ec2::254, false", "fd00:1::/32, fd00:1::5efe:a00:1, false", "64:ff9b::/96, 64:ff9b::5db8:d801, false"})
    void whatTheOperatorSaysIsPublicIsSoButForWhatIsDangerousEverywhere(String range, String address, boolean allowed) {
        var no = new Rule("no", EgressClass.WEB, true, List.of(new Target.Numbered(AddressBlock.parse("93.184.216.1").orElseThrow(), Ports.ANY)), List.of(), Set.of(), List.of(),
                Handling.OPAQUE, null, null, place());
        var policy = new EffectivePolicy("p", 1, List.of(layer("request", rule("r", EgressClass.WEB, false, Ports.ANY, "*"), no)));
        var d = new EgressDecider(policy, a -> false, new AddressSpace(List.of(AddressBlock.parse(range).orElseThrow())));
        var there = InetAddress.ofLiteral(address);
        assertThat(d.decideConnect("a.example.com", 443, List.of(there)).allowed()).isEqualTo(allowed);
        assertThat(d.decideLiteral(there, 443).allowed()).isEqualTo(allowed);
    }

    @Test
    void anAddressOfThisHostIsItsOwnInPublicRangesToo() {
        var policy = new EffectivePolicy("p", 1, List.of(layer("request", rule("r", EgressClass.WEB, false, Ports.ANY, "*"))));
        var ranges = List.of(AddressBlock.parse("203.0.113.0/24").orElseThrow(), AddressBlock.parse("64:ff9b::/96").orElseThrow());
        var mine = InetAddress.ofLiteral("203.0.113.7");
        var d = new EgressDecider(policy, mine::equals, new AddressSpace(ranges));
        for (String own : List.of("203.0.113.7", "64:ff9b::cb00:7107")) {
            assertThat(d.decideConnect("a.example.com", 443, List.of(InetAddress.ofLiteral(own))).reason()).as(own).isEqualTo(Reason.NEVER_DIALLED);
        }
        assertThat(d.decideLiteral(InetAddress.ofLiteral("203.0.113.8"), 443).allowed()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.0/8", "127.0.0.1", "169.254.0.0/16", "169.254.169.254", "0.0.0.0/8", "224.0.0.0/8", "240.0.0.0/8", "198.18.0.0/15", "198.0.0.0/8", "100.100.100.200", "128.0.0.0/4", "::1", "::/96",
        "fe80::/64", "ff02::/16", "2002::/16", "2001::/32", "fd72:6564:6f6d:6100::/64", "fd00::/8", "64:ff9b::/64", "64:ff9b:1::/48", "fd00:ec2::254"})
    void noRangeOfTheseCanBePublic(String range) {
        assertThat(AddressSpace.refusal(AddressBlock.parse(range).orElseThrow())).isPresent();
    }

    @Test
    void aDeniedRangeIsNotReachedByAnyName() {
        var no = new Rule("no", EgressClass.WEB, true, List.of(new Target.Numbered(AddressBlock.parse("93.184.0.0/16").orElseThrow(), Ports.ANY)), List.of(), Set.of(), List.of(),
                Handling.OPAQUE, null, null, place());
        var d = decider(layer("request", allow("any", EgressClass.WEB, "*"), allow("x", EgressClass.WEB, "a.example.com"), no));
        assertThat(d.decideConnect("a.example.com", 443, List.of(PUBLIC))).isEqualTo(new EgressDecision.Deny(EgressClass.WEB, "no", Reason.DENIED, "93.184.216.34"));
        assertThat(d.decideLiteral(PUBLIC, 443).rule()).isEqualTo("no");
    }

    @Test
    void aRequestIsDecidedByTheRulesThatAllowedItsConnection() {
        var get = new Rule("get", EgressClass.WEB, false, targets(Ports.of(443), "a.example.com"), List.of(), Set.of("GET"), List.of(), Handling.INTERCEPT, null, null, place());
        var post = new Rule("post", EgressClass.WEB, false, targets(Ports.of(443), "a.example.com"), List.of(), Set.of("POST"), List.of(new PathPattern("/api/v1/**")), Handling.INTERCEPT, null,
                null, place());
        var d = decider(layer("request", allow("any", EgressClass.WEB, "*"), get, post));
        assertThat(d.decideRequest(EgressClass.WEB, "a.example.com", 443, "GET", "/x").rule()).isEqualTo("get");
        assertThat(d.decideRequest(EgressClass.WEB, "a.example.com", 443, "POST", "/api/v1/x/y").rule()).isEqualTo("post");
        assertThat(d.decideRequest(EgressClass.WEB, "a.example.com", 443, "POST", "/api/v2").allowed()).isFalse();
        for (String path : List.of("/api/v1/../v2", "/api/v1/%2e%2e/v2", "/api/v1/%2E%2E/v2", "/api//v1/x", "/api/v1/..%2fv2", "/api/v1/x\\..", "/api/v1/x;y", "/api/v1/%", "api/v1/x")) {
            assertThat(d.decideRequest(EgressClass.WEB, "a.example.com", 443, "POST", path).allowed()).as(path).isFalse();
        }
        assertThat(d.decideRequest(EgressClass.WEB, "a.example.com", 443, "DELETE", "/").allowed()).isFalse();
        assertThat(d.decideRequest(EgressClass.WEB, "b.example.com", 443, "DELETE", "/").allowed()).isTrue();
    }

    private static EgressDecider decider(PolicyLayer... layers) {
        return new EgressDecider(new EffectivePolicy("p", 1, List.of(layers)), a -> false);
    }

    private static PolicyLayer layer(String name, Rule... rules) {
        return new PolicyLayer(name, "test", List.of(rules));
    }

    private static Rule allow(String id, EgressClass c, String... hosts) {
        return rule(id, c, false, Ports.of(443), hosts);
    }

    private static Rule deny(String id, EgressClass c, String... hosts) {
        return rule(id, c, true, Ports.ANY, hosts);
    }

    private static Rule rule(String id, EgressClass c, boolean deny, Ports ports, String... hosts) {
        return new Rule(id, c, deny, targets(ports, hosts), List.of(), Set.of(), List.of(), Handling.OPAQUE, null, null, place());
    }

    private static List<Target> targets(Ports ports, String... hosts) {
        return Arrays.stream(hosts).<Target>map(h -> new Target.Named(HostPattern.parse(h).orElseThrow(), ports)).toList();
    }

    private static Place place() {
        return new Place("request", "test", 0, 0);
    }
}
