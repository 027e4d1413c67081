// SPDX-License-Identifier: Apache-2.0
package dev.redoma.tiers.oci;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OciTierTest {
    private Host host;

    @BeforeAll
    void open() throws Exception {
        host = new Host();
    }

    @AfterAll
    void close() throws Exception {
        host.close();
    }

    @Test
    void rootInsideIsTheRangesFirstUidOutside() throws Exception {
        host.script("cat /proc/self/uid_map > /out");
        var spec = host.spec();
        var instance = host.tier.create(spec);
        try {
            assertThat(Host.out(spec).split("\\s+")).containsExactly("0", Long.toString(spec.range().base()), "65536");
            assertThat(Files.getAttribute(spec.upper().resolve("out"), "unix:uid")).isEqualTo((int) spec.range().base());
        } finally {
            instance.kill();
        }
    }

    @Test
    void filesOfTheTemplateBelongToRootInside() throws Exception {
        assertThat(host.run("stat -c %u:%g /bin/busybox /etc > /out")).isEqualTo("0:0\n0:0");
    }

    @Test
    void theProbeTriesTheRuntimeAndSaysSo() {
        var probe = host.tier.probe();
        assertThat(probe.findings()).filteredOn(f -> f.status().equals("missing")).isEmpty();
        assertThat(probe.works()).isTrue();
    }

    @Test
    void runcServesWhereCrunIsAbsent() throws Exception {
        try (var other = new Host("runc")) {
            assertThat(other.tier.probe().findings()).filteredOn(f -> f.status().equals("missing")).isEmpty();
            assertThat(other.tier.probe().runtime()).isEqualTo("runc");
            assertThat(other.run("id -u > /out")).isEqualTo("0");
        }
    }
}
