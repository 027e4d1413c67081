// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.redoma.policy.HostName;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.xbill.DNS.Message;

/// What programs inside say first, from anybody's hand. The kept inputs (`src/test/resources`) are tried.
class EgressFuzzTest {

    /// Read as what it is, or refused; what goes on is what was read.
    @FuzzTest
    void hello(byte[] words) throws IOException {
        var in = new ByteArrayInputStream(words);
        ClientHello hello;
        try {
            hello = ClientHello.read(in);
        } catch (ClientHello.Malformed refused) {
            return;
        }
        byte[] taken = Arrays.copyOf(words, words.length - in.available());
        assertThat(hello.bytes()).isEqualTo(taken);
        var again = ClientHello.read(new ByteArrayInputStream(hello.bytes()));
        assertThat(again.serverName()).isEqualTo(hello.serverName());
        if (hello.serverName() != null) {
            byte[] name = hello.serverName().getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);
            assertThat(name.length).isBetween(1, 255);
            HostName.parse(hello.serverName()).ifPresent(n -> assertThat(contains(taken, name)).as("the name is in the bytes that go on").isTrue());
        }
    }

    /// The bytes may be cut by heads of records: those of five are taken out.
    private static boolean contains(byte[] raw, byte[] name) {
        var message = new ByteArrayOutputStream();
        for (int at = 0; at < raw.length; ) {
            int length = (raw[at + 3] & 0xff) << 8 | raw[at + 4] & 0xff;
            message.write(raw, at + 5, length);
            at += 5 + length;
        }
        byte[] all = message.toByteArray();
        for (int at = 0; at + name.length <= all.length; at++) {
            if (Arrays.equals(all, at, at + name.length, name, 0, name.length)) {
                return true;
            }
        }
        return false;
    }

    /// Answered or dropped; an answer is one that a reader of such messages takes, and says no more than there is room for.
    @FuzzTest
    void question(byte[] words) throws IOException {
        var asked = new ArrayList<String>();
        var answers = new DnsAnswers((name, type) -> {
            asked.add(name);
            return HostName.parse(name).isPresent() ? new DnsAnswers.Verdict.Address(300) : new DnsAnswers.Verdict.NoSuchName();
        });
        var answer = answers.answer(words);
        if (answer.isEmpty()) {
            assertThat(asked).isEmpty();
            return;
        }
        assertThat(answer.get().length).isBetween(12, DnsAnswers.LONGEST);
        assertThat(Arrays.copyOf(answer.get(), 2)).isEqualTo(Arrays.copyOf(words, 2));
        assertThat(answer.get()[2] & 0x80).isNotZero();
        var read = new Message(answer.get());
        assertThat(asked.size()).isLessThanOrEqualTo(1);
        for (String name : asked) {
            HostName.parse(name).ifPresent(n -> assertThat(read.getQuestion().getName().toString(true).toLowerCase(Locale.ROOT)).isEqualTo(n.ascii()));
        }
    }

    /// Read or refused; what is written for the other end is read there as the same, with nothing before or behind it.
    @FuzzTest
    void request(byte[] words) throws IOException {
        var reader = new RequestReader(new ByteArrayInputStream(words));
        RequestHead head;
        try {
            head = reader.head();
            if (head == null) {
                return;
            }
        } catch (RequestReader.Malformed refused) {
            return;
        }
        byte[] onward = head.onward("a.allowed.test");
        var in = new ByteArrayInputStream(onward);
        if (head.target().chars().allMatch(c -> c > ' ' && c <= '~') && !head.method().equals("CONNECT")) {
            var again = new RequestReader(in).head();
            assertThat(again).isNotNull();
            assertThat(again.method()).isEqualTo(head.method());
            assertThat(again.target()).isEqualTo(head.target());
            assertThat(again.all("host")).isEqualTo(List.of("a.allowed.test"));
            assertThat(again.all("content-length")).isEqualTo(head.all("content-length"));
            assertThat(again.all("transfer-encoding")).isEqualTo(head.all("transfer-encoding"));
        }
        String text = new String(onward, java.nio.charset.StandardCharsets.ISO_8859_1);
        assertThat(text.indexOf("\r\n\r\n")).as("one head").isEqualTo(text.length() - 4);
        var body = new ByteArrayOutputStream();
        try {
            reader.body(piece -> body.writeBytes(rest(piece)));
        } catch (RequestReader.Malformed refused) {
            return;
        }
        if (head.all("content-length").size() == 1) {
            assertThat(body.size()).isEqualTo(Integer.parseInt(head.all("content-length").getFirst().strip()));
        }
    }

    private static byte[] rest(ByteBuffer piece) {
        byte[] bytes = new byte[piece.remaining()];
        piece.get(bytes);
        return bytes;
    }
}
