// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// One way of a connection: bytes are the same, and large buffers are lent while they are needed only.
@Timeout(60)
class FlowTest {
    private SocketChannel sender;
    private SocketChannel receiver;

    @BeforeEach
    void connect() throws IOException {
        try (var listener = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            sender = SocketChannel.open(listener.getLocalAddress());
            receiver = listener.accept();
        }
    }

    @AfterEach
    void close() throws IOException {
        sender.close();
        receiver.close();
    }

    private static int left(Spacious spacious) {
        var taken = Stream.generate(spacious::take).takeWhile(b -> b != null).toList();
        taken.forEach(spacious::give);
        return taken.size();
    }

    private void sent(byte[] bytes) {
        Thread.ofVirtual().start(() -> {
            try {
                for (var out = ByteBuffer.wrap(bytes); out.hasRemaining(); ) {
                    sender.write(out);
                }
                sender.shutdownOutput();
            } catch (IOException gone) {
                // the test has enough
            }
        });
    }

    @Test
    void whatComesFastIsTakenInLargePiecesByteForByte() throws Exception {
        byte[] bytes = new byte[5_000_001];
        new Random(3).nextBytes(bytes);
        sent(bytes);
        var got = new ByteArrayOutputStream();
        var sizes = new ArrayList<Integer>();
        var spacious = new Spacious();
        new Flow(spacious).carry(receiver, piece -> {
            sizes.add(piece.remaining());
            byte[] copy = new byte[piece.remaining()];
            piece.get(copy);
            got.writeBytes(copy);
        });
        assertThat(got.toByteArray()).isEqualTo(bytes);
        assertThat(sizes).anyMatch(n -> n > 8 << 10).allMatch(n -> n <= 128 << 10);
        assertThat(left(spacious)).isEqualTo(8);
    }

    @Test
    void aSandboxThatHasItsShareGoesOnWithSmallOnes() throws Exception {
        var spacious = new Spacious();
        List<ByteBuffer> mine = Stream.generate(spacious::take).limit(8).toList();
        assertThat(spacious.take()).isNull();
        var other = new Spacious();
        ByteBuffer others = other.take();
        assertThat(others).as("another sandbox has its own").isNotNull();
        other.give(others);
        sent(new byte[200_000]);
        var sizes = new ArrayList<Integer>();
        new Flow(spacious).carry(receiver, piece -> {
            sizes.add(piece.remaining());
            piece.position(piece.limit());
        });
        assertThat(sizes.stream().mapToInt(n -> n).sum()).isEqualTo(200_000);
        assertThat(sizes).allMatch(n -> n <= 8 << 10);
        mine.forEach(spacious::give);
    }

    @Test
    void oneThatBreaksOffGivesItsLargeBufferBack() throws Exception {
        var spacious = new Spacious();
        sent(new byte[200_000]);
        assertThatThrownBy(() -> new Flow(spacious).carry(receiver, piece -> {
            if (piece.remaining() > 8 << 10) {
                throw new IOException("enough");
            }
            piece.position(piece.limit());
        })).hasMessage("enough");
        assertThat(left(spacious)).isEqualTo(8);
    }
}
