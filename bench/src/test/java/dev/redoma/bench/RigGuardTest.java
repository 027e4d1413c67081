// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class RigGuardTest {

    @Test
    void whatARunThatWasKilledLeftIsTakenAwayByTheNextOneAndWhatIsHeldIsNot() throws Exception {
        try (var held = Lab.start("held")) {
            var left = Lab.start("killed");
            var place = left.rig().place();
            left.tiny();
            var ended = new ProcessBuilder("true").start();
            ended.waitFor();
            RigGuard.claim(place.dir(), place.run(), (int) ended.pid(), 1);
            RigGuard.sweep();
            assertThat(place.processes()).isEmpty();
            assertThat(place.cgroups()).isEmpty();
            assertThat(place.mounts()).isEmpty();
            assertThat(place.dir()).doesNotExist();
            assertThat(place.run()).doesNotExist();
            assertThat(held.tiny().sh("echo here").text()).isEqualTo("here\n");
            left.rig().close();
        }
    }
}
