// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import dev.redoma.policy.EgressClass;
import dev.redoma.policy.EgressDecider;
import dev.redoma.policy.EgressDecision;
import dev.redoma.policy.EgressDecision.Allow;
import dev.redoma.policy.HostName;
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

    private final SandboxEgress sandbox;
    private final SocketChannel inside;
    private final String host;
    private final EgressClass egressClass;
    private final Outward outward;

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
            refuse(400, fact("request-malformed"), "no request that can be read in one way only: " + malformed.getMessage());
            return;
        }
        if (head == null) {
            return;
        }
        EgressDecider decider = sandbox.decider();
        EgressDecision decision = decider.decideRequest(egressClass, host, PORT, head.method(), head.path());
        Optional<String> fault = fault(head);
        if (fault.isPresent()) {
            refuse(403, fact(fault.get()), "the request does not say what its connection is for");
        } else if (decision instanceof Allow) {
            checked(decider, head, reader);
        } else {
            refuse(403, Fact.of("request.denied", host, PORT, decision).with("method", head.method()), decision.reason().text());
        }
    }

    private Fact fact(String reason) {
        return new Fact("request.denied", host, null, PORT, egressClass.wire(), null, reason, java.util.Map.of());
    }

    /// What the request itself must not be.
    private Optional<String> fault(RequestHead head) {
        if (head.method().equalsIgnoreCase("CONNECT")) {
            return Optional.of("connect");
        }
        if (head.target().chars().anyMatch(c -> c <= ' ' || c > '~')) {
            return Optional.of("target"); // what others read as other characters
        }
        if (!head.target().startsWith("/") && !(head.target().equals("*") && head.method().equals("OPTIONS"))) {
            return Optional.of("absolute-form");
        }
        if (head.has("upgrade")) {
            return Optional.of("upgrade");
        }
        var hosts = head.all("host");
        return hosts.size() == 1 && named(hosts.getFirst()) ? Optional.empty() : Optional.of("host-mismatch");
    }

    private boolean named(String authority) {
        String name = authority.endsWith(":" + PORT) ? authority.substring(0, authority.length() - 3) : authority;
        return HostName.parse(name).filter(n -> n.ascii().equals(host)).isPresent();
    }

    private void checked(EgressDecider decider, RequestHead head, RequestReader reader) throws IOException {
        var checked = outward.check(decider, host, Synthetic.RESOLVER, PORT);
        if (checked == null) {
            return;
        }
        if (!(checked.decision() instanceof Allow connection)) {
            boolean unknown = checked.decision().reason() == Reason.NO_ADDRESS;
            refuse(unknown ? 502 : 403, Fact.of(unknown ? "connect.failed" : "connect.denied", host, PORT, checked.decision()),
                    unknown ? "no address of " + host + " is known to the server's resolver" : checked.decision().reason().text());
            return;
        }
        if (!(connection.request(head.method(), head.path()) instanceof Allow allow)) {
            refuse(403, Fact.of("request.denied", host, PORT, connection.request(head.method(), head.path())), "no rule allows this request there");
            return;
        }
        var kept = sandbox.asked(allow, host, host, PORT);
        if (kept.isPresent()) {
            refuse(403, Outward.waiting(Fact.of("connect.denied", host, PORT, allow), kept.get()), kept.get().message() + " " + kept.get().remedy());
            return;
        }
        Fact fact = Fact.of("connect", host, PORT, allow).with("method", head.method());
        outward.carry(fact, host, null, checked, allow, PORT, head, relay -> {
            inside.socket().setSoTimeout(0);
            relay.sendUp(ByteBuffer.wrap(head.onward(host)));
            boolean chunked = head.has("transfer-encoding");
            reader.body(piece -> relay.sendUp(chunked ? chunk(piece) : piece));
            if (chunked) {
                relay.sendUp(ByteBuffer.wrap("0\r\n\r\n".getBytes(StandardCharsets.US_ASCII)));
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
        sandbox.records().refused(fact);
        var out = ByteBuffer.wrap(Refused.of(status, fact, host, why).http1());
        while (out.hasRemaining()) {
            inside.write(out);
        }
        inside.shutdownOutput();
        drain();
    }

    /// A close with unread bytes would take the answer away again.
    private void drain() throws IOException {
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
