// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.channels.SocketChannel;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLContext;

/// TLS that the gateway ends and begins again: requests a second over 16 kept connections of HTTP/1.1, beside the same without a gateway, by a gateway that has just been started
/// (`egress.intercepted.early`: it and both ends are still being compiled, the ends less, for they have carried what went without it as well) and by one that has been in service for a
/// while, as a server's has for weeks (`egress.intercepted`); and a connection with its
/// handshake and a request to a name for which a certificate is made, beside one to a name that has its own already (`egress.intercepted.first`: the durable record of the new name and
/// the origin's first handshake are in it too). The certificate alone is `egress.leaf`.
final class EgressInterceptedBench implements Bench {
    private static final int CONNECTIONS = 16;
    private static final int REQUESTS = 250;
    private static final int ROUNDS = 5;
    /// So many rounds of each before the time runs.
    private static final int EARLY = 4;
    private static final int LONG = 16;
    private static final int NAMES = 100;

    @Override
    public String name() {
        return "egress.intercepted";
    }

    @Override
    public List<Figure> run(Rig rig) throws Exception {
        try (var lab = new EgressLab(rig)) {
            var sandbox = lab.sandbox();
            var client = TlsTalk.credulous();
            var known = address(sandbox, "known");
            var early = kept("egress.intercepted.early", EARLY, client, lab, sandbox, known);
            var again = kept("egress.intercepted", LONG - EARLY - ROUNDS, client, lab, sandbox, known);
            return List.of(early, again, first(sandbox, known));
        }
    }

    /// In turn, so that what else happens on the machine meets both.
    private static Figure kept(String name, int before, SSLContext client, EgressLab lab, Network sandbox, InetAddress known) throws Exception {
        var ours = new double[ROUNDS];
        var floor = new double[ROUNDS];
        for (int i = -before; i < ROUNDS; i++) {
            double direct = rate(client, () -> lab.direct(EgressLab.INTERCEPTED));
            double through = rate(client, () -> EgressLab.through(sandbox, known, EgressLab.INTERCEPTED));
            if (i >= 0) {
                floor[i] = direct;
                ours[i] = through;
            }
        }
        return new Figure(name, "per s", new Samples(ours), "without a gateway", new Samples(floor).p50(), new Bar.AtLeast(0.5));
    }

    private interface Connecting {
        SocketChannel connect() throws IOException;
    }

    /// The connections stand before the time runs.
    private static double rate(SSLContext client, Connecting connecting) throws Exception {
        var sockets = new ArrayList<AutoCloseable>();
        try (var pool = Executors.newFixedThreadPool(CONNECTIONS)) {
            var workers = new ArrayList<Callable<Void>>();
            for (int c = 0; c < CONNECTIONS; c++) {
                var socket = TlsTalk.connected(client, connecting.connect(), host("known"));
                sockets.add(socket);
                var talk = new Talk(socket.getInputStream(), socket.getOutputStream());
                talk.get(authority("known"), "/100");
                workers.add(() -> {
                    for (int i = 0; i < REQUESTS; i++) {
                        talk.get(authority("known"), "/100");
                    }
                    return null;
                });
            }
            long start = System.nanoTime();
            for (var done : pool.invokeAll(workers)) {
                done.get();
            }
            return CONNECTIONS * REQUESTS / ((System.nanoTime() - start) / 1e9);
        } finally {
            for (var socket : sockets) {
                socket.close();
            }
        }
    }

    private static Figure first(Network sandbox, InetAddress known) throws IOException, GeneralSecurityException, InterruptedException {
        var ours = new double[NAMES];
        var floor = new double[NAMES];
        for (int i = -NAMES / 2; i < NAMES; i++) {
            String name = i < 0 ? "warm" + -i : "fresh" + i;
            var address = address(sandbox, name);
            double again = connection(sandbox, known, "known");
            double fresh = connection(sandbox, address, name);
            if (i >= 0) {
                floor[i] = again;
                ours[i] = fresh;
            }
            Thread.sleep(20); // as many records a second as one sandbox is given
        }
        return new Figure("egress.intercepted.first", "ms", new Samples(ours), "a name that has one", new Samples(floor).p50(), new Bar.Added(2, "ms"));
    }

    private static double connection(Network sandbox, InetAddress address, String name) throws IOException, GeneralSecurityException {
        var client = TlsTalk.credulous(); // one that has met nobody yet
        long start = System.nanoTime();
        try (var socket = TlsTalk.connected(client, EgressLab.through(sandbox, address, EgressLab.INTERCEPTED), host(name))) {
            new Talk(socket.getInputStream(), socket.getOutputStream()).get(authority(name), "/1");
            return (System.nanoTime() - start) / 1e6;
        }
    }

    private static InetAddress address(Network sandbox, String name) throws IOException {
        try (var resolver = EgressLab.resolver(sandbox)) {
            return EgressLab.address(resolver, host(name));
        }
    }

    private static String host(String name) {
        return name + "." + EgressLab.DOMAIN;
    }

    private static String authority(String name) {
        return host(name) + ":" + EgressLab.INTERCEPTED;
    }
}
