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
import java.nio.channels.SocketChannel;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What leads somewhere in a namespace of a sandbox, and what is refused.
@Timeout(60)
class GrantTableTest {
    static final InetAddress RESOLVER = InetAddress.ofLiteral("198.18.0.1");
    static final GrantTable.Block FOUR = new GrantTable.Block(InetAddress.ofLiteral("198.18.0.0"), 15);
    static final GrantTable.Block SIX = new GrantTable.Block(InetAddress.ofLiteral("fd72:6564:6f6d:6100::"), 64);

    Process holder;
    NetworkNamespace inside;
    ServerSocketChannel listener;
    DatagramChannel datagrams;
    GrantTable table;
    int port;

    @BeforeEach
    void makeOne() throws IOException {
        holder = new ProcessBuilder("unshare", "--net", "sh", "-c", "ip link set lo up && echo ready && exec cat").redirectErrorStream(true).start();
        assertThat(new String(holder.getInputStream().readNBytes(6))).isEqualTo("ready\n");
        inside = NetworkNamespace.ofProcess(holder.pid());
        table = GrantTable.open(inside);
        table.route(List.of(FOUR, SIX));
        listener = inside.serverSocket().bind(new InetSocketAddress(61_443));
        port = 61_443;
        datagrams = inside.datagram(StandardProtocolFamily.INET).bind(new InetSocketAddress(RESOLVER, 61_053));
    }

    @AfterEach
    void endIt() throws IOException {
        listener.close();
        datagrams.close();
        table.close();
        inside.close();
        holder.destroy();
    }

    private void grants(List<GrantTable.Pair> pairs, List<InetAddress> hosts, List<GrantTable.Block> blocks) {
        table.replace(new GrantTable.Grants(port, RESOLVER, 61_053, pairs, hosts, blocks));
    }

    private static GrantTable.Pair pair(String address, int port) {
        return new GrantTable.Pair(InetAddress.ofLiteral(address), port);
    }

    private void arrives(String address, int asked) throws IOException {
        try (var client = inside.socket()) {
            client.connect(new InetSocketAddress(address, asked));
            try (var accepted = listener.accept()) {
                assertThat(OriginalDestination.of(accepted)).isEqualTo(new InetSocketAddress(InetAddress.ofLiteral(address), asked));
                assertThat(accepted.getRemoteAddress()).isEqualTo(client.getLocalAddress());
            }
        }
    }

    private void refused(String address, int asked) throws IOException {
        try (var client = inside.socket()) {
            assertThatThrownBy(() -> client.connect(new InetSocketAddress(address, asked))).isInstanceOf(ConnectException.class).hasMessageContaining("refused");
        }
    }

    @Test
    void aGrantedPairArrivesWithTheAddressAndPortThatWereAskedFor() throws IOException {
        grants(List.of(pair("198.18.3.4", 443), pair("fd72:6564:6f6d:6100::304", 443)), List.of(), List.of());
        arrives("198.18.3.4", 443);
        arrives("fd72:6564:6f6d:6100::304", 443);
    }

    @Test
    void moreIsGrantedWithoutReplacingWhatThereIs() throws IOException {
        grants(List.of(pair("198.18.3.4", 443)), List.of(), List.of());
        table.grant(List.of(pair("198.18.3.5", 80), pair("198.18.3.5", 80)), List.of(InetAddress.ofLiteral("fd72:6564:6f6d:6100::9")));
        arrives("198.18.3.4", 443);
        arrives("198.18.3.5", 80);
        arrives("fd72:6564:6f6d:6100::9", 5432);
        refused("198.18.3.5", 443);
    }

    @Test
    void whatIsReplacedIsGrantedNoLonger() throws IOException {
        grants(List.of(pair("198.18.3.4", 443)), List.of(), List.of());
        arrives("198.18.3.4", 443);
        grants(List.of(), List.of(), List.of());
        refused("198.18.3.4", 443);
    }

    @Test
    void aBlockIsGrantedWholeAndLoopbackStaysTheSandboxsOwn() throws IOException {
        table.route(List.of(new GrantTable.Block(InetAddress.ofLiteral("0.0.0.0"), 0), new GrantTable.Block(InetAddress.ofLiteral("::"), 0)));
        grants(List.of(), List.of(), List.of(new GrantTable.Block(InetAddress.ofLiteral("0.0.0.0"), 0), new GrantTable.Block(InetAddress.ofLiteral("::"), 0)));
        arrives("192.0.2.1", 443);
        arrives("2001:db8::1", 8443);
        refused("127.0.0.1", 443);
        refused("::1", 443);
    }

    @ParameterizedTest
    @ValueSource(strings = {"198.18.3.4", "198.19.255.254", "127.0.0.1", "::1", "fd72:6564:6f6d:6100::304"})
    void theListenersOwnPortIsRefused(String address) throws IOException {
        grants(List.of(pair("198.18.3.4", 443)), List.of(), List.of());
        refused(address, port);
    }

    @Test
    void programsInsideListenWhereTheyLike() throws IOException {
        grants(List.of(pair("198.18.3.4", 443)), List.of(), List.of());
        try (var own = inside.serverSocket().bind(new InetSocketAddress(443)); var client = inside.socket()) {
            arrives("198.18.3.4", 443);
            client.connect(new InetSocketAddress("127.0.0.1", 443));
            try (var accepted = own.accept()) {
                assertThat(accepted.isConnected()).isTrue();
            }
            refused("198.18.3.5", 443);
        }
    }

    @Test
    void datagramsReachTheResolverAndAreAnsweredFromWhereTheyWereSent() throws IOException {
        grants(List.of(), List.of(), List.of());
        try (var client = inside.datagram(StandardProtocolFamily.INET)) {
            client.connect(new InetSocketAddress(RESOLVER, 53));
            client.write(ByteBuffer.wrap(new byte[] {1}));
            var got = ByteBuffer.allocate(8);
            var from = datagrams.receive(got);
            datagrams.send(got.flip(), from);
            var answer = ByteBuffer.allocate(8);
            assertThat(client.read(answer)).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"198.18.0.1:54", "198.18.0.1:61053", "198.18.0.2:53", "198.18.3.4:443"})
    void otherDatagramsAreRefused(String to) throws IOException {
        grants(List.of(pair("198.18.3.4", 443)), List.of(), List.of());
        var at = to.split(":");
        try (var client = inside.datagram(StandardProtocolFamily.INET)) {
            client.connect(new InetSocketAddress(at[0], Integer.parseInt(at[1])));
            assertThatThrownBy(() -> {
                client.write(ByteBuffer.wrap(new byte[] {1}));
                client.read(ByteBuffer.allocate(8));
            }).isInstanceOf(IOException.class);
        }
        datagrams.configureBlocking(false);
        assertThat(datagrams.receive(ByteBuffer.allocate(8))).isNull();
    }

    @Test
    void whatThereIsNoRouteToIsUnreachableAtOnce() throws IOException {
        grants(List.of(), List.of(), List.of());
        try (var client = inside.socket()) {
            assertThatThrownBy(() -> client.connect(new InetSocketAddress("192.0.2.1", 443))).hasMessageContaining("unreachable");
        }
    }
}
