// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway.egress;

import dev.redoma.gateway.CheckedDialler;
import dev.redoma.gateway.UpstreamProxy;
import dev.redoma.kernel.KernelException;
import dev.redoma.kernel.OriginalDestination;
import dev.redoma.model.Problem;
import dev.redoma.policy.EgressClass;
import dev.redoma.policy.EgressDecider;
import dev.redoma.policy.EgressDecision;
import dev.redoma.policy.EgressDecision.Allow;
import dev.redoma.policy.HostName;
import dev.redoma.policy.Passage;
import dev.redoma.policy.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// One connection of a program inside, from the moment it is accepted until both its ways have ended.
final class Outward {
    private static final int FIRST_WORDS_MS = 15_000;
    private static final int TLS_HANDSHAKE = 22;
    private static final int FIRST_CHUNK = 4096;
    private static final String CONNECT = "connect";
    private static final String DENIED = "connect.denied";
    private static final String FAILED = "connect.failed";

    private final SandboxEgress sandbox;
    private final SocketChannel inside;

    Outward(SandboxEgress sandbox, SocketChannel inside) {
        this.sandbox = sandbox;
        this.inside = inside;
    }

    /// Ends with the channel closed, whatever happens.
    void serve() throws IOException {
        try (inside) {
            InetSocketAddress asked = OriginalDestination.of(inside);
            if (asked.getAddress().equals(Synthetic.RESOLVER) && asked.getPort() == 53) {
                sandbox.dns().connection(inside);
                return;
            }
            var number = Synthetic.number(asked.getAddress());
            var host = number.isPresent() ? sandbox.names().name(number.getAsInt()) : Optional.<String>empty();
            if (number.isPresent() && host.isEmpty()) {
                reset(); // an address that stands for nothing; packet rules let nobody get here
                return;
            }
            through(host.orElse(null), asked.getAddress(), asked.getPort());
        } catch (KernelException notLedHere) {
            reset();
        }
    }

    private void through(@Nullable String host, InetAddress literal, int port) throws IOException {
        EgressDecider decider = sandbox.decider();
        if (host != null && !PortsOf.port(decider, host, port)) {
            refuse(Fact.of(DENIED, host, port, decider.decideConnect(host, port, List.of())));
            return;
        }
        var by = host == null ? Optional.<EgressDecision>empty() : PortsOf.by(decider, host, port);
        Fact about = about(decider, by, host, literal, port);
        // What will be said is known before anything is looked up, where the program speaks first.
        InputStream in = inside.socket().getInputStream();
        var http = host == null ? Optional.<EgressClass>empty() : PortsOf.http(decider, host, port);
        if (host != null && port == 80 && http.isPresent()) {
            new PlainHttp(sandbox, inside, host, http.get(), this).serve();
            return;
        }
        ClientHello hello = null;
        if (port == 443 && http.isPresent() || host != null && PortsOf.seen(decider, host, port)) {
            hello = hello(in, about, host, port);
            if (hello == null) {
                return;
            }
        }
        ClientHello seen = host != null && hello != null && PortsOf.seen(decider, host, port) ? hello : null;
        // Before anything is looked up: the question alone would tell whoever answers for that name.
        var asked = by.flatMap(EgressDecision::inClass);
        if (host != null && asked.isPresent() && kept(about, seen, asked.get(), host, host, port)) {
            return;
        }
        Way.Checked checked;
        try {
            checked = check(decider, host, literal, port);
        } catch (IOException unknown) {
            Fact failed = about.as(FAILED).because("look-up");
            String of = host == null ? literal.getHostAddress() : host;
            instead(failed, seen, of, port, nowhere(failed, of));
            return;
        }
        if (checked == null) {
            refuse(about.because("unrecorded"));
            return;
        }
        if (!(checked.decision() instanceof Allow allow)) {
            Reason why = checked.decision().reason();
            Fact denied = Fact.of(why == Reason.NO_ADDRESS ? FAILED : DENIED, host, port, checked.decision());
            if (host == null) {
                refuse(denied.at(literal.getHostAddress()));
            } else {
                instead(denied, seen, host, port, why == Reason.NO_ADDRESS ? nowhere(denied, host) : Refused.of(403, denied, host, why.text()));
            }
            return;
        }
        Fact fact = host == null ? Fact.of(CONNECT, null, port, allow).at(literal.getHostAddress()) : Fact.of(CONNECT, host, port, allow);
        if (host == null && port == 80 && allow.egressClass() == EgressClass.WEB) {
            refuse(Fact.of(DENIED, null, port, allow).at(literal.getHostAddress()).because("plain-http-by-address"));
            return;
        }
        if (allow.passage() != Passage.TCP && hello == null) {
            hello = hello(in, fact.as(DENIED), host, port);
            if (hello == null) {
                return;
            }
        }
        boolean unasked = asked.filter(c -> c == allow.egressClass()).isEmpty();
        if (unasked && kept(fact.as(DENIED), allow.passage() == Passage.HTTP ? hello : null, allow.egressClass(), host, host == null ? literal.getHostAddress() : host, port)) {
            return;
        }
        if (allow.passage() == Passage.HTTP) {
            intercept(java.util.Objects.requireNonNull(hello), fact, host, literal, checked, allow, port);
            return;
        }
        ClientHello first = hello;
        carry(first == null ? fact : first.told(fact), host, first == null ? null : first.serverName(), checked, allow, port, null, relay -> {
            inside.socket().setSoTimeout(0);
            if (first != null) {
                relay.sendUp(ByteBuffer.wrap(first.bytes()));
                relay.copyUp();
            } else if (host != null) {
                named(relay, in, fact.as(DENIED), host, port);
            } else {
                relay.copyUp();
            }
        });
    }

