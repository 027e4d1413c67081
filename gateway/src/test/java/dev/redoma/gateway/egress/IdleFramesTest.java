// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/// The gateway's own bound of frames without content: an origin may end the connection before it is met.
class IdleFramesTest {
    @Test
    void aThousandAtOnceAreTakenAndNotTwoThousand() throws Exception {
        var idle = new Http2.Idle();
        for (int i = 0; i < 1000; i++) {
            idle.one();
        }
        assertThatThrownBy(() -> {
            for (int i = 0; i < 1000; i++) { // some more are free while this runs
                idle.one();
            }
        }).isInstanceOf(Frame.Broken.class);
    }
}
