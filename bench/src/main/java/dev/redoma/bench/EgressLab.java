// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// An internet with origins, a gateway, and networks of sandboxes that have no way but through it. The same client connects from within a sandbox's network, and, for
/// the floor, from within the internet's.
final class EgressLab implements AutoCloseable {
    static final String DOMAIN = "bench.example";
    static final int TLS = 443;
    static final int HTTP = 80;
    static final int BYTES = 9000;
    /// TLS that the gateway ends and begins again.
    static final int INTERCEPTED = 8443;
    private static final InetSocketAddress RESOLVER = new InetSocketAddress(InetAddress.ofLiteral("198.18.0.1"), 53);
    private static final int PATIENCE_MS = 10_000;

    private final List<AutoCloseable> open = new ArrayList<>();
    private final Network internet;
    final GatewayProcess gateway;
    final TlsTalk tls;

    EgressLab(Rig rig) throws Exception {
        try {
            internet = opened(Network.make(GatewayMain.ORIGIN));
            tls = TlsTalk.of(DOMAIN);
            opened(Origin.start(internet.namespace().serverSocket(), origin(TLS), tls::serve));
            opened(Origin.start(internet.namespace().serverSocket(), origin(INTERCEPTED), tls::serve));
            opened(Origin.http(internet.namespace().serverSocket(), origin(HTTP)));
            opened(Origin.http(internet.namespace().serverSocket(), origin(BYTES)));
            gateway = opened(GatewayProcess.start(rig.place(), internet, tls.authority()));
        } catch (Exception failed) {
            close();
            throw failed;
        }
    }

    private <T extends AutoCloseable> T opened(T one) {
        open.add(one);
        return one;
    }

    private static InetSocketAddress origin(int port) {
        return new InetSocketAddress(InetAddress.ofLiteral(GatewayMain.ORIGIN), port);
    }

    /// A sandbox's network with the gateway in it.
    Network sandbox() throws IOException {
        var sandbox = opened(Network.make());
        gateway.attach(sandbox);
        return sandbox;
    }

    /// Without a gateway.
    SocketChannel direct(int port) throws IOException {
        return connected(internet, origin(port));
    }

    /// As a program inside does once it has the address of a name.
    static SocketChannel through(Network sandbox, InetAddress address, int port) throws IOException {
        return connected(sandbox, new InetSocketAddress(address, port));
    }

    private static SocketChannel connected(Network from, InetSocketAddress to) throws IOException {
        var channel = from.namespace().socket();
        try {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.connect(to);
            return channel;
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    /// The way to its resolver.
    static DatagramChannel resolver(Network sandbox) throws IOException {
        var channel = sandbox.namespace().datagram(StandardProtocolFamily.INET);
        channel.connect(RESOLVER);
        channel.socket().setSoTimeout(PATIENCE_MS);
        return channel;
    }

    /// What the sandbox's resolver answers for a name: its IPv4 address.
    static InetAddress address(DatagramChannel resolver, String name) throws IOException {
        resolver.write(question(name));
        var packet = new java.net.DatagramPacket(new byte[1500], 1500);
        resolver.socket().receive(packet);
        int code = packet.getData()[3] & 15;
        if (code != 0 || packet.getData()[7] != 1) {
            throw new IOException(name + " was answered with code " + code);
        }
        return InetAddress.getByAddress(java.util.Arrays.copyOfRange(packet.getData(), packet.getLength() - 4, packet.getLength()));
    }

    private static ByteBuffer question(String name) {
        var out = ByteBuffer.allocate(512).putShort((short) name.hashCode()).putShort((short) 0x100).putShort((short) 1).putShort((short) 0).putInt(0);
        for (var label : name.split("\\.")) {
            out.put((byte) label.length()).put(label.getBytes(StandardCharsets.US_ASCII));
        }
        return out.put((byte) 0).putShort((short) 1).putShort((short) 1).flip();
    }

    @Override
    public void close() throws Exception {
        Exception failed = null;
        for (var one : open.reversed()) {
            try {
                one.close();
            } catch (Exception e) {
                failed = e;
            }
        }
        if (failed != null) {
            throw failed;
        }
    }
}
