// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
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

/// Name servers on loopback, good ones and others.
@Timeout(60)
class UpstreamResolverTest {
    private final List<AutoCloseable> open = new ArrayList<>();
    private final List<String> asked = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (var one : open) {
            one.close();
        }
    }

    /// A server that answers what `answers` makes of an empty answer; nothing where that is null. Over connections the same.
    private InetSocketAddress server(UnaryOperator<Message> answers) throws IOException {
        var listener = ServerSocketChannel.open().bind(new InetSocketAddress("127.0.0.1", 0));
        open.add(listener);
        var at = (InetSocketAddress) listener.getLocalAddress();
        var datagrams = DatagramChannel.open().bind(at);
        open.add(datagrams);
        Thread.ofVirtual().start(() -> datagrams(datagrams, answers));
        Thread.ofVirtual().start(() -> connections(listener, answers));
        return at;
    }

    private void datagrams(DatagramChannel channel, UnaryOperator<Message> answers) {
        var buffer = ByteBuffer.allocate(4096);
        while (channel.isOpen()) {
            try {
                var from = channel.receive(buffer.clear());
                var answer = answers.apply(empty(Arrays.copyOf(buffer.array(), buffer.position()), "udp"));
                if (answer != null) {
                    channel.send(ByteBuffer.wrap(answer.toWire(1232)), from);
                }
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void connections(ServerSocketChannel listener, UnaryOperator<Message> answers) {
        while (listener.isOpen()) {
            try (var connection = listener.accept()) {
                var in = new DataInputStream(connection.socket().getInputStream());
                byte[] wire = answers.apply(empty(in.readNBytes(in.readUnsignedShort()), "tcp")).toWire(65_535);
                connection.write(ByteBuffer.allocate(2 + wire.length).putShort((short) wire.length).put(wire).flip());
            } catch (IOException closed) {
                // the next, if there is one
            }
        }
    }

    private Message empty(byte[] question, String by) throws IOException {
        var asking = new Message(question);
        asked.add(asking.getQuestion().getName() + " " + Type.string(asking.getQuestion().getType()) + " " + by);
        var answer = new Message(asking.getHeader().getID());
        answer.getHeader().setFlag(Flags.QR);
        answer.addRecord(asking.getQuestion(), Section.QUESTION);
        return answer;
    }

    private static Message with(Message answer, Name owner, String... addresses) {
        for (String text : addresses) {
            var address = InetAddress.ofLiteral(text);
            boolean four = address.getAddress().length == 4;
            if (answer.getQuestion().getType() == (four ? Type.A : Type.AAAA)) {
                answer.addRecord(four ? new ARecord(owner, DClass.IN, 0, address) : new AAAARecord(owner, DClass.IN, 0, address), Section.ANSWER);
            }
        }
        return answer;
    }

    private static Message with(Message answer, String... addresses) {
        return with(answer, answer.getQuestion().getName(), addresses);
    }

    private static Message code(Message answer, int code) {
        answer.getHeader().setRcode(code);
        return answer;
    }

    private static Name name(String text) {
        return Name.fromConstantString(text);
    }

    private static List<String> resolve(String host, InetSocketAddress... servers) throws IOException {
        return Arrays.stream(new UpstreamResolver(List.of(servers)).resolve(host)).map(InetAddress::getHostAddress).toList();
    }

    @Test
    void bothFamiliesAreAskedForAndNothingElseIs() throws IOException {
        var server = server(a -> with(a, "45.0.0.1", "45.0.0.2", "2a00:45::1"));
        assertThat(resolve("a.example.com", server)).containsExactly("45.0.0.1", "45.0.0.2", "2a00:45:0:0:0:0:0:1");
        assertThat(asked).containsExactlyInAnyOrder("a.example.com. A udp", "a.example.com. AAAA udp");
    }

    @Test
    void addressesAndThisHostsOwnNameAreAskedOfNobody() throws IOException {
        var server = server(a -> with(a, "45.0.0.1"));
        assertThat(resolve("45.0.0.9", server)).containsExactly("45.0.0.9");
        assertThat(resolve("2a00:45::9", server)).containsExactly("2a00:45:0:0:0:0:0:9");
        assertThat(resolve("localhost", server)).contains("127.0.0.1");
        assertThat(resolve("a.localhost", server)).contains("127.0.0.1");
        assertThat(asked).isEmpty();
    }

    @Test
    void thatThereIsNoSuchNameIsAnAnswer() throws IOException {
        var server = server(a -> code(a, Rcode.NXDOMAIN));
        var other = server(a -> with(a, "45.0.0.1"));
        assertThatThrownBy(() -> resolve("a.example.com", server, other)).isInstanceOf(UnknownHostException.class);
        var empty = server(a -> a);
        assertThatThrownBy(() -> resolve("a.example.com", empty, other)).isInstanceOf(UnknownHostException.class);
    }

    @Test
    void aServerThatFailsOrIsGoneIsFollowedByTheNext() throws IOException {
        var failing = server(a -> code(a, Rcode.SERVFAIL));
        var refusing = server(a -> code(a, Rcode.REFUSED));
        var good = server(a -> with(a, "45.0.0.1"));
        assertThat(resolve("a.example.com", failing, refusing, good)).containsExactly("45.0.0.1");
        var gone = server(a -> a);
        closeLast();
        assertThat(resolve("a.example.com", gone, good)).containsExactly("45.0.0.1");
        assertThatThrownBy(() -> resolve("a.example.com", failing, refusing)).isInstanceOf(IOException.class).isNotInstanceOf(UnknownHostException.class).hasMessageContaining("REFUSED");
    }

    private void closeLast() {
        for (var one : open.subList(open.size() - 2, open.size())) {
            try {
                one.close();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    @Test
    void silenceEnds() throws IOException {
        var silent = server(a -> null);
        var time = new OwnTime();
        assertThatThrownBy(() -> resolve("a.example.com", silent, silent, silent)).isInstanceOf(IOException.class);
        assertThat(time.since()).isBetween(Duration.ofSeconds(8), Duration.ofSeconds(10));
    }

    @Test
    void whatDoesNotFitIntoADatagramIsAskedForByAConnection() throws IOException {
        var many = new String[100];
        Arrays.setAll(many, i -> "45.0.1." + i);
        var server = server(a -> with(a, many));
        assertThat(resolve("a.example.com", server)).hasSize(100);
        assertThat(asked).contains("a.example.com. A tcp");
        var more = new String[UpstreamResolver.MOST + 1];
        Arrays.setAll(more, i -> "45.0." + i / 200 + "." + i % 200);
        var hoarder = server(a -> with(a, more));
        assertThatThrownBy(() -> resolve("a.example.com", hoarder)).isInstanceOf(IOException.class).hasMessageContaining("more than 256");
    }

    @Test
    void whatWasNotAskedForIsNotBelieved() throws IOException {
        var strange = server(a -> with(a, name("b.example.com."), "45.6.6.6"));
        assertThatThrownBy(() -> resolve("a.example.com", strange)).isInstanceOf(UnknownHostException.class);
        var otherQuestion = server(a -> {
            var answer = new Message(a.getHeader().getID());
            answer.getHeader().setFlag(Flags.QR);
            answer.addRecord(org.xbill.DNS.Record.newRecord(name("b.example.com."), Type.A, DClass.IN), Section.QUESTION);
            return with(answer, "45.6.6.6");
        });
        var good = server(a -> with(a, "45.0.0.1"));
        assertThat(resolve("a.example.com", otherQuestion, good)).containsExactly("45.0.0.1");
        var otherNumber = server(a -> {
            a.getHeader().setID(a.getHeader().getID() ^ 1);
            return with(a, "45.6.6.6");
        });
        assertThat(resolve("a.example.com", otherNumber, good)).containsExactly("45.0.0.1");
    }

    @Test
    void aliasesAreFollowedSoFarAndNoFurther() throws IOException {
        var whole = server(a -> {
            a.addRecord(new CNAMERecord(a.getQuestion().getName(), DClass.IN, 0, name("b.example.com.")), Section.ANSWER);
            return with(a, name("b.example.com."), "45.0.0.1");
        });
        assertThat(resolve("a.example.com", whole)).containsExactly("45.0.0.1");
        var halves = server(a -> {
            if (a.getQuestion().getName().equals(name("c.example.com."))) {
                return with(a, "45.0.0.1");
            }
            a.addRecord(new CNAMERecord(a.getQuestion().getName(), DClass.IN, 0, name("c.example.com.")), Section.ANSWER);
            return a;
        });
        assertThat(resolve("a.example.com", halves)).containsExactly("45.0.0.1");
        var circle = server(a -> {
            a.addRecord(new CNAMERecord(a.getQuestion().getName(), DClass.IN, 0, a.getQuestion().getName()), Section.ANSWER);
            return a;
        });
        assertThatThrownBy(() -> resolve("a.example.com", circle)).isInstanceOf(IOException.class);
        var endless = server(a -> {
            var owner = a.getQuestion().getName();
            a.addRecord(new CNAMERecord(owner, DClass.IN, 0, name("x" + owner)), Section.ANSWER);
            return a;
        });
        assertThatThrownBy(() -> resolve("a.example.com", endless)).isInstanceOf(IOException.class).hasMessageContaining("aliases");
    }

    @Test
    void aFamilyThatFailsIsLeftOutWhereTheOtherAnswers() throws IOException {
        var half = server(a -> a.getQuestion().getType() == Type.AAAA ? code(a, Rcode.SERVFAIL) : with(a, "45.0.0.1"));
        assertThat(resolve("a.example.com", half)).containsExactly("45.0.0.1");
    }
}
