// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;
import org.xbill.DNS.Type;

/// Bytes that nobody sends in good faith: read as what they are or refused as malformed, nothing else. The seeds are fixed.
class HostileWordsTest {
    private static final int TRIES = 20_000;

    private static byte[] spoiled(byte[] good, Random random) {
        byte[] bad = java.util.Arrays.copyOf(good, random.nextInt(4) == 0 ? random.nextInt(good.length + 1) : good.length);
        for (int i = random.nextInt(6); i > 0 && bad.length > 0; i--) {
            bad[random.nextInt(bad.length)] = (byte) random.nextInt();
        }
        return bad;
    }

    @Test
    void aHelloIsReadOrRefused() throws IOException {
        var random = new Random(5);
        byte[] good = Hello.of("a.allowed.test");
        int read = 0;
        for (int i = 0; i < TRIES; i++) {
            byte[] words = spoiled(good, random);
            try {
                ClientHello hello = ClientHello.read(new ByteArrayInputStream(words));
                assertThat(hello.bytes()).isEqualTo(words);
                read++;
            } catch (ClientHello.Malformed refused) {
                assertThat(refused.getMessage()).isNotEmpty();
            }
        }
        assertThat(read).isGreaterThan(TRIES / 20);
    }

    @Test
    void aHelloWithoutEndIsRefusedAfterABoundedRead() {
        byte[] endless = Hello.records(java.util.Arrays.copyOf(new byte[] {1, 0, (byte) 0xff, (byte) 0xff}, 70_000), 1);
        var in = new ByteArrayInputStream(endless);
        assertThatThrownBy(() -> ClientHello.read(in)).isInstanceOf(ClientHello.Malformed.class);
        assertThat(endless.length - in.available()).isLessThan(80 << 10);
    }

    @Test
    void aQuestionIsAnsweredOrRefused() {
        var random = new Random(6);
        byte[] good = Message.newQuery(Record.newRecord(Name.fromConstantString("a.allowed.test."), Type.A, DClass.IN)).toWire();
        var answers = new DnsAnswers((name, type) -> new DnsAnswers.Verdict.Address(300));
        for (int i = 0; i < TRIES; i++) {
            byte[] words = spoiled(good, random);
            answers.answer(words).ifPresent(answer -> {
                assertThat(answer.length).isBetween(12, DnsAnswers.LONGEST);
                assertThat(answer[0]).isEqualTo(words[0]);
                assertThat(answer[2] & 0x80).isNotZero();
            });
        }
    }

    @Test
    void aRequestIsReadOrRefused() throws IOException {
        var random = new Random(7);
        byte[] good = "POST /a?b HTTP/1.1\r\nHost: a.allowed.test\r\nContent-Length: 3\r\n\r\nabc".getBytes();
        for (int i = 0; i < TRIES; i++) {
            var reader = new RequestReader(new ByteArrayInputStream(spoiled(good, random)));
            try {
                if (reader.head() != null) {
                    reader.body(piece -> assertThat(piece.remaining()).isPositive());
                }
            } catch (RequestReader.Malformed refused) {
                assertThat(refused.getMessage()).isNotEmpty();
            }
        }
    }
}
