// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// Policies over the wire and by the command line, on a real server.
@ExtendWith(LabExtension.class)
@Timeout(120)
class PolicyBehavioursTest {
    private static final String TWO = "egress:\n  web:\n    - {hosts: [a.example.com, '*.b.example.com'], tls: opaque}\n";
    private final Lab lab;

    PolicyBehavioursTest(Lab lab) {
        this.lab = lab;
    }

    @Test
    void nw02APolicyThatCannotBeLoadedMakesNoSandbox() {
        for (var text : List.of("egress: [", "egress: {web: [{hosts: ['a b']}]}", "egres: {}", "secrets: {a: {host: b}}", "nobody-knows-it")) {
            var answer = lab.api().post("/v1/sandboxes", Map.of("template", "tiny", "policy", text));
            assertThat(answer.code()).as(text).isIn("policy-invalid", "not-enforceable");
        }
        var wrong = lab.api().post("/v1/sandboxes", Map.of("template", "tiny", "policy", "privileges: none\negress: {webb: []}\n")).expect(422).json();
        assertThat(wrong.get("details").get("line").asInt()).isEqualTo(2);
        assertThat(wrong.get("details").get("column").asInt()).isEqualTo(10);
    }

    @Test
    void nw09WhatIsToldToBeInForceIsWhatWasGivenAndNothingElse() {
        try (var box = lab.tiny(); var other = lab.tiny(Map.of("policy", "privileges: none\nresources: {pids: 64}\n"))) {
            var none = lab.api().get(box.path("/policy")).expect(200).json();
            assertThat(none.get("name").asString()).isEqualTo("none");
            assertThat(none.get("closed").asBoolean()).as("%s", none).isTrue();
            assertThat(none.get("reach").size()).isZero();
            var told = lab.api().get(other.path("/policy")).expect(200).json();
            assertThat(told.get("name").asString()).startsWith("custom:").isEqualTo(other.show().get("policy").asString());
            assertThat(told.get("reach").size()).isZero();
            assertThat(other.show().get("privileges").asString()).isEqualTo("none");
            assertThat(other.show().get("limits").get("pids").asInt()).isEqualTo(64);
            assertThat(other.sh("grep -c '^NoNewPrivs:\t1$' /proc/self/status").text()).isEqualTo("1\n");
            var record = lab.api().get("/v1/audit?category=policy&sandbox=" + other.id()).expect(200).json().get("items").get(0);
            assertThat(record.get("fields").get("policyDigest").asString()).isEqualTo(told.get("digest").asString());
            assertThat(record.get("fields").get("documents").toString()).contains("pids: 64");
        }
    }

    @Test
    void nw19ThePolicyOfOneSandboxIsChangedAloneAndStaysChanged() {
        var one = lab.tiny();
        var two = lab.tiny();
        var changed = lab.api().put(one.path("/policy"), "{\"policy\":\"reopen: creator\\n\"}".getBytes(), "application/json").expect(200).json();
        assertThat(changed.get("epoch").asInt()).isEqualTo(1);
        assertThat(lab.api().get(two.path("/policy")).expect(200).json().get("epoch").asInt()).isZero();
        lab.stopServer();
        lab.startServer();
        try (var first = one.as(lab.api()); var second = two.as(lab.api())) {
            assertThat(lab.api().get(first.path("/policy")).expect(200).json()).isEqualTo(changed);
            assertThat(lab.api().get(second.path("/policy")).expect(200).json().get("epoch").asInt()).isZero();
            assertThat(lab.verifyLedger()).isEqualTo("ok");
        }
    }

    @Test
    void theCommandLineChecksExplainsComparesAndSets(@TempDir Path dir) throws Exception {
        var redoma = Redoma.of(lab);
        var mine = Files.writeString(dir.resolve("mine.yaml"), TWO).toString();
        var wrong = Files.writeString(dir.resolve("wrong.yaml"), "egress:\n  web:\n    - {hosts: [a..example]}\n").toString();
        var bad = redoma.call("policy", "check", wrong);
        assertThat(bad.code()).as(bad.err()).isEqualTo(1);
        assertThat(bad.err()).contains("line 3, column 16");
        var missing = redoma.call("policy", "check", "no-such-policy");
        assertThat(missing.code()).isEqualTo(2);
        var difference = redoma.call("policy", "diff", "none", mine);
        assertThat(difference.code()).as(difference.err()).isZero();
        assertThat(difference.text().lines()).hasSize(2).anySatisfy(l -> assertThat(l).startsWith("+ web a.example.com port 443 ")).anySatisfy(l -> assertThat(l).startsWith("+ web *.b.example.com port 443 "));
        assertThat(redoma.call("policy", "diff", mine, mine).text()).isEqualTo("no difference\n");
        var shy = Files.writeString(dir.resolve("shy.yaml"), TWO + "preview: []\nprivileges: none\n").toString();
        assertThat(redoma.call("policy", "diff", shy, mine).text().lines()).as("looser, and no host").containsExactly("- says: request.privileges at most none", "- says: request.preview lets nothing be exposed");
        try (var box = lab.tiny()) {
            var quiet = Files.writeString(dir.resolve("quiet.yaml"), "reopen: creator\n").toString();
            var set = redoma.call("policy", "set", box.id(), quiet);
            assertThat(set.code()).as(set.err()).isZero();
            assertThat(set.text()).startsWith("custom:");
            var told = redoma.call("policy", "explain", "--sandbox", box.id());
            assertThat(told.text()).contains("epoch 1").contains("reaches nothing").contains("request.reopen from request (policy): at most creator");
            assertThat(redoma.call("policy", "learn", box.id()).text()).isEqualTo("# nothing to propose\n");
        }
        var run = redoma.call("run", "-q", "--template", "tiny", "--policy", Files.writeString(dir.resolve("small.yaml"), "resources: {pids: 32}\n").toString(), "--", "true");
        assertThat(run.code()).as(run.err()).isZero();
    }
}
