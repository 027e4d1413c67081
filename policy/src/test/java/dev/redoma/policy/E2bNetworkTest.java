// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redoma.model.RedomaException;
import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.jspecify.annotations.Nullable;

class E2bNetworkTest {
    private static final InetAddress DENIED = InetAddress.ofLiteral("93.184.216.34");
    private static final InetAddress OTHER = InetAddress.ofLiteral("1.2.3.4");

    @Test
    void whereNothingIsSaidThePublicInternetIsReached() {
        var d = decider(true, null, null);
        assertThat(d.decideConnect("a.example.com", 22, List.of(OTHER)).allowed()).isTrue();
        assertThat(d.decideLiteral(OTHER, 8080).allowed()).isTrue();
        assertThat(d.decideLiteral(InetAddress.ofLiteral("10.0.0.1"), 443).allowed()).isFalse();
    }

    @Test
    void withoutInternetAccessNothingIsReached() {
        assertThat(new E2bNetwork(false, null, null, null, null).policy()).isEqualTo("none");
        assertThat(new E2bNetwork(true, List.of(), List.of("0.0.0.0/0"), null, null).policy()).isEqualTo("none");
    }

    @Test
    void whereAllIsDeniedOnlyWhatIsAllowedIsReached() {
        var d = decider(true, List.of("api.example.com", "*.example.org", "93.184.216.0/24"), List.of("0.0.0.0/0"));
        assertThat(d.decideConnect("api.example.com", 443, List.of(OTHER)).allowed()).isTrue();
        assertThat(d.decideConnect("a.example.org", 80, List.of(OTHER)).allowed()).isTrue();
        assertThat(d.decideLiteral(DENIED, 443).allowed()).isTrue();
        assertThat(d.decideName("example.org").allowed()).isFalse();
        assertThat(d.decideName("b.example.com").allowed()).isFalse();
        assertThat(d.decideLiteral(OTHER, 443).allowed()).isFalse();
    }

    @Test
    void whatIsDeniedIsNotReachedByNameEither() {
        var d = decider(true, null, List.of("93.184.216.0/24"));
        assertThat(d.decideLiteral(DENIED, 443).allowed()).isFalse();
        assertThat(d.decideConnect("a.example.com", 443, List.of(DENIED)).allowed()).isFalse();
        assertThat(d.decideConnect("a.example.com", 443, List.of(OTHER)).allowed()).isTrue();
    }

    @Test
    void whatIsAllowedWinsOverWhatIsDenied() {
        for (var allow : List.of("93.184.216.34", "93.184.216.34/32", "93.184.216.0/24", "93.184.0.0/16")) {
            var d = decider(true, List.of(allow), List.of("93.184.216.0/24"));
            assertThat(d.decideLiteral(DENIED, 443).allowed()).as(allow).isTrue();
        }
        var narrower = decider(true, List.of("93.184.216.35"), List.of("93.184.216.0/24"));
        assertThat(narrower.decideLiteral(DENIED, 443).allowed()).isFalse();
    }

    @Test
    void whatCannotBeMeantIsRefusedByItsField() {
        refused(new E2bNetwork(true, List.of("a.example.com"), null, null, null), "network.allowOut");
        refused(new E2bNetwork(true, null, List.of("a.example.com"), null, null), "network.denyOut");
        refused(new E2bNetwork(true, List.of("a b"), List.of("0.0.0.0/0"), null, null), "network.allowOut");
        refused(new E2bNetwork(true, null, null, "proxy.example.com:1", null), "network.egressProxy");
        refused(new E2bNetwork(true, null, null, null, List.of("a.example.com")), "network.rules");
    }

    private static void refused(E2bNetwork network, String field) {
        assertThatThrownBy(network::policy).isInstanceOfSatisfying(RedomaException.class, e -> assertThat(e.problem().details()).containsEntry("field", field));
    }

    private static EgressDecider decider(boolean access, @Nullable List<String> allow, @Nullable List<String> deny) {
        String text = new E2bNetwork(access, allow, deny, null, null).policy();
        return new EgressDecider(new PolicyStack("p", List.of(PolicyFile.read("floor", "f", NamedPolicies.SHIPPED_FLOOR), PolicyFile.read("request", "p", text))).effective(1), a -> false);
    }
}
