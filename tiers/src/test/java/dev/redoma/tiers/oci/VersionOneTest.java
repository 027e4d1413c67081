// SPDX-License-Identifier: Apache-2.0
package dev.redoma.tiers.oci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.redoma.kernel.CgroupHost;
import dev.redoma.model.ExecId;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/// A host whose version 2 tree is not used: freezing and killing by the version 1 freezer.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class VersionOneTest {
    private Host host;

    @BeforeAll
    void open() throws Exception {
        var found = CgroupHost.discover();
        assumeTrue(found.v1().containsKey("freezer"), "this host has no cgroups of version 1");
        host = new Host(new CgroupHost(found.v1(), Optional.empty(), found.v1Others()));
    }

    @AfterAll
    void close() throws Exception {
        if (host != null) {
            host.close();
        }
    }

    @Test
    void theTrialHolds() {
        assertThat(host.tier.probe().findings()).filteredOn(f -> f.status().equals("missing")).isEmpty();
        assertThat(host.tier.probe().works()).isTrue();
    }

    @Test
    void aForkBombIsFrozenAndKilled() throws Exception {
        host.script("( while :; do sleep 900 & done ) 2>/dev/null");
        var box = host.tier.create(host.spec());
        await().atMost(Duration.ofSeconds(30)).until(() -> box.usage().pids() > 60);
        box.freeze();
        assertThat(box.frozen()).isTrue();
        box.kill();
        assertThat(box.alive()).isFalse();
        assertThat(host.tier.all()).doesNotContain(box.ref());
    }

    @Test
    void anExecIsKilledByItsOwnGroup() throws Exception {
        host.script("( while [ ! -f /run/redoma/go ]; do sleep 0.02; done; sleep 901 & sleep 902 & wait ) &");
        var spec = host.spec();
        var box = host.tier.create(spec);
        await().atMost(Duration.ofSeconds(30)).until(() -> ProcessHandle.of(box.ref().pid()).stream().flatMap(ProcessHandle::children).count() > 0);
        int child = (int) ProcessHandle.of(box.ref().pid()).stream().flatMap(ProcessHandle::children).findFirst().orElseThrow().pid();
        var group = box.adopt(ExecId.mint(), child);
        Files.writeString(spec.channelDir().resolve("go"), "");
        await().atMost(Duration.ofSeconds(30)).until(() -> ProcessHandle.of(child).stream().flatMap(ProcessHandle::descendants).count() >= 2);
        group.kill();
        assertThat(group.populated()).isFalse();
        assertThat(group.cpuMicros()).isPositive();
        assertThat(group.remove()).isTrue();
        assertThat(box.alive()).isTrue();
        box.kill();
    }
}
