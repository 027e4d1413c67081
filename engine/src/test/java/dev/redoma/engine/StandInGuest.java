// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import com.google.protobuf.MessageLite;
import dev.redoma.engine.proto.Done;
import dev.redoma.engine.proto.Hello;
import dev.redoma.engine.proto.Reply;
import dev.redoma.engine.proto.Request;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// Dials like the guest does and confirms every hand-over; it can do nothing else. Its process is this one.
final class StandInGuest implements AutoCloseable {
    final List<String> hostnames = new CopyOnWriteArrayList<>();
    /// What its resolver is to be, each time it was told.
    final List<String> resolvers = new CopyOnWriteArrayList<>();
    private final Path socket;
    private volatile boolean open = true;
    private volatile SocketChannel spare;
    /// Answers nothing any more, as one that hangs.
    volatile boolean silent;

    StandInGuest(Path channelDir, boolean silent) {
        this.silent = silent;
        this.socket = channelDir.resolve("guest.sock");
        Thread.ofVirtual().name("stand-in-guest").start(this::run);
    }

    private void run() {
        while (open) {
            try (var channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
                spare = channel;
                channel.connect(UnixDomainSocketAddress.of(socket));
                send(channel, Hello.newBuilder().setVersion(1).setBoot(1).build());
                Request request = Request.parseFrom(receive(channel));
                if (!silent) {
                    hostnames.add(request.getConfigure().getHostname());
                    if (!request.getConfigure().getResolvConf().isEmpty()) {
                        resolvers.add(request.getConfigure().getResolvConf().toStringUtf8());
                    }
                    send(channel, Reply.newBuilder().setDone(Done.getDefaultInstance()).build());
                }
                channel.read(ByteBuffer.allocate(1));
            } catch (IOException again) {
                pause();
            }
        }
    }

    private static void pause() {
        try {
            Thread.sleep(20);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void send(SocketChannel to, MessageLite message) throws IOException {
        byte[] body = message.toByteArray();
        var frame = ByteBuffer.allocate(4 + body.length).putInt(body.length).put(body).flip();
        while (frame.hasRemaining()) {
            to.write(frame);
        }
    }

    private static byte[] receive(SocketChannel from) throws IOException {
        var body = ByteBuffer.allocate(whole(from, ByteBuffer.allocate(4)).getInt() & 0xFFFFFF);
        return whole(from, body).array();
    }

    private static ByteBuffer whole(SocketChannel from, ByteBuffer into) throws IOException {
        while (into.hasRemaining()) {
            if (from.read(into) < 0) {
                throw new IOException("closed");
            }
        }
        return into.flip();
    }

    @Override
    public void close() {
        open = false;
        var channel = spare;
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException ignored) {
            // it is over either way
        }
    }
}
