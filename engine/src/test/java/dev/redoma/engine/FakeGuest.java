// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import com.google.protobuf.MessageLite;
import dev.redoma.engine.proto.Exited;
import dev.redoma.engine.proto.Hello;
import dev.redoma.engine.proto.Reply;
import dev.redoma.engine.proto.Request;
import dev.redoma.engine.proto.Started;
import dev.redoma.model.ExecId;
import dev.redoma.model.wire.Usage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Optional;

/// A guest that says whatever a test wants it to say. It is this very process, so the instance names it as its init.
final class FakeGuest implements AutoCloseable {
    final SocketChannel channel;

    private FakeGuest(SocketChannel channel) {
        this.channel = channel;
    }

    static FakeGuest dial(Path socket) {
        try {
            var channel = SocketChannel.open(StandardProtocolFamily.UNIX);
            channel.connect(UnixDomainSocketAddress.of(socket));
            return new FakeGuest(channel);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static FakeGuest spare(Path socket) {
        return dial(socket).control(Hello.newBuilder().setVersion(1).setBoot(7).build());
    }

    /// Another process dials as the child of that exec; true if it was told to go.
    static boolean childGoes(Path socket, String exec) {
        var hello = Hello.newBuilder().setVersion(1).setChildOf(exec).build().toByteArray();
        var frame = ByteBuffer.allocate(4 + hello.length).putInt(hello.length).put(hello).array();
        var script = "import socket,sys; s=socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); s.send(bytes.fromhex(sys.argv[2]));"
                + " s.settimeout(20); sys.exit(s.recv(100) == b'')";
        try {
            return new ProcessBuilder("python3", "-c", script, socket.toString(), java.util.HexFormat.of().formatHex(frame)).start()
                    .waitFor() == 0;
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    FakeGuest raw(int... bytes) {
        var buffer = ByteBuffer.allocate(bytes.length);
        for (int b : bytes) {
            buffer.put((byte) b);
        }
        return write(buffer.flip());
    }

    FakeGuest control(MessageLite message) {
        return frame(0, message.toByteArray());
    }

    FakeGuest frame(int kind, byte[] payload) {
        return write(ByteBuffer.allocate(4 + payload.length).putInt(kind << 24 | payload.length).put(payload).flip());
    }

    FakeGuest header(int kind, int length) {
        return write(ByteBuffer.allocate(4).putInt(kind << 24 | length).flip());
    }

    FakeGuest started(long offset) {
        return control(Reply.newBuilder().setStarted(Started.newBuilder().setPid(2).setBoot(7).setOffset(offset)).build());
    }

    FakeGuest exited(int code) {
        return control(Reply.newBuilder().setExited(Exited.newBuilder().setCode(code)).build());
    }

    private FakeGuest write(ByteBuffer bytes) {
        try {
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Waits for the request.
    Request request() {
        try {
            var header = read(4);
            return Request.parseFrom(read(header.getInt() & 0xffffff));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private ByteBuffer read(int n) throws IOException {
        var buffer = ByteBuffer.allocate(n);
        while (buffer.hasRemaining()) {
            if (channel.read(buffer) < 0) {
                throw new IOException("closed by the host");
            }
        }
        return buffer.flip();
    }

    /// True once the host has hung up.
    boolean hasHungUp() {
        try {
            channel.configureBlocking(false);
            return channel.read(ByteBuffer.allocate(1)) < 0;
        } catch (IOException e) {
            return true;
        }
    }

    /// True when the host hangs up; waits for it.
    boolean hungUp() {
        try {
            return channel.read(ByteBuffer.allocate(1)) < 0;
        } catch (IOException e) {
            return true;
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// An instance whose init is this process and whose children are all it says.
    record Self(boolean family, boolean alive) implements Instance {
        Self(boolean family) {
            this(family, true);
        }

        @Override
        public InstanceRef ref() {
            return new InstanceRef("self", (int) ProcessHandle.current().pid(), 0);
        }

        @Override
        public void onExit(Runnable action) {}

        @Override
        public void freeze() {}

        @Override
        public void thaw() {}

        @Override
        public boolean frozen() {
            return false;
        }

        @Override
        public void kill() {}

        @Override
        public Usage usage() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void limit(InstanceLimits limits) {}

        @Override
        public boolean owns(int hostPid) {
            return family;
        }

        @Override
        public ExecGroup adopt(ExecId exec, int hostPid) {
            return new Counts();
        }

        @Override
        public Optional<ExecGroup> group(ExecId exec) {
            return Optional.empty();
        }
    }

    /// What the kernel counted of a command, whatever its guest says.
    private record Counts() implements Instance.ExecGroup {
        @Override
        public void kill() {}

        @Override
        public boolean populated() {
            return true;
        }

        @Override
        public long oomKills() {
            return 1;
        }

        @Override
        public long cpuMicros() {
            return 7000;
        }

        @Override
        public long peakMemoryBytes() {
            return 4096;
        }

        @Override
        public boolean remove() {
            return true;
        }
    }
}
