// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import java.io.IOException;
import java.util.Optional;
import org.xbill.DNS.AAAARecord;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Header;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Opcode;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/// Answers questions for names with the sandbox's synthetic addresses. Nothing is looked up anywhere. Types other than A and AAAA are answered empty,
/// so that neither keys nor hints of another way to the host arrive.
final class DnsAnswers {
    private static final int TTL = 60;
    static final int LONGEST = 1232;

    /// What is to be answered for a name.
    sealed interface Verdict {
        record Address(int number) implements Verdict {}

        record NoSuchName() implements Verdict {}

        record Refused() implements Verdict {}

        record Failed() implements Verdict {}
    }

    /// `type`: as in the question.
    interface Deciding {
        Verdict decide(String name, int type);
    }

    private final Deciding decide;

    DnsAnswers(Deciding decide) {
        this.decide = decide;
    }

    /// Empty: it is no question, and gets no answer.
    Optional<byte[]> answer(byte[] asked) {
        Message question;
        try {
            question = new Message(asked);
        } catch (IOException | RuntimeException malformed) {
            return asked.length < 12 ? Optional.empty() : Optional.of(malformed(asked));
        }
        var header = question.getHeader();
        if (header.getFlag(Flags.QR)) {
            return Optional.empty();
        }
        var answer = new Message(header.getID());
        answer.getHeader().setOpcode(header.getOpcode());
        answer.getHeader().setFlag(Flags.QR);
        answer.getHeader().setFlag(Flags.RA);
        if (header.getFlag(Flags.RD)) {
            answer.getHeader().setFlag(Flags.RD);
        }
        if (header.getOpcode() != Opcode.QUERY || header.getCount(Section.QUESTION) != 1) {
            answer.getHeader().setRcode(Rcode.NOTIMP);
            return Optional.of(answer.toWire(LONGEST));
        }
        var record = question.getQuestion();
        answer.addRecord(record, Section.QUESTION);
        if (record.getDClass() != DClass.IN) {
            answer.getHeader().setRcode(Rcode.REFUSED);
        } else {
            fill(answer, record.getName(), record.getType());
        }
        return Optional.of(answer.toWire(LONGEST));
    }

    private void fill(Message answer, Name name, int type) {
        switch (text(name).map(n -> decide.decide(n, type)).orElseGet(Verdict.NoSuchName::new)) {
            case Verdict.Address address when type == Type.A -> answer.addRecord(new ARecord(name, DClass.IN, TTL, Synthetic.four(address.number())), Section.ANSWER);
            case Verdict.Address address when type == Type.AAAA -> answer.addRecord(new AAAARecord(name, DClass.IN, TTL, Synthetic.six(address.number())), Section.ANSWER);
            case Verdict.Address other -> {}
            case Verdict.NoSuchName none -> answer.getHeader().setRcode(Rcode.NXDOMAIN);
            case Verdict.Refused refused -> answer.getHeader().setRcode(Rcode.REFUSED);
            case Verdict.Failed failed -> answer.getHeader().setRcode(Rcode.SERVFAIL);
        }
    }

    /// Labels with anything but plain characters are no names of hosts; as text they could read as other names.
    private static Optional<String> text(Name name) {
        var text = new StringBuilder();
        for (int i = 0; i < name.labels() - 1; i++) {
            byte[] label = name.getLabel(i);
            for (int at = 1; at < label.length; at++) {
                int c = label[at] & 0xff;
                if (c <= ' ' || c >= 127 || c == '.' || c == '\\') {
                    return Optional.of("\\" + name);
                }
                text.append((char) c);
            }
            text.append('.');
        }
        return text.isEmpty() ? Optional.empty() : Optional.of(text.substring(0, text.length() - 1));
    }

    private static byte[] malformed(byte[] asked) {
        var header = new Header((asked[0] & 0xff) << 8 | asked[1] & 0xff);
        header.setFlag(Flags.QR);
        header.setRcode(Rcode.FORMERR);
        return header.toWire();
    }
}
