// SPDX-License-Identifier: Apache-2.0
package dev.redoma.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What packet rules refuse in a namespace all of whose addresses are its own, as the kernel tells it.
@Timeout(60)
class PacketLogTest {
    static final InetAddress RESOLVER = InetAddress.ofLiteral("198.18.0.1");
    static final int LISTENER = 61_443;

    Process holder;
    NetworkNamespace inside;
    ServerSocketChannel listener;
    GrantTable table;
    PacketLog log;

    @BeforeEach
    void makeOne() throws IOException {
        holder = new ProcessBuilder("unshare", "--net", "sh", "-c", "ip link set lo up && echo ready && exec cat").redirectErrorStream(true).start();
        assertThat(new String(holder.getInputStream().readNBytes(6))).isEqualTo("ready\n");
        inside = NetworkNamespace.ofProcess(holder.pid());
        table = GrantTable.open(inside);
        table.route(List.of(GrantTableTest.FOUR, GrantTableTest.SIX, new GrantTable.Block(InetAddress.ofLiteral("0.0.0.0"), 0), new GrantTable.Block(InetAddress.ofLiteral("::"), 0)));
        listener = inside.serverSocket().bind(new InetSocketAddress(LISTENER));
        table.replace(new GrantTable.Grants(LISTENER, RESOLVER, 61_053, List.of(new GrantTable.Pair(InetAddress.ofLiteral("198.18.3.4"), 443), new GrantTable.Pair(InetAddress.ofLiteral("2a00:45::7"), 443)), List.of(), List.of()));
        log = PacketLog.open(inside);
    }

    @AfterEach
    void endIt() throws IOException {
        log.close();
        listener.close();
        table.close();
        inside.close();
        holder.destroy();
    }

    private List<String> told() {
        var told = new ArrayList<String>();
        long unknown = log.read(p -> told.add(p.protocol() + " " + p.to().getHostAddress() + " " + p.port()));
        assertThat(unknown).isZero();
        return told;
    }

    private void refused(String address, int port) throws IOException {
        try (var client = inside.socket()) {
            assertThatThrownBy(() -> client.connect(new InetSocketAddress(InetAddress.ofLiteral(address), port))).isInstanceOf(ConnectException.class).hasMessageContaining("refused");
        }
    }

    private DatagramChannel datagram(String address) throws IOException {
        return inside.datagram(InetAddress.ofLiteral(address).getAddress().length == 4 ? StandardProtocolFamily.INET : StandardProtocolFamily.INET6);
    }

    @Test
    void eachAttemptIsToldOnceAtOnce() throws IOException {
        refused("45.0.0.1", 443);
        assertThat(told()).containsExactly("6 45.0.0.1 443");
        refused("169.254.169.254", 80);
        refused("10.0.0.1", 22);
        refused("2a00:45::1", 8443);
        refused("198.18.3.4", 80);
        refused("fd72:6564:6f6d:6100::1", 443);
        assertThat(told()).containsExactly("6 169.254.169.254 80", "6 10.0.0.1 22", "6 2a00:45:0:0:0:0:0:1 8443", "6 198.18.3.4 80", "6 fd72:6564:6f6d:6100:0:0:0:1 443");
        for (String address : List.of("8.8.8.8", "2a00:45::53", "198.18.3.4")) {
            try (var client = datagram(address)) {
                client.connect(new InetSocketAddress(InetAddress.ofLiteral(address), 53));
                assertThatThrownBy(() -> {
                    client.write(ByteBuffer.wrap(new byte[1200]));
                    client.read(ByteBuffer.allocate(8));
                }).isInstanceOf(IOException.class);
            }
        }
        assertThat(told()).containsExactly("17 8.8.8.8 53", "17 2a00:45:0:0:0:0:0:53 53", "17 198.18.3.4 53");
        refused("127.0.0.1", LISTENER);
        refused("198.18.3.4", LISTENER);
        assertThat(told()).containsExactly("6 127.0.0.1 " + LISTENER, "6 198.18.3.4 " + LISTENER);
    }

    @Test
    void whatIsGrantedOrTheSandboxsOwnLeavesNothingInItNorDoItsLastPackets() throws IOException {
        for (String address : List.of("198.18.3.4", "2a00:45::7")) {
            try (var client = inside.socket()) {
                client.connect(new InetSocketAddress(InetAddress.ofLiteral(address), 443));
                try (var accepted = listener.accept()) {
                    assertThat(OriginalDestination.of(accepted)).isEqualTo(new InetSocketAddress(InetAddress.ofLiteral(address), 443));
                    client.write(ByteBuffer.wrap(new byte[8192]));
                    accepted.setOption(java.net.StandardSocketOptions.SO_LINGER, 0);
                }
            }
        }
        try (var own = inside.serverSocket().bind(new InetSocketAddress(8080)); var client = inside.socket()) {
            client.connect(new InetSocketAddress("127.0.0.1", 8080));
            own.accept().close();
        }
        try (var client = inside.socket()) {
            assertThatThrownBy(() -> client.connect(new InetSocketAddress("127.0.0.1", 9))).isInstanceOf(ConnectException.class);
        }
        try (var client = datagram("127.0.0.1")) {
            client.connect(new InetSocketAddress("127.0.0.1", 9));
            client.write(ByteBuffer.wrap(new byte[8]));
        }
        assertThat(told()).isEmpty();
    }

    @Test
    void whoAsksWhichAddressItWouldUseIsToldTheLoopbacks() throws IOException {
        for (var one : java.util.Map.of("8.8.8.8", "127.0.0.1", "2a00:45::53", "0:0:0:0:0:0:0:1").entrySet()) {
            try (var client = datagram(one.getKey())) {
                client.connect(new InetSocketAddress(InetAddress.ofLiteral(one.getKey()), 53));
                assertThat(((InetSocketAddress) client.getLocalAddress()).getAddress().getHostAddress()).isEqualTo(one.getValue());
            }
        }
        assertThat(told()).isEmpty();
    }

    @Test
    void whatHasNoRoomIsCounted() throws IOException {
        int sent = 3000;
        for (int round = 0; round < 2; round++) {
            try (var client = datagram("10.0.0.1")) {
                for (int i = 1; i <= sent; i++) {
                    try {
                        client.send(ByteBuffer.wrap(new byte[64]), new InetSocketAddress("10.0.0.1", i));
                    } catch (IOException refused) {
                        // told by the kernel, of this one or one before
                    }
                }
            }
            var told = new ArrayList<LoggedPacket>();
            long unknown = log.read(told::add);
            assertThat(told).hasSizeBetween(60, 512).isSortedAccordingTo(java.util.Comparator.comparingInt(LoggedPacket::port));
            assertThat(told.size() + unknown).isEqualTo(sent);
            refused("45.0.0.1", 443);
            assertThat(told()).containsExactly("6 45.0.0.1 443");
        }
    }

    @Test
    void oneAtATimeAndTheNextGoesOn() throws IOException {
        assertThatThrownBy(() -> PacketLog.open(inside)).isInstanceOf(KernelException.class).hasMessageContaining("NFLOG").hasMessageContaining("EPERM");
        log.close();
        refused("45.0.0.1", 1);
        assertThat(told()).isEmpty();
        log = PacketLog.open(inside);
        refused("45.0.0.1", 2);
        assertThat(told()).containsExactly("6 45.0.0.1 2");
    }
}
