// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redoma.gateway.CheckedDialler;
import dev.redoma.gateway.NameServerSockets;
import dev.redoma.gateway.UpstreamResolver;
import dev.redoma.kernel.NetworkNamespace;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/// An internet of the tests' own: a network namespace that leads nowhere, in which every address there is, public, private or a metadata service's, is answered on the ports
/// that matter, and whoever answers notes what arrived. What arrives on no such port is counted by the kernel.
final class LabInternet implements AutoCloseable {
    static final String ORIGIN = "45.0.0.1";
    private static final List<Integer> TCP = List.of(22, 53, 80, 443, 853, 3128, 5432, 8080, 8443, 61_443);
    private static final List<Integer> UDP = List.of(53, 123, 443, 784, 853, 5353, 8853);

    /// `address:port protocol`, and what was said.
    final List<String> arrivals = new CopyOnWriteArrayList<>();
    final LabNames names;
    private final NetworkNamespace network;
    private final Process holder;
    private final List<AutoCloseable> open = new ArrayList<>();

    LabInternet() throws IOException {
        this(Set.of());
    }

    /// `left`: ports on which somebody else will listen.
    LabInternet(Set<Integer> left) throws IOException {
        holder = new ProcessBuilder("unshare", "--net", "sh", "-c",
                "ip link set lo up && ip route add local 0.0.0.0/0 dev lo && ip -6 route add local ::/0 dev lo && echo ready && exec cat").redirectErrorStream(true).start();
        assertThat(new String(holder.getInputStream().readNBytes(6), StandardCharsets.UTF_8)).isEqualTo("ready\n");
        network = NetworkNamespace.ofProcess(holder.pid());
        names = new LabNames(network);
        open.add(names);
        for (int port : TCP.stream().filter(p -> !left.contains(p)).toList()) {
            ServerSocketChannel listener = network.serverSocket().bind(new InetSocketAddress(port), 200);
            open.add(listener);
            Thread.ofVirtual().start(() -> accept(listener));
        }
        for (int port : UDP) {
            DatagramChannel datagrams = network.datagram(StandardProtocolFamily.INET).setOption(StandardSocketOptions.SO_REUSEADDR, true).bind(new InetSocketAddress(port));
            open.add(datagrams);
            Thread.ofVirtual().start(() -> receive(datagrams, port));
        }
    }

    long pid() {
        return holder.pid();
    }

    /// How the server under test gets out: its sockets begin in here, and the name server in here is the one it is told to ask.
    CheckedDialler dialler() {
        var resolver = new UpstreamResolver(List.of(LabNames.AT), new NameServerSockets() {
            @Override
            public DatagramChannel datagram(StandardProtocolFamily family) {
                return network.datagram(family);
            }

            @Override
            public SocketChannel stream() {
                return network.socket();
            }
        });
        return new CheckedDialler(resolver, network::socket, Duration.ofSeconds(5));
    }

    private void accept(ServerSocketChannel listener) {
        while (listener.isOpen()) {
            try {
                SocketChannel connection = listener.accept();
                Thread.ofVirtual().start(() -> serve(connection));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void serve(SocketChannel connection) {
        try (connection) {
            var at = (InetSocketAddress) connection.getLocalAddress();
            if (at.equals(LabNames.AT)) {
                names.connection(connection);
                return;
            }
            String who = at.getAddress().getHostAddress() + ":" + at.getPort() + " tcp";
            arrivals.add(who);
            connection.socket().setSoTimeout(10_000);
            if (at.getPort() == 80 || at.getPort() == 8080) {
                LabOrigin.http(connection, text -> arrivals.add(who + " " + text));
            } else {
                LabOrigin.echo(connection, text -> arrivals.add(who + " " + text));
            }
        } catch (IOException gone) {
            // whoever came has left
        }
    }

    private void receive(DatagramChannel datagrams, int port) {
        var buffer = ByteBuffer.allocate(4096);
        while (datagrams.isOpen()) {
            try {
                datagrams.receive(buffer.clear());
                arrivals.add("*:" + port + " udp");
            } catch (IOException closed) {
                return;
            }
        }
    }

    /// Every packet that was ever received in here, of whatever protocol.
    long packets() throws IOException {
        long sum = 0;
        var net = Path.of("/proc/" + holder.pid() + "/net");
        var four = Files.readAllLines(net.resolve("snmp")).stream().filter(l -> l.startsWith("Ip: ")).toList();
        sum += Long.parseLong(four.get(1).split(" ")[List.of(four.get(0).split(" ")).indexOf("InReceives")]);
        for (String line : Files.readAllLines(net.resolve("snmp6"))) {
            if (line.startsWith("Ip6InReceives")) {
                sum += Long.parseLong(line.split("\\s+")[1]);
            }
        }
        return sum;
    }

    @Override
    public void close() throws Exception {
        for (var one : open.reversed()) {
            one.close();
        }
        network.close();
        holder.destroy();
    }
}
