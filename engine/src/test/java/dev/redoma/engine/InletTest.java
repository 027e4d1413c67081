// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.HashSet;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/// Sockets made ahead are each given once, and none is left when the instance is let go.
class InletTest {
    @Test
    void eachSocketIsGivenOnceAndNoneIsLeft() throws Exception {
        var inlet = new Inlet(new FakeGuest.Self(true));
        var taken = new HashSet<SocketChannel>();
        for (int i = 0; i < 50; i++) {
            assertThat(taken.add(inlet.socket())).isTrue();
        }
        assertThat(taken).allMatch(s -> s.isOpen() && !s.isConnected());
        Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> inlet.ready() > 0);
        inlet.close();
        Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> inlet.ready() == 0);
        inlet.socket().close(); // whoever still asks makes one, and none ahead
        assertThat(inlet.ready()).isZero();
        for (var socket : taken) {
            socket.close();
        }
    }

    @Test
    void anInstanceThatHasEndedHasNone() {
        var inlet = new Inlet(new FakeGuest.Self(true, false));
        assertThatThrownBy(inlet::socket).isInstanceOf(IOException.class).hasMessage("the sandbox has ended");
        assertThat(inlet.ready()).isZero();
    }
}