    /// True: humans keep it from leaving, and it is refused; in HTTP where that would have been seen (`hello`).
    private boolean kept(Fact denied, @Nullable ClientHello hello, EgressClass egressClass, @Nullable String host, String to, int port) throws IOException {
        var kept = sandbox.asked(egressClass, host, to, port);
        if (kept.isEmpty()) {
            return false;
        }
        Fact told = waiting(denied, kept.get());
        if (hello == null || host == null || Intercepted.spoken(hello).isEmpty()) {
            refuse(told);
        } else {
            sandbox.records().refused(told);
            Intercepted.answer(sandbox.interception(), Site.of(host, port), hello, inside.socket(), Refused.of(403, told, host, kept.get().message() + " " + kept.get().remedy()));
        }
        return true;
    }

    /// Why humans keep it from leaving, and by which request they may let it.
    static Fact waiting(Fact fact, Problem kept) {
        Fact told = fact.because(kept.code().wire());
        return kept.details().get("approval") instanceof String id ? told.with("approval", id) : told;
    }

    /// For a program that reads HTTP. It is on record.
    static Refused unreachable(Fact failed, String host) {
        boolean proxy = "proxy".equals(failed.reason());
        return Refused.of(502, proxy ? failed : failed.because("unreachable"), host, proxy ? "the proxy of this server's network gave no tunnel to it" : "no connection to " + host + " came about");
    }

    /// What is known of it before anything is looked up: to be refused by another reason.
    private static Fact about(EgressDecider decider, Optional<EgressDecision> by, @Nullable String host, InetAddress literal, int port) {
        if (host == null) {
            return Fact.of(DENIED, null, port, decider.decideLiteral(literal, port)).at(literal.getHostAddress());
        }
        return Fact.of(DENIED, host, port, by.orElseGet(() -> decider.decideName(host)));
    }

