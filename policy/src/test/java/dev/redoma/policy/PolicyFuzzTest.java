// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.redoma.model.Code;
import dev.redoma.model.RedomaException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// Policy files, names and ranges from anybody's hand. The kept inputs (`src/test/resources`) are tried.
class PolicyFuzzTest {

    /// Read, or refused by a typed error; what was read can be told, decided by and read again.
    @FuzzTest
    void file(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        PolicyDocument document;
        try {
            document = PolicyFile.read("request", "policy", text);
        } catch (RedomaException refused) {
            assertThat(refused.code()).isIn(Code.POLICY_INVALID, Code.NOT_ENFORCEABLE);
            return;
        }
        var stack = new PolicyStack("p", List.of(PolicyFile.read("floor", "f", NamedPolicies.SHIPPED_FLOOR), document));
        assertThat(PolicyStack.of(stack.sources()).digest()).isEqualTo(stack.digest());
        var decider = new EgressDecider(stack.effective(1), a -> false);
        assertThat(decider.decideLiteral(java.net.InetAddress.ofLiteral("169.254.169.254"), 80).allowed()).isFalse();
        assertThat(decider.decideConnect("a.example.com", 443, List.of(java.net.InetAddress.ofLiteral("127.0.0.1"))).allowed()).isFalse();
        for (Rule rule : document.rules()) {
            assertThat(rule.budget()).startsWith("request.");
        }
    }

    /// A name has one form, and that form stands for itself.
    @FuzzTest
    void name(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        HostName.parse(text).ifPresent(name -> {
            assertThat(HostName.parse(name.ascii())).contains(name);
            assertThat(name.ascii()).matches("[a-z0-9._-]{1,253}").doesNotMatch(".*(^|\\.)([0-9]+|0x[0-9a-f]*)$");
            assertThat(AddressBlock.address(name.ascii())).isEmpty();
        });
        AddressBlock.parse(text).ifPresent(block -> {
            assertThat(AddressBlock.parse(block.toString())).contains(block);
            assertThat(block.contains(block.first())).isTrue();
            assertThat(block.contains(block.last())).isTrue();
        });
    }
}
