// SPDX-License-Identifier: Apache-2.0
package dev.redoma.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What the kernel says of the other end of a connection.
@Timeout(20)
class HangupTest {
    SocketChannel here;
    SocketChannel there;

    @BeforeEach
    void connect() throws IOException {
        try (var server = ServerSocketChannel.open().bind(new InetSocketAddress("127.0.0.1", 0))) {
            there = SocketChannel.open(server.getLocalAddress());
            here = server.accept();
        }
    }

    @AfterEach
    void close() throws IOException {
        here.close();
        there.close();
    }

    @Test
    void onePresentIsThereWhetherItSaysSomethingOrNot() throws IOException {
        assertThat(Hangup.of(here)).isEqualTo(Hangup.NONE);
        there.write(ByteBuffer.wrap(new byte[10]));
        assertThat(Hangup.of(here)).isEqualTo(Hangup.NONE);
    }

    @Test
    void oneThatClosedHasEndedAndWhatIsSentToItResets() throws IOException {
        there.close();
        await().atMost(java.time.Duration.ofSeconds(30)).until(() -> Hangup.of(here) == Hangup.ENDED);
        here.write(ByteBuffer.wrap(new byte[10]));
        await().atMost(java.time.Duration.ofSeconds(30)).until(() -> Hangup.of(here) == Hangup.RESET);
    }

    @Test
    void oneThatReadAllAndClosedIsNotReset() throws IOException {
        here.write(ByteBuffer.wrap(new byte[10]));
        var got = ByteBuffer.allocate(10);
        while (got.hasRemaining()) {
            there.read(got);
        }
        there.close();
        await().atMost(java.time.Duration.ofSeconds(30)).until(() -> Hangup.of(here) == Hangup.ENDED);
    }

    @Test
    void bothEndsClosedInGoodOrderAreNoReset() throws IOException {
        here.shutdownOutput();
        there.close();
        await().atMost(java.time.Duration.ofSeconds(30)).until(() -> Hangup.of(here) == Hangup.ENDED);
    }

    @Test
    void oneClosedHereHasEnded() throws IOException {
        here.close();
        assertThat(Hangup.of(here)).isEqualTo(Hangup.ENDED);
    }

    @Test
    void whatWasSentIsConfirmedOnceTheOtherKernelHasIt() throws IOException {
        here.write(ByteBuffer.wrap(new byte[10]));
        await().atMost(java.time.Duration.ofSeconds(30)).until(() -> Hangup.unconfirmed(here) == 0);
        here.configureBlocking(false);
        var lot = ByteBuffer.allocate(16 << 20);
        while (here.write(lot) > 0) {} // nobody reads: more than both kernels keep
        assertThat(Hangup.unconfirmed(here)).isPositive();
        here.close();
        assertThat(Hangup.unconfirmed(here)).isZero();
    }
}
