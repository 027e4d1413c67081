// SPDX-License-Identifier: Apache-2.0
package dev.redoma.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class TcpActivityTest {

    @Test
    void dataEitherWayIsSeenAndSilenceIsMeasured() throws Exception {
        try (var listener = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)); var here = SocketChannel.open(listener.getLocalAddress());
                var there = listener.accept()) {
            Thread.sleep(500);
            assertThat(TcpActivity.quiet(here).orElseThrow()).as("since it was made").isBetween(Duration.ofMillis(400), Duration.ofSeconds(20));
            long received = System.nanoTime();
            there.write(ByteBuffer.wrap(new byte[1]));
            here.read(ByteBuffer.allocate(1));
            assertThat(TcpActivity.quiet(here).orElseThrow()).as("received").isLessThan(since(received));
            Thread.sleep(500);
            assertThat(TcpActivity.quiet(here).orElseThrow()).isGreaterThan(Duration.ofMillis(400));
            long sent = System.nanoTime();
            here.write(ByteBuffer.wrap(new byte[1]));
            assertThat(TcpActivity.quiet(here).orElseThrow()).as("sent").isLessThan(since(sent));
            here.close();
            assertThat(TcpActivity.quiet(here)).isEmpty();
        }
    }

    /// What the kernel's clock of a few milliseconds may add to it.
    private static Duration since(long nanos) {
        return Duration.ofNanos(System.nanoTime() - nanos).plusMillis(100);
    }
}