    private void intercept(ClientHello hello, Fact fact, @Nullable String host, InetAddress literal, Way.Checked checked, Allow allow, int port) throws IOException {
        Site site = host == null ? Site.of(literal, port) : Site.of(host, port);
        String fault = host == null && hello.serverName() != null ? "sni-denied" : Intercepted.spoken(hello).isEmpty() ? "alpn" : null;
        if (fault != null) {
            refuse(fact.as(DENIED).because(fault));
            return;
        }
        var spent = sandbox.budgets().nothingLeft(allow.candidates());
        if (spent.isPresent()) {
            Fact told = spent.get().told(fact.as(DENIED));
            sandbox.records().refused(told);
            Intercepted.answer(sandbox.interception(), site, hello, inside.socket(), spent.get().answer(told, site.host()));
            return;
        }
        carried(hello.told(fact).with("intercepted", true), new Wanted(host, null, port, checked.addresses(), allow, null, new Requests(sandbox.budgets())),
                failed -> Intercepted.answer(sandbox.interception(), site, hello, inside.socket(), unreachable(failed, site.host())),
                passing -> new Intercepted(sandbox.interception(), new Decided(sandbox, site, passing), hello).serve());
    }

    /// Null: nothing can be recorded now. Fails where what it leads to could not be learned.
    Way.@Nullable Checked check(EgressDecider decider, @Nullable String host, InetAddress literal, int port) throws IOException {
        return sandbox.records().failing() ? null : sandbox.way().check(decider, host, literal, port, sandbox.shares());
    }

    /// It leads where nothing may go, or nowhere: said in HTTP where that would have been seen (`hello`), and else by a reset.
    private void instead(Fact fact, @Nullable ClientHello hello, String host, int port, Refused told) throws IOException {
        if (hello == null || Intercepted.spoken(hello).isEmpty()) {
            refuse(fact);
            return;
        }
        sandbox.records().refused(fact);
        Intercepted.answer(sandbox.interception(), Site.of(host, port), hello, inside.socket(), told);
    }

    static Refused nowhere(Fact failed, String host) {
        return Refused.of(502, failed, host, "look-up".equals(failed.reason()) ? "the server's look-up of " + host + " failed" : "no address of " + host + " is known to the server's resolver");
    }

    /// Null: it was refused.
    private @Nullable ClientHello hello(InputStream in, Fact about, @Nullable String host, int port) throws IOException {
        Heard heard = heard(in, host, port);
        if (heard.fault() != null) {
            refuse(about.because(heard.fault()));
            return null;
        }
        return heard.hello();
    }

    /// One of them is there.
    private record Heard(@Nullable ClientHello hello, @Nullable String fault) {}

    private Heard heard(InputStream in, @Nullable String host, int port) throws IOException {
        inside.socket().setSoTimeout(FIRST_WORDS_MS);
        try {
            ClientHello hello = ClientHello.read(in);
            return new Heard(hello, fault(hello, host, port));
        } catch (ClientHello.Malformed | java.net.SocketTimeoutException e) {
            return new Heard(null, "not-tls");
        }
    }

    private @Nullable String fault(ClientHello hello, @Nullable String host, int port) {
        if (hello.serverName() == null) {
            return host == null ? null : "sni-absent";
        }
        var name = HostName.parse(hello.serverName());
        if (name.isEmpty()) {
            return "sni-malformed";
        }
        if (host == null) {
            return PortsOf.told(sandbox.decider(), name.get().ascii(), port) ? null : "sni-denied"; // a name whose requests are to be seen is asked for by name
        }
        return name.get().ascii().equals(host) ? null : "sni-mismatch";
    }

    /// Where it begins as TLS does, its name has to be that of the host; other protocols go as they are.
    private void named(Relay relay, InputStream in, Fact about, String host, int port) throws IOException {
        var chunk = new byte[FIRST_CHUNK];
        int n = in.read(chunk);
        if (n <= 0) {
            return;
        }
        if (chunk[0] != TLS_HANDSHAKE) {
            relay.sendUp(ByteBuffer.wrap(chunk, 0, n));
            relay.copyUp();
            return;
        }
        var again = new PushbackInputStream(in, FIRST_CHUNK);
        again.unread(chunk, 0, n);
        Heard heard = heard(again, host, port);
        ClientHello hello = heard.hello();
        if (heard.fault() != null || hello == null) {
            sandbox.records().refused(about.because(String.valueOf(heard.fault())));
            inside.setOption(StandardSocketOptions.SO_LINGER, 0);
            relay.refused();
            throw new IOException("refused");
        }
        inside.socket().setSoTimeout(0);
        relay.sendUp(ByteBuffer.wrap(hello.bytes()));
        int sent = Math.min(n, hello.bytes().length);
        relay.sendUp(ByteBuffer.wrap(chunk, sent, n - sent));
        relay.copyUp();
    }

