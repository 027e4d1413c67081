// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway;

import java.io.EOFException;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.OPTRecord;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;

/// One question to one name server: by a datagram from a port of its own, by a connection where the answer does not fit into one. What answers another
/// question, or comes from elsewhere, is no answer.
final class NameQuestion {
    private static final int LARGEST = 1232;

    private final Record question;
    private final Message message;

    NameQuestion(Name name, int type) {
        question = Record.newRecord(name, type, DClass.IN);
        message = Message.newQuery(question);
        message.addRecord(new OPTRecord(LARGEST, 0, 0), Section.ADDITIONAL);
    }

    /// Ends at `deadline` of the monotonic clock.
    Message ask(InetSocketAddress server, NameServerSockets sockets, long deadline) throws IOException {
        var answer = byDatagram(server, sockets, deadline);
        return answer.getHeader().getFlag(Flags.TC) ? byConnection(server, sockets, deadline) : answer;
    }

    private Message byDatagram(InetSocketAddress server, NameServerSockets sockets, long deadline) throws IOException {
        var family = server.getAddress() instanceof Inet4Address ? StandardProtocolFamily.INET : StandardProtocolFamily.INET6;
        try (var channel = sockets.datagram(family)) {
            channel.connect(server);
            channel.write(ByteBuffer.wrap(message.toWire()));
            var packet = new DatagramPacket(new byte[4096], 4096);
            while (true) {
                channel.socket().setSoTimeout(left(deadline));
                channel.socket().receive(packet);
                var answer = read(Arrays.copyOf(packet.getData(), packet.getLength()));
                if (answer != null) {
                    return answer;
                }
            }
        }
    }

    private Message byConnection(InetSocketAddress server, NameServerSockets sockets, long deadline) throws IOException {
        try (var channel = sockets.stream()) {
            var socket = channel.socket();
            socket.connect(server, left(deadline));
            byte[] asked = message.toWire();
            socket.getOutputStream().write(ByteBuffer.allocate(2 + asked.length).putShort((short) asked.length).put(asked).array());
            byte[] length = exactly(socket, 2, deadline);
            var answer = read(exactly(socket, (length[0] & 0xff) << 8 | length[1] & 0xff, deadline));
            if (answer == null) {
                throw new IOException("the name server " + server.getAddress().getHostAddress() + " answers what was not asked");
            }
            return answer;
        }
    }

    private static byte[] exactly(Socket socket, int n, long deadline) throws IOException {
        byte[] all = new byte[n];
        for (int at = 0; at < n; ) {
            socket.setSoTimeout(left(deadline));
            int read = socket.getInputStream().read(all, at, n - at);
            if (read < 0) {
                throw new EOFException("the name server ended the connection early");
            }
            at += read;
        }
        return all;
    }

    private static int left(long deadline) throws SocketTimeoutException {
        long millis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        if (millis <= 0) {
            throw new SocketTimeoutException("the name server took too long");
        }
        return (int) millis;
    }

    /// Null: it answers something else.
    private @org.jspecify.annotations.Nullable Message read(byte[] bytes) {
        try {
            var answer = new Message(bytes);
            var header = answer.getHeader();
            boolean ours = header.getID() == message.getHeader().getID() && header.getFlag(Flags.QR) && question.equals(answer.getQuestion());
            return ours ? answer : null;
        } catch (IOException | RuntimeException malformed) {
            return null;
        }
    }
}
