// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redoma.model.Code;
import dev.redoma.model.RedomaException;
import dev.redoma.model.TenantId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PolicyConfigTest {
    @TempDir Path dir;

    private Config load(Map<String, String> environment) {
        return Config.load(dir.resolve("data"), dir.resolve("run"), null, environment, null);
    }

    @Test
    void anOperatorNamesRegistriesFloorsAndTheStandard() throws Exception {
        var tenants = Files.createDirectories(dir.resolve("tenants"));
        Files.writeString(tenants.resolve("acme.yaml"), "privileges: none\n");
        var floor = Files.writeString(dir.resolve("floor.yaml"), "egress: {web: [{hosts: ['*.example.com'], tls: opaque}]}\n");
        var standard = Files.writeString(dir.resolve("standard.yaml"), "reopen: tenant\n");
        var policies = load(Map.of("REDOMA_POLICY_FLOOR", floor.toString(), "REDOMA_POLICY_TENANTS", tenants.toString(), "REDOMA_POLICY_DEFAULT", standard.toString(), "REDOMA_POLICY_REGISTRIES",
                "a.example.com, b.example.com:8443")).engine().policies();
        assertThat(policies.floor().rules()).singleElement().satisfies(r -> assertThat(r.id()).isEqualTo("floor.web[0]"));
        assertThat(policies.tenants()).containsOnlyKeys(new TenantId("acme"));
        assertThat(policies.standard()).isEqualTo("reopen: tenant\n");
        assertThat(policies.named().registries()).containsExactly("a.example.com", "b.example.com:8443");
    }

    @Test
    void aFloorThatCannotBeReadKeepsTheServerFromStarting() throws Exception {
        var broken = Files.writeString(dir.resolve("broken.yaml"), "egress: {webb: []}\n");
        assertThatThrownBy(() -> load(Map.of("REDOMA_POLICY_FLOOR", broken.toString()))).isInstanceOfSatisfying(RedomaException.class, e -> assertThat(e.code()).isEqualTo(Code.POLICY_INVALID));
        assertThatThrownBy(() -> load(Map.of("REDOMA_POLICY_FLOOR", dir.resolve("none.yaml").toString()))).isInstanceOf(RedomaException.class).hasMessageContaining("cannot be read");
        assertThatThrownBy(() -> load(Map.of("REDOMA_POLICY_REGISTRIES", "a b"))).isInstanceOf(RedomaException.class).hasMessageContaining("policy.registries");
    }
}
