// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.redoma.engine.EngineConfig;
import dev.redoma.engine.image.Registries;
import dev.redoma.model.Bytes;
import dev.redoma.model.RedomaException;
import dev.redoma.pool.Backing;
import dev.redoma.server.config.Config;
import dev.redoma.server.config.ConfigKey;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigTest {
    @TempDir Path dir;

    private Config of(String yaml, Map<String, String> environment) throws Exception {
        return Config.load(dir, dir.resolve("run"), Files.writeString(dir.resolve("redoma.yaml"), yaml), environment, null);
    }

    private String refused(String yaml) {
        return catchThrowableOfType(RedomaException.class, () -> of(yaml, Map.of())).problem().message();
    }

    @Test
    void theShippedValuesAreThoseOfTheEngine() throws Exception {
        var config = of("", Map.of());
        assertThat(config.engine()).isEqualTo(EngineConfig.standard(dir, dir.resolve("run")));
        assertThat(config.http().host() + ":" + config.http().port()).isEqualTo("127.0.0.1:7800");
        assertThat(config.checkpoint()).isEqualTo(Duration.ofSeconds(10));
        assertThat(config.ratePerSecond()).isEqualTo(500);
        assertThat(config.largestUpload()).isEqualTo(64L << 30);
        assertThat(config.pool()).isEqualTo(Backing.sparse());
    }

    @Test
    void whatLiesUpstreamIsReadAndWhatIsNoAddressIsRefused() throws Exception {
        assertThat(of("", Map.of()).upstream()).isEqualTo(new dev.redoma.server.config.Upstream(List.of(), List.of(), dev.redoma.policy.AddressSpace.INTERNET, null, null));
        var told = of("upstream: {resolver: '10.0.0.53, 10.0.0.54:5353, [fd00::53]:54', own-addresses: '45.0.0.7, 45.0.1.0/28'}", Map.of()).upstream();
        assertThat(told.resolvers()).extracting(a -> a.getAddress().getHostAddress() + " " + a.getPort()).containsExactly("10.0.0.53 53", "10.0.0.54 5353", "fd00:0:0:0:0:0:0:53 54");
        assertThat(told.own()).extracting(Object::toString).containsExactly("45.0.0.7", "45.0.1.0/28");
        for (var wrong : List.of("dns.example.com", "10.0.0.53:0", "10.0.0.53:65536", "10.1", "''", "'1.1.1.1,,2.2.2.2'", "'1.1.1.1,2.2.2.2,3.3.3.3,4.4.4.4'")) {
            assertThat(refused("upstream: {resolver: " + wrong + "}")).as(wrong).contains("upstream.resolver");
        }
        assertThat(refused("upstream: {own-addresses: 45.0.1.1/28}")).contains("upstream.own-addresses");
        var wider = of("upstream: {public-addresses: '203.0.113.0/24, 64:ff9b::/96', own-addresses: 203.0.113.7}", Map.of()).upstream();
        assertThat(wider.space().publicToo()).extracting(Object::toString).containsExactly("203.0.113.0/24", "64:ff9b:0:0:0:0:0:0/96");
        assertThat(wider.findings()).singleElement().satisfies(f -> assertThat(f.area() + " " + f.detail()).contains("network 203.0.113.0/24, 64:ff9b:0:0:0:0:0:0/96", "upstream.public-addresses"));
        for (var wrong : List.of("127.0.0.0/8", "169.254.169.254", "0.0.0.0/0", "198.18.0.0/15", "64:ff9b::/64", "203.0.113.1/24", "fe80::/64", "'203.0.113.0/24, ::1'")) {
            assertThat(refused("upstream: {public-addresses: " + wrong + "}")).as(wrong).contains("upstream.public-addresses");
        }
        assertThat(refused("upstream: {public-addresses: 203.0.113.7, own-addresses: 203.0.113.0/28}")).contains("upstream.public-addresses", "own");
    }

    @Test
    void everyGroupIsRead() throws Exception {
        var config = of("""
                listen: 127.0.0.1:0
                tenancy: {shared-kernel: true}
                quota:
                  live: 8
                limits:
                  default: {memory: 512MiB, lifetime: 30m, cpu: 0.5}
                  most: {memory: 1GiB}
                warm: {size: 0}
                rate: {per-second: 5}
                pool: {size: 4GiB}
                """, Map.of());
        assertThat(config.engine().sharedKernel()).isTrue();
        assertThat(config.engine().quota().live()).isEqualTo(8);
        assertThat(config.engine().bounds().defaults().memoryBytes()).isEqualTo(512L << 20);
        assertThat(config.engine().bounds().defaults().lifetimeMs()).isEqualTo(1_800_000);
        assertThat(config.engine().bounds().defaults().cpu()).isEqualTo(0.5);
        assertThat(config.engine().bounds().most().memoryBytes()).isEqualTo(1L << 30);
        assertThat(config.engine().warm().size()).isZero();
        assertThat(config.pool()).isEqualTo(Backing.sparse(Bytes.gibi(4)));
    }

    @Test
    void timesThatEndWaitsAreNeitherNoneNorForEver() throws Exception {
        assertThat(of("times: {workspace: 90s}", Map.of()).engine().times().workspace()).isEqualTo(Duration.ofSeconds(90));
        for (var key : java.util.List.of("times: {workspace: %s}", "builds: {step: %s}")) {
            for (var time : java.util.List.of("0s", "999ms", "24h")) {
                assertThat(refused(key.formatted(time))).contains("is ");
            }
        }
    }

    @Test
    void theEnvironmentIsOverTheFile() throws Exception {
        assertThat(of("quota: {live: 8}", Map.of("REDOMA_QUOTA_LIVE", "9")).engine().quota().live()).isEqualTo(9);
        assertThat(of("", Map.of("REDOMA_TENANCY_SHARED_KERNEL", "true")).engine().sharedKernel()).isTrue();
    }

    @Test
    void registriesAreNamedInAList() throws Exception {
        var config = of("""
                default-registry: r.example
                registries:
                  - host: r.example
                    username: me
                    password-file: /etc/redoma/r.password
                    token-hosts: [auth.example]
                    library: library
                  - {host: "127.0.0.1:5000", plain-http: true, allow-private: true}
                """, Map.of()).registries();
        assertThat(config.byDefault()).isEqualTo("r.example");
        assertThat(config.named()).containsExactly(
                new Registries.Named("r.example", false, false, null, "me", Path.of("/etc/redoma/r.password"), List.of("auth.example"), "library"),
                new Registries.Named("127.0.0.1:5000", true, true, null, null, null, List.of(), null));
        assertThat(of("", Map.of()).registries()).isEqualTo(Registries.NONE);
        assertThat(refused("registries: {host: x}")).contains("line 1", "must hold a list");
        assertThat(refused("registries:\n  - host: r.example\n    pasword: x\n")).contains("line 3, column 5", "unknown key 'registries.pasword'");
        assertThat(refused("registries: [{host: r.example}, {host: r.example}]")).contains("there twice");
        assertThat(refused("registries: [{host: 'https://r.example'}]")).contains("needs a 'host'");
        assertThat(refused("registries: [{host: r.example, username: me}]")).contains("go together");
        assertThat(refused("registries: [{host: r.example, plain-http: yes}]")).contains("true or false");
        assertThat(refused("default-registry: 'a b'")).contains("default-registry");
    }

    @Test
    void anErrorSaysWhereItStands() {
        assertThat(refused("quota:\n  live: 8\n  dead: 9\n")).contains("redoma.yaml, line 3, column 3", "unknown key 'quota.dead'");
        assertThat(refused("quota: {live: x}")).contains("line 1, column 15", "quota.live", "'x'");
        assertThat(refused("quota: {live: 1, live: 2}")).contains("there twice");
        assertThat(refused("quota: 5")).contains("must hold keys");
        assertThat(refused("limits: {default: {memory: lots}}")).contains("limits.default.memory", "'lots'");
        assertThat(refused("times: {ready: 5 minutes}")).contains("times.ready");
        assertThat(refused("listen: [1]")).contains("takes one value");
        assertThat(refused("a: &x 1\nb: *x")).contains("line 1");
        assertThat(refused("{ broken")).contains("line");
        assertThat(refused("listen: 10.0.0.1:80")).contains("other machines");
    }

    @Test
    void everyKeyIsDocumented() throws Exception {
        var rows = new StringBuilder();
        for (var key : ConfigKey.values()) {
            rows.append("| `").append(key.path()).append("` | ").append(key.shipped().equals("host") ? "by the host" : "`" + key.shipped() + "`").append(" | ")
                    .append(key.about()).append(" |\n");
        }
        var document = Files.readString(Path.of(System.getProperty("redoma.root"), "docs/configuration.md"));
        assertThat(document).as("replace the table by:\n" + rows).contains(rows);
    }
}
