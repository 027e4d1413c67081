// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/// Certificates that programs inside are shown.
class InterceptionTest {
    private static final SandboxAuthority AUTHORITY = SandboxAuthority.of(new byte[32], "sb-clock");

    /// Who sets the host's clock sets the sandbox's too.
    @Test
    void afterAJumpOfTheClockWhatIsShownIsGoodByTheNewTime() throws Exception {
        var now = new AtomicReference<>(Instant.parse("2031-05-01T12:00:00Z"));
        var interception = new Interception(new UpstreamTrust(null), () -> AUTHORITY, now::get);
        var first = interception.inward("a.test", false);
        assertThat(interception.inward("a.test", false)).isSameAs(first);
        for (Duration jump : new Duration[] {Duration.ofDays(8), Duration.ofDays(-3), Duration.ofDays(365 * 5)}) {
            var before = interception.inward("a.test", false);
            now.updateAndGet(n -> n.plus(jump));
            assertThat(interception.inward("a.test", false)).as("%s", jump).isNotSameAs(before);
            var leaf = AUTHORITY.leaf("a.test", false, now.get()).certificate();
            for (Duration kept : new Duration[] {Duration.ofHours(-23), Duration.ZERO, Duration.ofHours(48)}) {
                assertThatCode(() -> leaf.checkValidity(Date.from(now.get().plus(kept)))).doesNotThrowAnyException();
            }
        }
    }
}
