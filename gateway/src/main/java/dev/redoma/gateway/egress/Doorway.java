// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import dev.redoma.engine.Network.Place;
import dev.redoma.kernel.GrantTable;
import dev.redoma.kernel.KernelException;
import dev.redoma.kernel.NetworkNamespace;
import dev.redoma.kernel.PacketLog;
import dev.redoma.policy.EgressDecider;
import dev.redoma.policy.Ports;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.channels.DatagramChannel;
import java.nio.channels.NetworkChannel;
import java.nio.channels.ServerSocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What the gateway has in a sandbox's network namespace: a listener, a socket for questions, the packet rules that lead to them, and the log of what these refuse.
final class Doorway implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Doorway.class);
    private static final int FEW_PORTS = 32;
    /// As many as one message to the kernel takes easily.
    private static final int PART = 1000;
    private static final int FIRST_PORT = 61_443;
    private static final int FIRST_DATAGRAM_PORT = 61_053;
    private static final int TRIES = 64;
    private static final int BACKLOG = 256;
    /// Every address there is leads to the packet rules: what they refuse is refused at once, and known.
    private static final List<GrantTable.Block> ALL = List.of(new GrantTable.Block(InetAddress.ofLiteral("0.0.0.0"), 0), new GrantTable.Block(InetAddress.ofLiteral("::"), 0));
    private static final List<GrantTable.Block> ROUTES = Stream.concat(Synthetic.BLOCKS.stream(), ALL.stream()).toList();

    private final NetworkNamespace namespace;
    private final GrantTable table;
    private final PacketLog log;
    private final ServerSocketChannel listener;
    private final DatagramChannel datagrams;
    /// What leads here, where that is the resolver and these and not a name.
    private @Nullable List<GrantTable.Block> alone;

    private Doorway(NetworkNamespace namespace, GrantTable table, PacketLog log, ServerSocketChannel listener, DatagramChannel datagrams) {
        this.namespace = namespace;
        this.table = table;
        this.log = log;
        this.listener = listener;
        this.datagrams = datagrams;
    }

    /// In the namespace of its place, if what was meant by it still runs there once it is open.
    static Doorway open(Place place) throws IOException {
        var namespace = NetworkNamespace.of(place.namespace());
        if (!place.stands().getAsBoolean()) {
            namespace.close();
            throw new IOException("its first process has ended");
        }
        return open(namespace);
    }

    /// Whether that is where it is.
    boolean isIn(Place place) {
        try (var there = NetworkNamespace.of(place.namespace())) {
            return there.identity() == namespace.identity() && place.stands().getAsBoolean();
        } catch (KernelException gone) {
            return false;
        }
    }

    /// Programs inside may have taken a port before: another serves as well. Nothing leads here yet. It owns the namespace, also where this fails.
    private static Doorway open(NetworkNamespace namespace) throws IOException {
        var opened = new ArrayList<AutoCloseable>(List.of(namespace));
        try {
            var table = GrantTable.open(namespace);
            opened.add(table);
            var log = PacketLog.open(namespace);
            opened.add(log);
            table.route(ROUTES);
            var listener = namespace.serverSocket();
            opened.add(listener);
            bind(listener, FIRST_PORT, port -> listener.bind(new InetSocketAddress(port), BACKLOG));
            var datagrams = namespace.datagram(StandardProtocolFamily.INET);
            opened.add(datagrams);
            bind(datagrams, FIRST_DATAGRAM_PORT, port -> datagrams.bind(new InetSocketAddress(Synthetic.RESOLVER, port)));
            return new Doorway(namespace, table, log, listener, datagrams);
        } catch (IOException | RuntimeException failed) {
            opened.forEach(Doorway::close);
            throw failed;
        }
    }

    private interface Bind {
        NetworkChannel to(int port) throws IOException;
    }

    private static void bind(NetworkChannel channel, int first, Bind bind) throws IOException {
        for (int i = 0; i < TRIES; i++) {
            try {
                bind.to(first + i);
                return;
            } catch (BindException taken) {
                LOG.debug("port {} is taken in a sandbox", first + i);
            }
        }
        throw new IOException("no port is free in the sandbox for " + channel);
    }

    ServerSocketChannel listener() {
        return listener;
    }

    DatagramChannel datagrams() {
        return datagrams;
    }

    PacketLog log() {
        return log;
    }

    /// Of the listener; no program inside reaches it but by what is granted.
    int port() {
        try {
            return port(listener);
        } catch (IOException closed) {
            return 0;
        }
    }

    /// What leads here from now on, whatever did before. One call at a time, of this or the other.
    void lead(EgressDecider decider, Map<String, Integer> names) throws IOException {
        var pairs = new ArrayList<GrantTable.Pair>();
        var hosts = new ArrayList<InetAddress>();
        names.forEach((name, number) -> collect(decider, name, number, pairs, hosts));
        List<GrantTable.Block> blocks = decider.policy().literals().stream().map(b -> new GrantTable.Block(b.first(), b.prefix())).toList();
        if (names.isEmpty() && blocks.equals(alone)) {
            return;
        }
        alone = null;
        table.replace(new GrantTable.Grants(port(listener), Synthetic.RESOLVER, port(datagrams), part(pairs, 0), part(hosts, 0), blocks));
        for (int at = PART; at < Math.max(pairs.size(), hosts.size()); at += PART) {
            table.grant(part(pairs, at), part(hosts, at));
        }
        alone = names.isEmpty() ? blocks : null;
    }

    private static int port(NetworkChannel channel) throws IOException {
        return channel.getLocalAddress() instanceof InetSocketAddress at ? at.getPort() : 0;
    }

    private static <T> List<T> part(List<T> all, int from) {
        return all.subList(Math.min(from, all.size()), Math.min(from + PART, all.size()));
    }

    /// One name more.
    void lead(EgressDecider decider, String name, int number) {
        var pairs = new ArrayList<GrantTable.Pair>();
        var hosts = new ArrayList<InetAddress>();
        collect(decider, name, number, pairs, hosts);
        alone = null;
        table.grant(pairs, hosts);
    }

    private static void collect(EgressDecider decider, String name, int number, List<GrantTable.Pair> pairs, List<InetAddress> hosts) {
        Ports ports = PortsOf.name(decider, name);
        int many = ports.ranges().stream().mapToInt(r -> r.to() - r.from() + 1).sum();
        for (InetAddress address : List.of(Synthetic.four(number), Synthetic.six(number))) {
            if (many > FEW_PORTS) {
                hosts.add(address); // the gateway refuses the ports that are not among them
            } else {
                ports.ranges().forEach(r -> {
                    for (int port = r.from(); port <= r.to(); port++) {
                        pairs.add(new GrantTable.Pair(address, port));
                    }
                });
            }
        }
    }

    /// Packet rules stay, and lead nowhere.
    @Override
    public void close() {
        List.of(listener, datagrams, table, log, namespace).forEach(Doorway::close);
    }

    private static void close(AutoCloseable one) {
        try {
            one.close();
        } catch (Exception e) {
            LOG.warn("closing", e);
        }
    }
}
