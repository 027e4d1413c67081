// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import dev.redoma.kernel.NetworkNamespace;
import dev.redoma.model.SandboxId;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import org.xbill.DNS.AAAARecord;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/// A program in a sandbox's network.
final class Inside implements AutoCloseable {
    static final InetSocketAddress RESOLVER = new InetSocketAddress("198.18.0.1", 53);

    final Process holder;
    final SandboxId id;
    final NetworkNamespace network;

    Inside(Process holder, SandboxId id) {
        this.holder = holder;
        this.id = id;
        this.network = NetworkNamespace.ofProcess(holder.pid());
    }

    Message ask(Name name, int type) throws IOException {
        try (var channel = network.datagram(StandardProtocolFamily.INET)) {
            channel.connect(RESOLVER);
            channel.write(ByteBuffer.wrap(Message.newQuery(Record.newRecord(name, type, DClass.IN)).toWire()));
            channel.socket().setSoTimeout(30_000);
            byte[] answer = new byte[4096];
            var packet = new java.net.DatagramPacket(answer, answer.length);
            channel.socket().receive(packet);
            return new Message(java.util.Arrays.copyOf(answer, packet.getLength()));
        }
    }

    /// Over a connection.
    Message askByTcp(String name, int type) throws IOException {
        try (var channel = network.socket()) {
            channel.connect(RESOLVER);
            byte[] query = Message.newQuery(Record.newRecord(Name.fromString(name, Name.root), type, DClass.IN)).toWire();
            channel.write(ByteBuffer.allocate(query.length + 2).putShort((short) query.length).put(query).flip());
            channel.socket().setSoTimeout(30_000);
            var in = new java.io.DataInputStream(channel.socket().getInputStream());
            return new Message(in.readNBytes(in.readUnsignedShort()));
        }
    }

    /// `NXDOMAIN`, `NOERROR` or what else it is answered with.
    String code(String name, int type) throws IOException {
        return Rcode.string(ask(Name.fromString(name, Name.root), type).getRcode());
    }

    InetAddress four(String name) throws IOException {
        return ((ARecord) ask(Name.fromString(name, Name.root), Type.A).getSection(Section.ANSWER).getFirst()).getAddress();
    }

    InetAddress six(String name) throws IOException {
        return ((AAAARecord) ask(Name.fromString(name, Name.root), Type.AAAA).getSection(Section.ANSWER).getFirst()).getAddress();
    }

    SocketChannel connect(InetAddress address, int port) throws IOException {
        SocketChannel channel = network.socket();
        try {
            channel.socket().connect(new InetSocketAddress(address, port), 10_000);
            channel.socket().setSoTimeout(30_000);
            return channel;
        } catch (IOException refused) {
            channel.close();
            throw refused;
        }
    }

    /// By its name, and says so.
    SocketChannel to(String name, int port) throws IOException {
        return connect(four(name), port);
    }

    static void say(SocketChannel channel, String text) throws IOException {
        say(channel, text.getBytes(StandardCharsets.ISO_8859_1));
    }

    static void say(SocketChannel channel, byte[] bytes) throws IOException {
        var out = ByteBuffer.wrap(bytes);
        while (out.hasRemaining()) {
            channel.write(out);
        }
    }

    /// Everything until the end; `reset` where it is broken off.
    static String hear(SocketChannel channel) {
        try {
            return new String(channel.socket().getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "reset";
        }
    }

    @Override
    public void close() {
        network.close();
        holder.destroy();
    }
}
