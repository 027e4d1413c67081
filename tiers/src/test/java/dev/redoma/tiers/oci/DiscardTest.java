// SPDX-License-Identifier: Apache-2.0
package dev.redoma.tiers.oci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redoma.kernel.KernelException;
import dev.redoma.kernel.Mounts;
import java.nio.file.Files;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class DiscardTest {

    @Test
    void itsProcessesAreGoneAtOnceAndItsMountsSoon() throws Exception {
        try (var host = new Host()) {
            var spec = host.spec();
            var disk = spec.upper().getParent();
            Mounts.mount("disk", disk, "tmpfs", 0, "size=16m");
            try {
                Host.owned(spec.upper(), spec.range(), "rwxr-xr-x");
                Files.createDirectory(spec.work());
                var instance = host.tier.create(spec);
                instance.discard();
                assertThat(instance.alive()).isFalse();
                assertThat(host.tier.all()).isEmpty();
            } finally {
                await().atMost(Duration.ofSeconds(30)).ignoreExceptionsInstanceOf(KernelException.class).until(() -> {
                    Mounts.unmount(disk, 0);
                    return true;
                });
            }
        }
    }

    @Test
    void discardingWhatHasEndedIsNoError() throws Exception {
        try (var host = new Host()) {
            var instance = host.start("true");
            instance.kill();
            instance.discard();
            assertThat(host.tier.all()).isEmpty();
        }
    }
}
