// SPDX-License-Identifier: Apache-2.0
package dev.redoma.gateway;

import dev.redoma.policy.AddressBlock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.AAAARecord;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Section;
import org.xbill.DNS.TextParseException;
import org.xbill.DNS.Type;

/// Asks the name servers that an operator named, one after the other until one answers, and nobody else: no file of hosts, no list of domains to try. Nothing is kept:
/// each look-up asks anew. An address stands for itself; `localhost` and what is below it is this host and is asked of nobody. Thread-safe.
public final class UpstreamResolver implements CheckedDialler.Resolver {
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(9);
    private static final long EACH = TimeUnit.SECONDS.toNanos(2);
    private static final int ROUNDS = 2;
    private static final int ALIASES = 8;
    /// More addresses than this no name has that means well.
    static final int MOST = 256;

    private final List<InetSocketAddress> servers;
    private final NameServerSockets sockets;

    public UpstreamResolver(List<InetSocketAddress> servers) {
        this(servers, NameServerSockets.OWN);
    }

    /// `sockets`: where questions begin, when it is not this process' own network.
    public UpstreamResolver(List<InetSocketAddress> servers, NameServerSockets sockets) {
        this.servers = List.copyOf(servers);
        this.sockets = sockets;
    }

    @Override
    public InetAddress[] resolve(String host) throws IOException {
        var literal = AddressBlock.address(host);
        if (literal.isPresent()) {
            return new InetAddress[] {literal.get()};
        }
        if (host.equals("localhost") || host.endsWith(".localhost")) {
            return new InetAddress[] {InetAddress.ofLiteral("127.0.0.1"), InetAddress.ofLiteral("::1")};
        }
        var found = both(name(host), System.nanoTime() + PATIENCE);
        if (found.isEmpty()) {
            throw new UnknownHostException(host);
        }
        if (found.size() > MOST) {
            throw new IOException(host + " has more than " + MOST + " addresses");
        }
        return found.toArray(InetAddress[]::new);
    }

    private static Name name(String host) throws UnknownHostException {
        try {
            return Name.fromString(host, Name.root);
        } catch (TextParseException none) {
            throw new UnknownHostException(host);
        }
    }

    /// A family that cannot be learned is left out where the other one can.
    private List<InetAddress> both(Name name, long deadline) throws IOException {
        var six = new FutureTask<>(family(name, Type.AAAA, deadline));
        Thread.ofVirtual().name("names-six").start(six);
        var found = new ArrayList<InetAddress>();
        IOException failed = null;
        try {
            found.addAll(family(name, Type.A, deadline).call());
        } catch (IOException e) {
            failed = e;
        } catch (Exception e) {
            throw new IOException(e);
        }
        try {
            found.addAll(six.get()); // ends with its deadline
        } catch (ExecutionException e) {
            failed = failed != null ? failed : e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
        if (found.isEmpty() && failed != null) {
            throw failed;
        }
        return found;
    }

    /// The addresses of one family, through aliases whose own addresses were not told with them.
    private Callable<List<InetAddress>> family(Name name, int type, long deadline) {
        return () -> {
            var asked = new HashSet<Name>();
            for (Name now = name; asked.add(now); ) {
                if (asked.size() > ALIASES) {
                    throw new IOException("more than " + ALIASES + " aliases of " + name);
                }
                var answer = ask(now, type, deadline);
                var addresses = new ArrayList<InetAddress>();
                Name next = read(answer, now, addresses);
                if (!addresses.isEmpty() || next == null) {
                    return addresses;
                }
                now = next;
            }
            throw new IOException("the aliases of " + name + " lead in a circle");
        };
    }

    /// Only what belongs to the question. Null: there is no alias whose addresses are still to be asked for.
    private static @Nullable Name read(Message answer, Name asked, List<InetAddress> addresses) {
        Name owner = asked;
        for (int hop = 0; hop <= ALIASES; hop++) {
            Name alias = null;
            for (var record : answer.getSection(Section.ANSWER)) {
                if (!record.getName().equals(owner)) {
                    continue;
                }
                switch (record) {
                    case ARecord a -> addresses.add(a.getAddress());
                    case AAAARecord a -> addresses.add(a.getAddress());
                    case CNAMERecord c -> alias = c.getTarget();
                    default -> { }
                }
            }
            if (alias == null) {
                break;
            }
            owner = alias;
        }
        return owner.equals(asked) ? null : owner;
    }

    /// That there is no such name is an answer; that a server refuses or fails is none.
    private Message ask(Name name, int type, long deadline) throws IOException {
        IOException failed = new IOException("no name server");
        for (int round = 0; round < ROUNDS; round++) {
            for (var server : servers) {
                long left = deadline - System.nanoTime();
                if (left <= 0) {
                    throw failed;
                }
                try {
                    var answer = new NameQuestion(name, type).ask(server, sockets, System.nanoTime() + Math.min(left, EACH));
                    int code = answer.getRcode();
                    if (code == Rcode.NOERROR || code == Rcode.NXDOMAIN) {
                        return answer;
                    }
                    failed = new IOException("the name server " + server.getAddress().getHostAddress() + " answers " + Rcode.string(code));
                } catch (IOException e) {
                    failed = e;
                }
            }
        }
        throw failed;
    }
}
