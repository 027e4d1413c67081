// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import dev.redoma.kernel.NetworkNamespace;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.xbill.DNS.AAAARecord;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/// The name server of the tests' internet, over datagrams and connections: answers for every zone there is and notes each question.
final class LabNames implements AutoCloseable {
    static final InetSocketAddress AT = new InetSocketAddress("45.0.0.53", 53);
    private static final int PLAIN = 512;

    /// Every question: the name as it was asked, and what for.
    final List<String> asked = new CopyOnWriteArrayList<>();
    private final Map<Name, Deque<List<String>>> zone = new ConcurrentHashMap<>();
    private final DatagramChannel datagrams;

    LabNames(NetworkNamespace at) throws IOException {
        datagrams = at.datagram(StandardProtocolFamily.INET).setOption(StandardSocketOptions.SO_REUSEADDR, true).bind(AT);
        Thread.ofVirtual().start(this::datagrams);
    }

    /// Addresses, or `=name` for an alias. With more than one list the next one with each question for IPv4, the last for ever. An empty list: the name is there without an address.
    @SafeVarargs
    final void put(String name, List<String>... answers) {
        zone.put(name(name), new ArrayDeque<>(List.of(answers)));
    }

    private static Name name(String text) {
        return Name.fromConstantString(text + ".");
    }

    /// Names that were looked up, each once.
    List<String> names() {
        return asked.stream().map(a -> a.substring(0, a.indexOf(' '))).distinct().toList();
    }

    private void datagrams() {
        var buffer = ByteBuffer.allocate(4096);
        while (datagrams.isOpen()) {
            try {
                var from = datagrams.receive(buffer.clear());
                byte[] question = new byte[buffer.flip().remaining()];
                buffer.get(question);
                var asking = new Message(question);
                datagrams.send(ByteBuffer.wrap(answer(asking).toWire(asking.getOPT() == null ? PLAIN : asking.getOPT().getPayloadSize())), from);
            } catch (IOException ended) {
                // closed, or no question
            }
        }
    }

    /// One question on a connection.
    void connection(SocketChannel connection) throws IOException {
        var in = new DataInputStream(connection.socket().getInputStream());
        byte[] answer = answer(new Message(in.readNBytes(in.readUnsignedShort()))).toWire(65_535);
        connection.write(ByteBuffer.allocate(2 + answer.length).putShort((short) answer.length).put(answer).flip());
    }

    private Message answer(Message asking) {
        var question = asking.getQuestion();
        asked.add(question.getName().toString(true) + " " + Type.string(question.getType()));
        var answer = new Message(asking.getHeader().getID());
        answer.getHeader().setFlag(Flags.QR);
        answer.getHeader().setFlag(Flags.AA);
        answer.addRecord(question, Section.QUESTION);
        var owner = question.getName();
        var found = now(owner, question.getType());
        if (found == null) {
            answer.getHeader().setRcode(Rcode.NXDOMAIN);
            return answer;
        }
        for (String value : found) {
            if (value.startsWith("=")) {
                answer.addRecord(new CNAMERecord(owner, DClass.IN, 0, name(value.substring(1))), Section.ANSWER);
                continue;
            }
            var address = InetAddress.ofLiteral(value.replace("v4:", ""));
            boolean four = address.getAddress().length == 4;
            if (question.getType() == Type.A && four) {
                answer.addRecord(new ARecord(owner, DClass.IN, 0, address), Section.ANSWER);
            } else if (question.getType() == Type.AAAA && !four) {
                answer.addRecord(new AAAARecord(owner, DClass.IN, 0, address), Section.ANSWER);
            }
        }
        return answer;
    }

    private @org.jspecify.annotations.Nullable List<String> now(Name name, int type) {
        var answers = zone.get(name);
        if (answers == null) {
            return null;
        }
        synchronized (answers) {
            return new ArrayList<>(answers.size() > 1 && type == Type.A ? answers.removeFirst() : answers.getFirst());
        }
    }

    @Override
    public void close() throws IOException {
        datagrams.close();
    }
}
