// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redoma.model.Code;
import dev.redoma.model.RedomaException;
import dev.redoma.policy.PolicyFile;
import dev.redoma.policy.PolicyStack;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GitReachTest {
    private static final String POLICY = """
            egress:
              web:
                - {hosts: ["*.example.com"], tls: opaque}
                - {hosts: ["plain.example.com"], ports: [80], tls: opaque}
                - {deny: ["private.example.com"]}
              internal:
                - {host: git.internal, cidrs: [10.1.0.0/16], port: 8443}
                - {cidr: 10.2.0.0/16, ports: [443]}
            """;

    private static void mustLead(String url) {
        var policy = new PolicyStack("custom:x", List.of(PolicyFile.read("request", "request", POLICY))).effective(1);
        GitReach.mustLead(policy, GitSource.of("git:" + url).remote().orElseThrow());
    }

    @ParameterizedTest
    @ValueSource(strings = {"https://git.example.com/a/b.git", "https://GIT.example.com/a#v1", "http://plain.example.com/a", "https://git.internal:8443/a", "https://10.2.3.4/a"})
    void whereARuleReachesItGitMayGo(String url) {
        mustLead(url);
    }

    @ParameterizedTest
    @CsvSource({"https://example.com/a, request.default, no-rule", "http://git.example.com/a, request.default, port", "https://private.example.com/a, request.web[2], denied",
        "https://git.internal/a, request.default, port", "https://10.3.0.1/a, request.default, no-rule", "https://127.0.0.1/a, never, never-dialled", "https://0x7f.1/a, never, bad-name"})
    void whereNoneDoesTheRefusalNamesHostRuleAndReason(String url, String rule, String reason) {
        assertThatThrownBy(() -> mustLead(url)).isInstanceOfSatisfying(RedomaException.class, e -> {
            assertThat(e.code()).isEqualTo(Code.POLICY_REFUSED);
            assertThat(e.problem().details()).containsAllEntriesOf(Map.of("field", "workspace.from", "policy", "custom:x", "rule", rule, "reason", reason)).containsKeys("host", "port");
            assertThat(e.problem().remedy()).contains("hosts:");
        });
    }

    @Test
    void aUrlIsTakenApartAndOneThatCouldHoldASecretIsNone() {
        assertThat(GitSource.of("git:https://h.example.com/a/b/#main").remote()).contains(new GitSource.Remote("h.example.com", 443, "/a/b"));
        assertThat(GitSource.of("git:http://[2001:db8::1]:81/a").remote()).contains(new GitSource.Remote("2001:db8::1", 81, "/a"));
        assertThat(GitSource.of("git:file:///a").remote()).isEmpty();
        for (var url : List.of("https://u:p@h/a", "https://p@h/a", "http://h/a?token=x", "https://h", "https://h:70000/a", "https://h:0/a", "https:///a", "https://bücher.example/a", "https://h/a b", "https://-c/a\n")) {
            assertThatThrownBy(() -> GitSource.of("git:" + url)).as(url).isInstanceOfSatisfying(RedomaException.class, e -> assertThat(e.code()).isEqualTo(Code.INVALID_FIELD));
        }
        for (var url : List.of("ssh://git@h/a", "git@h:a", "git://h/a", "ftp://h/a", "ext::sh -c id", "-u")) {
            assertThatThrownBy(() -> GitSource.of("git:" + url)).as(url).isInstanceOfSatisfying(RedomaException.class, e -> assertThat(e.code()).isEqualTo(Code.NOT_OFFERED));
        }
    }
}
