// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redoma.model.Code;
import dev.redoma.model.RedomaException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PolicyFileTest {
    private static final InetAddress PUBLIC = InetAddress.ofLiteral("93.184.216.34");

    @Test
    void everyKeyThatIsEnforcedIsRead() {
        var d = PolicyFile.read("request", "p.yaml", """
                isolation: {min: gvisor}
                privileges: none
                resources: {cpu: 1.5, memory: 2GiB, disk: 8GiB, pids: 512, lifetime: 1h, idle: 15m}
                reopen: tenant
                egress:
                  packages:
                    - {hosts: [registry.example.org]}
                  web:
                    - {hosts: [docs.example.org, "*.example.com"], methods: [GET, HEAD], paths: ["/a/**"], rate: 60/m, bytes: 100MiB}
                    - {deny: ["private.example.com"]}
                  internal:
                    - {host: staging.internal, cidrs: [10.1.0.0/16], port: 8443, methods: [GET]}
                    - {cidr: 10.2.0.0/16, ports: [5432, "6000-6010"]}
                """);
        assertThat(d.terms().isolation()).isEqualTo("gvisor");
        assertThat(d.terms().privileges()).isEqualTo("none");
        assertThat(d.terms().reopen()).isEqualTo("tenant");
        assertThat(d.terms().limits().cpu()).isEqualTo(1.5);
        assertThat(d.terms().limits().memoryBytes()).isEqualTo(2L << 30);
        assertThat(d.terms().limits().lifetimeMs()).isEqualTo(3_600_000);
        assertThat(d.rules()).extracting(Rule::id)
                .containsExactly("request.packages[0]", "request.internal[0]", "request.internal[1]", "request.web[0]", "request.web[1]");
        var web = d.rules().get(3);
        assertThat(web.rate()).isEqualTo(new Rate(60, Duration.ofMinutes(1)));
        assertThat(web.bytes()).isEqualTo(100L << 20);
        assertThat(web.passage(443)).isEqualTo(Passage.HTTP);
        assertThat(web.place()).isEqualTo(new Rule.Place("request", "p.yaml", 9, 7));
        assertThat(d.rules().get(2).targets().getFirst().ports().has(6005)).isTrue();
    }

    @org.junit.jupiter.api.Test
    void artifactsOfAllDocumentsAreKeptAndForTheShortestTime() {
        var floor = PolicyFile.read("floor", "f.yaml", "artifacts: '*.log'\nretain: {artifacts: 2d}");
        var request = PolicyFile.read("request", "r.yaml", "artifacts: ['reports/**', '*.log']\nretain: {artifacts: 14d}");
        var stack = new PolicyStack("p", java.util.List.of(floor, request));
        assertThat(stack.artifacts()).containsExactly("*.log", "reports/**");
        assertThat(stack.keepArtifacts()).contains(Duration.ofDays(2));
        assertThat(new PolicyStack("n", java.util.List.of()).keepArtifacts()).isEmpty();
        assertThatThrownBy(() -> PolicyFile.read("request", "p.yaml", "artifacts: []")).hasMessageContaining("is empty");
        assertThatThrownBy(() -> PolicyFile.read("request", "p.yaml", "retain: {artifacts: soon}")).hasMessageContaining("not a time");
    }

    @ParameterizedTest
    @ValueSource(strings = {"workspace: {persist: none}", "secrets: {a: {host: b}}", "approve: [{package: lookalike}]", "approve: [{secret: s}]", "approve: [{raise: memory}]", "retain: {audit: 90d}", "retain: {artifacts: 1d, snapshots: 30d}",
        "egress: {git: [{remote: x}]}", "egress: {webhooks: [{url: x}]}", "egress: {packages: [{registry: npm}]}", "egress: {packages: [{hosts: [a.example], mode: lockfile}]}",
        "egress: {packages: [{hosts: [a.example], min-age: 7d}]}", "egress: {packages: [{hosts: [a.example], scripts: deny}]}", "egress: {web: [{hosts: [a.example], secret: s}]}",
        "egress: {internal: [{host: a.example, port: 1, secret: s}]}"})
    void whatIsNotEnforcedIsRefusedByItsNameAndPlace(String text) {
        assertThatThrownBy(() -> PolicyFile.read("request", "p.yaml", "\n" + text)).isInstanceOfSatisfying(RedomaException.class, e -> {
            assertThat(e.code()).isEqualTo(Code.NOT_ENFORCEABLE);
            assertThat(e.problem().message()).contains("p.yaml, line 2, column ").contains("not enforced by this version");
            assertThat(e.problem().details()).containsEntry("line", 2).containsKey("column");
        });
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "egres: {}|1|1|unknown key 'egres'", "privileges: root|1|13|not one of none, sudo", "privileges: none\\nprivileges: sudo|2|1|twice", "egress: {web: {}}|1|15|must be a list",
        "egress: {web: [{hosts: [a.example], port: 70000}]}|1|43|neither a port", "egress: {web: [{hosts: [a.example], methods: [get]}]}|1|47|no method", "a: &x 1|1|4|anchors", "a: *x|1|4|aliases",
        "a: !!int 1|1|4|tags", "--- 1\\n--- 2|2|1|more than one", "egress: {web: [{hosts: ['10.0.0.0/8']}]}|1|25|only the class internal", "egress: {web: [{hosts: ['a%2e.example']}]}|1|25|neither a host",
        "egress: {web: [{hosts: ['127.1']}]}|1|25|neither a host", "egress: {web: [{hosts: ['a.example:0']}]}|1|25|no port", "egress: {web: [{hosts: ['https://a.example']}]}|1|25|no port",
        "egress: {web: [{hosts: ['*.*.example']}]}|1|25|neither a host", "egress: {web: [{hosts: ['a*.example']}]}|1|25|neither a host", "egress: {web: [{}]}|1|16|names no hosts",
        "egress: {web: [{hosts: []}]}|1|24|is empty", "egress: {web: [{hosts: [a.example], rate: 5}]}|1|43|not such as 60/m", "egress: {web: [{hosts: [a.example], bytes: 0B}]}|1|44|nothing",
        "egress: {web: [{hosts: [a.example], tls: opaque, methods: [GET]}]}|1|42|not seen in opaque", "egress: {internal: [{host: a.example}]}|1|21|names its port", "resources: {cpu: -1}|1|18|number of cores",
        "egress: {internal: [{cidr: 127.0.0.0/8, port: 1}]}|1|28|never dialled", "egress: {internal: [{cidr: 169.254.169.254, port: 1}]}|1|28|never dialled", "egress: {internal: [{cidr: 10.0.0.1/8, port: 1}]}|1|28|no range",
        "egress: {web: [{deny: [a.example], methods: [GET]}]}|1|16|nothing else but ports", "resources: {memory: lots}|1|21|not a size", "isolation: {}|1|12|needs min", "egress: [|1|10|expected"})
    void aFlawIsToldWithItsLineAndColumn(String text, int line, int column, String why) {
        assertThatThrownBy(() -> PolicyFile.read("request", "p.yaml", text.replace("\\n", "\n"))).isInstanceOfSatisfying(RedomaException.class, e -> {
            assertThat(e.code()).isEqualTo(Code.POLICY_INVALID);
            assertThat(e.problem().message()).contains(why);
            assertThat(e.problem().details()).containsEntry("line", line).containsEntry("column", column);
        });
    }

    @Test
    void allFlawsAreToldAtOnce() {
        assertThatThrownBy(() -> PolicyFile.read("request", "p", "nope: 1\nreopen: never\nsecrets: {}\n")).isInstanceOfSatisfying(RedomaException.class, e -> {
            assertThat(e.code()).isEqualTo(Code.POLICY_INVALID);
            assertThat((List<?>) e.problem().details().get("problems")).hasSize(3);
        });
    }

    @ParameterizedTest
    @CsvSource({"a.example,a.example,443,true", "a.example,a.example,80,false", "A.Example.,a.example,443,true", "a.example:8443,a.example,8443,true", "a.example:8443,a.example,443,false",
        "*.a.example,b.a.example,443,true", "*.a.example,a.example,443,false", "bücher.example,xn--bcher-kva.example,443,true"})
    void theFormsOfAHost(String form, String host, int port, boolean allowed) {
        assertThat(decider("egress: {web: [{hosts: ['" + form + "']}]}").decideConnect(host, port, List.of(PUBLIC)).allowed()).isEqualTo(allowed);
    }

    @ParameterizedTest
    @CsvSource({"93.184.216.34,443,true", "93.184.216.34,80,false", "93.184.216.0/24,443,true", "93.184.216.34:8443,8443,true", "93.184.216.34:8443,443,false", "93.184.217.0/24,443,false", "*,443,true",
        "a.example,443,false"})
    void theFormsOfAnAddress(String form, int port, boolean allowed) {
        assertThat(decider("egress: {web: [{hosts: ['" + form + "']}]}").decideLiteral(PUBLIC, port).allowed()).isEqualTo(allowed);
    }

    @Test
    void overlappingEntriesAreTakenAndEnforced() {
        var d = decider("egress: {web: [{hosts: [api.allowed.example, '*.allowed.example']}]}");
        assertThat(d.decideName("api.allowed.example").allowed()).isTrue();
        assertThat(d.decideName("b.allowed.example").allowed()).isTrue();
        assertThat(d.decideName("allowed.example").allowed()).isFalse();
    }

    @Test
    void deepNestingAndLengthAreBounded() {
        for (String text : List.of("[".repeat(50_000), "{a: ".repeat(15_000), "- ".repeat(30_000), "x: [" + "1,".repeat(30_000) + "1]", "a".repeat(70_000), "? ".repeat(30_000))) {
            assertThatThrownBy(() -> PolicyFile.read("request", "p", text)).isInstanceOf(RedomaException.class);
        }
    }

    /// Whatever is read, it ends with a policy or a typed refusal.
    @Test
    void textOfAnyKindIsAPolicyOrATypedRefusal() {
        var random = new Random(4711);
        String[] parts = {"egress", ":", " ", "\n", "  ", "web", "[", "]", "{", "}", "-", "hosts", "\"*\"", ",", "'", "\"", "&a", "*a", "!!str", "|", ">", "#", "%", "@", "\t", "\0", "\u00e9", "\ud83d\ude00", "deny", "ports", "1",
            "10.0.0.0/8", "::1", "---", "...", "?", "<<", "null", "~", "internal", "host", "cidr", "rate", "60/m", "paths", "/**", "\\", "\ufeff", "\u2028"};
        for (int i = 0; i < 20_000; i++) {
            var text = new StringBuilder();
            for (int n = random.nextInt(40); n > 0; n--) {
                text.append(parts[random.nextInt(parts.length)]);
            }
            try {
                PolicyFile.read("request", "p", text.toString());
            } catch (RedomaException refused) {
                assertThat(refused.code()).as(text.toString()).isIn(Code.POLICY_INVALID, Code.NOT_ENFORCEABLE);
            }
        }
    }

    private static EgressDecider decider(String text) {
        return new EgressDecider(new PolicyStack("p", List.of(PolicyFile.read("request", "p", text))).effective(1), a -> false);
    }
}