    /// Recorded before it is dialled, carried, and recorded with what passed when it has ended.
    void carry(Fact fact, @Nullable String host, @Nullable String said, Way.Checked checked, Allow allow, int port, @Nullable RequestHead head, Carrier carrier) throws IOException {
        var more = sandbox.budgets().oneMore(allow);
        Budgets.Spent spent = more.spent();
        if (spent != null) {
            refuse(spent.told(fact.as(DENIED).bare()));
            return;
        }
        carryCounted(fact.by(more.by().rule()), host, said, checked, more.by(), port, head, carrier);
    }

    /// It is within its rates and budgets.
    void carryCounted(Fact fact, @Nullable String host, @Nullable String said, Way.Checked checked, Allow allow, int port, @Nullable RequestHead head, Carrier carrier) throws IOException {
        Failing failing = head == null || host == null ? failed -> reset() : failed -> PlainHttp.tell(inside, unreachable(failed, host).http1(head.method()));
        carried(fact, new Wanted(host, said, port, checked.addresses(), allow, head, null), failing, passing -> {
            var relay = new Relay(passing.link(), sandbox.spacious(), passing.by());
            relay.run(in -> carrier.carry(relay));
        });
    }

    /// What is about to be dialled.
    private record Wanted(@Nullable String host, @Nullable String said, int port, List<InetAddress> addresses, Allow allow, @Nullable RequestHead head, @Nullable Requests requests) {

        Passing over(Link link, Budgets budgets, String reached) {
            return new Passing(host, said, port, addresses, new Grounds(allow, budgets), head, requests, link, reached, System.nanoTime());
        }
    }

    private interface Carrying {
        void carry(Passing passing) throws IOException;
    }

    /// What the program is told of a host that could not be reached.
    private interface Failing {
        void tell(Fact failed) throws IOException;
    }

    private void carried(Fact fact, Wanted what, Failing failing, Carrying carrier) throws IOException {
        var head = what.head();
        var told = head == null ? sandbox.records().allowed(fact) : sandbox.records().request(fact.asked(head.method(), head.path()), fact);
        if (told == EgressRecords.Told.TOO_MANY) {
            refuse(fact.as(DENIED).bare().because("too-many"));
            return;
        }
        CheckedDialler.Dialled dialled;
        try {
            dialled = sandbox.way().dial(what.addresses(), what.port());
        } catch (IOException unreachable) {
            Fact failed = fact.as(FAILED).bare().with("upstream", true);
            Fact why = unreachable instanceof UpstreamProxy.NoTunnel refused ? failed.because("proxy").with("status", refused.status()) : failed;
            sandbox.records().refused(why);
            failing.tell(why);
            return;
        }
        try (SocketChannel outside = dialled.channel()) {
            Passing passing = what.over(new Link(inside, outside), sandbox.budgets(), dialled.address().getHostAddress());
            if (!sandbox.enter(passing, inside)) {
                refuse(fact.as(DENIED).bare().because("changed"));
                return;
            }
            try {
                carrier.carry(passing);
            } finally {
                try {
                    sandbox.closed(fact, passing, told);
                } finally {
                    sandbox.leave(passing);
                }
            }
        }
    }

    /// Sends up what the program says, over a relay.
    interface Carrier {
        void carry(Relay relay) throws IOException;
    }

    /// Recorded first; then the program sees a reset.
    void refuse(Fact fact) throws IOException {
        try {
            sandbox.records().refused(fact);
        } finally {
            reset();
        }
    }

    private void reset() throws IOException {
        if (inside.isOpen()) {
            inside.setOption(StandardSocketOptions.SO_LINGER, 0);
            inside.close();
        }
    }
}
