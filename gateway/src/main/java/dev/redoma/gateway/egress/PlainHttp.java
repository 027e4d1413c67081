// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import dev.redoma.policy.EgressClass;
import dev.redoma.policy.EgressDecider;
import dev.redoma.policy.EgressDecision;
import dev.redoma.policy.EgressDecision.Allow;
import dev.redoma.policy.Reason;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/// HTTP without TLS to a name: one request a connection, which is read strictly, decided, and written anew. A second one on the same connection never leaves:
/// its program finds the connection closed after the first answer and opens another.
final class PlainHttp {
    private static final int PORT = 80;
    private static final int FIRST_WORDS_MS = 15_000;
    private static final String DENIED = "request.denied";

    private final SandboxEgress sandbox;
    private final SocketChannel inside;
    private final String host;
    private final EgressClass egressClass;
    private final Outward outward;
    private String method = "";

    PlainHttp(SandboxEgress sandbox, SocketChannel inside, String host, EgressClass egressClass, Outward outward) {
        this.egressClass = egressClass;
        this.sandbox = sandbox;
        this.inside = inside;
        this.host = host;
        this.outward = outward;
    }

    void serve() throws IOException {
        inside.socket().setSoTimeout(FIRST_WORDS_MS);
        var reader = new RequestReader(inside.socket().getInputStream());
        RequestHead head;
        try {
            head = reader.head();
        } catch (RequestReader.Malformed malformed) {
            refuse(400, Fact.of(DENIED, host, PORT, sandbox.decider().decideRequest(egressClass, host, PORT, "GET", "/")).because(RequestFault.MALFORMED.wire()), String.valueOf(malformed.getMessage()));
            return;
        }
        if (head == null) {
            return;
        }
        method = head.method();
        EgressDecider decider = sandbox.decider();
        EgressDecision decision = decider.decideRequest(egressClass, host, PORT, head.method(), head.path());
        if (decision instanceof Allow any) {
            decision = head.decided(any);
        }
        Optional<RequestFault> fault = RequestFault.ofPlain(head, Site.of(host, PORT));
        if (fault.isPresent()) {
            refuse(403, Fact.of(DENIED, host, PORT, decision).because(fault.get().wire()).asked(head.method(), head.path()), fault.get().text());
        } else if (decision instanceof Allow) {
            checked(decider, head, reader);
        } else {
            refuse(403, Fact.of(DENIED, host, PORT, decision).asked(head.method(), head.path()), decision.reason().text());
        }
    }

    private void checked(EgressDecider decider, RequestHead head, RequestReader reader) throws IOException {
        Fact about = Fact.of("connect.denied", host, PORT, decider.decideRequest(egressClass, host, PORT, head.method(), head.path()));
        var kept = sandbox.asked(egressClass, host, host, PORT); // before its name is asked of anybody
        if (kept.isPresent()) {
            refuse(403, Outward.waiting(about, kept.get()), kept.get().message() + " " + kept.get().remedy());
            return;
        }
        Way.Checked checked;
        try {
            checked = outward.check(decider, host, Synthetic.RESOLVER, PORT);
        } catch (IOException unknown) {
            Fact failed = about.as("connect.failed").because("look-up");
            answer(failed, Outward.nowhere(failed, host));
            return;
        }
        if (checked == null) {
            outward.refuse(about.because("unrecorded"));
            return;
        }
        if (!(checked.decision() instanceof Allow connection)) {
            boolean unknown = checked.decision().reason() == Reason.NO_ADDRESS;
            Fact fact = Fact.of(unknown ? "connect.failed" : "connect.denied", host, PORT, checked.decision());
            answer(fact, unknown ? Outward.nowhere(fact, host) : Refused.of(403, fact, host, checked.decision().reason().text()));
            return;
        }
        if (!(head.decided(connection) instanceof Allow by)) {
            refuse(403, Fact.of(DENIED, host, PORT, head.decided(connection)).asked(head.method(), head.path()), "no rule allows this request there");
            return;
        }
        var more = sandbox.budgets().oneMore(by);
        Budgets.Spent spent = more.spent();
        if (spent != null) {
            Fact told = spent.told(Fact.of(DENIED, host, PORT, by));
            answer(told.asked(head.method(), head.path()), spent.answer(told, host));
            return;
        }
        Allow allow = more.by();
        Fact fact = Fact.of("connect", host, PORT, allow).with("method", head.method());
        outward.carryCounted(fact, host, null, checked, allow, PORT, head, relay -> {
            inside.socket().setSoTimeout(0);
            relay.sendUp(ByteBuffer.wrap(head.onward(host)));
            boolean chunked = head.has("transfer-encoding");
            reader.body(piece -> relay.sendUp(chunked ? chunk(piece) : piece));
            if (chunked) {
                relay.sendUp(ByteBuffer.wrap(reader.trailers().lastChunk()));
            }
            relay.keepUpOpen();
        });
    }

    private static ByteBuffer chunk(ByteBuffer piece) {
        byte[] head = (Integer.toHexString(piece.remaining()) + "\r\n").getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocate(head.length + piece.remaining() + 2).put(head).put(piece).put((byte) '\r').put((byte) '\n').flip();
    }

    /// Recorded, then told in a form that programs can read.
    private void refuse(int status, Fact fact, String why) throws IOException {
        answer(fact, Refused.of(status, fact, host, why));
    }

    private void answer(Fact fact, Refused refused) throws IOException {
        sandbox.records().refused(fact);
        tell(inside, refused.http1(method));
    }

    static void tell(SocketChannel inside, byte[] answer) throws IOException {
        var out = ByteBuffer.wrap(answer);
        while (out.hasRemaining()) {
            inside.write(out);
        }
        inside.shutdownOutput();
        drain(inside);
    }

    /// A close with unread bytes would take the answer away again.
    private static void drain(SocketChannel inside) throws IOException {
        inside.socket().setSoTimeout(1000);
        byte[] buffer = new byte[4096];
        try {
            for (int i = 0; i < 64 && inside.socket().getInputStream().read(buffer) >= 0; i++) {
                // what is still on its way is of no interest
            }
        } catch (java.net.SocketTimeoutException enough) {
            // it had its time
        }
    }
}
