// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The resolver of one sandbox, over datagrams and connections. More questions at once than it takes wait in the kernel.
final class DnsService {
    private static final Logger LOG = LoggerFactory.getLogger(DnsService.class);
    private static final int AT_ONCE = 32;
    private static final int PATIENCE_MS = 10_000;
    private static final int QUESTIONS = 1000;
    private static final int READ_AT_ONCE = 1000;
    private static final int READ_PER_SECOND = 1000;

    private final DatagramChannel datagrams;
    private final DnsAnswers answers;
    private final Semaphore free = new Semaphore(AT_ONCE);
    /// Reading questions costs this process: what comes faster waits in the kernel, which drops what is too much.
    private final Bucket read = new Bucket(READ_AT_ONCE, READ_PER_SECOND);

    DnsService(DatagramChannel datagrams, DnsAnswers answers) {
        this.datagrams = datagrams;
        this.answers = answers;
    }

    /// Until it is closed.
    void serve() {
        var buffer = ByteBuffer.allocate(4096);
        while (datagrams.isOpen()) {
            read.await();
            try {
                free.acquireUninterruptibly(); // ends: each of those that are answered has its turn
                SocketAddress from;
                byte[] asked;
                try {
                    from = datagrams.receive(buffer.clear());
                    asked = new byte[buffer.flip().remaining()];
                    buffer.get(asked);
                } catch (IOException | RuntimeException failed) {
                    free.release();
                    throw failed;
                }
                Thread.ofVirtual().name("dns").start(() -> answer(asked, from));
            } catch (IOException e) {
                if (datagrams.isOpen()) {
                    LOG.debug("a datagram could not be received", e);
                }
            }
        }
    }

    private void answer(byte[] asked, SocketAddress from) {
        try {
            var answer = answers.answer(asked);
            if (answer.isPresent()) {
                datagrams.send(ByteBuffer.wrap(answer.get()), from);
            }
        } catch (IOException e) {
            LOG.debug("an answer could not be sent", e); // whoever asked has gone, or the sandbox has
        } catch (RuntimeException e) {
            LOG.warn("a question could not be answered", e);
        } finally {
            free.release();
        }
    }

    /// One question after another on a connection.
    void connection(SocketChannel channel) throws IOException {
        channel.socket().setSoTimeout(PATIENCE_MS);
        var in = new DataInputStream(channel.socket().getInputStream());
        for (int i = 0; i < QUESTIONS; i++) {
            int length = in.read();
            if (length < 0) {
                return;
            }
            length = length << 8 | in.readUnsignedByte();
            byte[] asked = new byte[length];
            in.readFully(asked);
            read.await();
            var answer = answers.answer(asked);
            if (answer.isEmpty()) {
                return;
            }
            var out = ByteBuffer.allocate(2 + answer.get().length).putShort((short) answer.get().length).put(answer.get()).flip();
            while (out.hasRemaining()) {
                channel.write(out);
            }
        }
    }
}
