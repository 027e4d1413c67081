// SPDX-License-Identifier: Apache-2.0
package dev.redoma.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Sockets in a network namespace that is not the server's.
@Timeout(60)
class NetworkNamespaceTest {
    Process holder;

    @BeforeEach
    void makeOne() throws IOException {
        holder = new ProcessBuilder("unshare", "--net", "sh", "-c", "ip link set lo up && echo ready && exec cat").redirectErrorStream(true).start();
        var said = new byte[6];
        assertThat(holder.getInputStream().readNBytes(said, 0, 6)).isEqualTo(6);
        assertThat(new String(said)).isEqualTo("ready\n");
    }

    @AfterEach
    void endIt() {
        holder.destroy();
    }

    @Test
    void aListenerOpenedInsideIsReachedFromInsideOnly() throws IOException {
        try (var inside = NetworkNamespace.ofProcess(holder.pid()); var server = inside.serverSocket()) {
            server.bind(new InetSocketAddress("127.0.0.1", 0));
            var address = server.getLocalAddress();
            assertThatThrownBy(() -> SocketChannel.open(address).close()).isInstanceOf(ConnectException.class);
            try (var client = inside.socket()) {
                client.connect(address);
                try (var accepted = server.accept()) {
                    client.write(ByteBuffer.wrap(new byte[] {7}));
                    var got = ByteBuffer.allocate(1);
                    assertThat(accepted.read(got)).isEqualTo(1);
                    assertThat(got.get(0)).isEqualTo((byte) 7);
                }
            }
        }
    }

    @Test
    void aDatagramChannelOpenedInsideBelongsThere() throws IOException {
        try (var inside = NetworkNamespace.ofProcess(holder.pid()); var here = inside.datagram(StandardProtocolFamily.INET);
                var there = inside.datagram(StandardProtocolFamily.INET)) {
            here.bind(new InetSocketAddress("127.0.0.1", 0));
            there.send(ByteBuffer.wrap(new byte[] {1, 2}), here.getLocalAddress());
            var got = ByteBuffer.allocate(8);
            here.receive(got);
            assertThat(got.position()).isEqualTo(2);
        }
    }

    @Test
    void noThreadOfTheServerStaysInside() throws Exception {
        var works = new ArrayList<Future<Boolean>>();
        try (var inside = NetworkNamespace.ofProcess(holder.pid()); var pool = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 200; i++) {
                works.add(pool.submit(() -> {
                    try (var server = inside.serverSocket()) {
                        server.bind(new InetSocketAddress("127.0.0.1", 0));
                        try (var client = inside.socket()) {
                            return client.connect(server.getLocalAddress());
                        }
                    }
                }));
            }
            for (var work : works) {
                assertThat(work.get()).isTrue();
            }
        }
        assertThat(namespacesOfThreads()).containsExactly(Files.readSymbolicLink(Path.of("/proc/self/ns/net")).toString());
    }

    @Test
    void whatFailsInsideFailsForItsCallerAlone() throws IOException {
        try (var inside = NetworkNamespace.ofProcess(holder.pid())) {
            assertThatThrownBy(() -> inside.inside(() -> {
                throw new IOException("as a refused socket would");
            })).hasRootCauseMessage("as a refused socket would");
            try (var server = inside.serverSocket()) {
                assertThat(server.isOpen()).isTrue();
            }
        }
        assertThatThrownBy(() -> {
            try (var gone = NetworkNamespace.ofProcess(holder.pid())) {
                gone.close();
                gone.socket();
            }
        }).isInstanceOf(KernelException.class);
        try (var home = NetworkNamespace.of(Path.of("/proc/self/ns/net")); var server = home.serverSocket()) {
            assertThat(server.isOpen()).isTrue();
        }
    }

    private static Set<String> namespacesOfThreads() throws IOException {
        try (var tasks = Files.list(Path.of("/proc/self/task"))) {
            return tasks.flatMap(task -> {
                try {
                    return java.util.stream.Stream.of(Files.readSymbolicLink(task.resolve("ns/net")).toString());
                } catch (IOException ended) {
                    return java.util.stream.Stream.empty();
                }
            }).collect(Collectors.toSet());
        }
    }
}
