// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.channels.SocketChannel;
import java.security.GeneralSecurityException;
import java.util.List;

/// Opaque TLS through the gateway, beside the same without one: a connection with its handshake, a request and its answer; one stream; and the gateway's memory over 1 GiB (`-Dredoma.bench.egress.mib=4096`: over 4).
/// Of a gateway in service; after its first ones alone (`egress.tls.early`), both ends and the gateway are still being compiled, on the same cores.
/// Each connection goes to another name (`egress.tls.connect`: durably on record before it is dialled) or to one that was just reached (`egress.tls.again`: counted).
final class EgressTlsBench implements Bench {
    private static final int FIRST = 150;
    private static final int IN_SERVICE = 1400;
    private static final int CONNECTIONS = 200;
    private static final int ROUNDS = 5;
    private static final long BYTES = 256L << 20;
    private static final long LONG = Long.getLong("redoma.bench.egress.mib", 1024) << 20;

    @Override
    public String name() {
        return "egress.tls";
    }

    @Override
    public List<Figure> run(Rig rig) throws Exception {
        try (var lab = new EgressLab(rig)) {
            var known = lab.sandbox();
            connections(lab, known, FIRST, i -> "known");
            var early = connections(lab, known, CONNECTIONS, i -> "known");
            connections(lab, known, IN_SERVICE / 2, i -> "known");
            connections(lab, lab.sandbox(), CONNECTIONS, i -> "name" + i);
            connections(lab, known, IN_SERVICE / 2, i -> "known");
            var again = connections(lab, known, CONNECTIONS, i -> "known");
            var others = connections(lab, lab.sandbox(), CONNECTIONS, i -> "name" + i);
            var ours = new double[ROUNDS];
            var floor = new double[ROUNDS];
            for (int i = -2; i < ROUNDS; i++) {
                double direct = stream(lab, lab.direct(EgressLab.TLS), BYTES);
                double through = stream(lab, to(known, "known"), BYTES);
                if (i >= 0) {
                    floor[i] = direct;
                    ours[i] = through;
                }
            }
            return List.of(others.figure("egress.tls.connect"), again.figure("egress.tls.again"), early.figure("egress.tls.early"),
                    new Figure("egress.tls.stream", "MiB/s", new Samples(ours), "without a gateway", new Samples(floor).p50(), new Bar.AtLeast(0.5)),
                    memory(lab, known));
        }
    }

    private record Pair(Samples ours, Samples floor) {
        Figure figure(String name) {
            return new Figure(name, "ms", ours, "without a gateway", floor.p50(), new Bar.Added(2, "ms"));
        }
    }

    private static Pair connections(EgressLab lab, Network sandbox, int count, java.util.function.IntFunction<String> names) throws IOException, GeneralSecurityException {
        var ours = new double[count];
        var floor = new double[count];
        try (var resolver = EgressLab.resolver(sandbox)) {
            var addresses = new InetAddress[count];
            for (int i = 0; i < count; i++) {
                String name = names.apply(i) + "." + EgressLab.DOMAIN;
                if (i == 0 || !names.apply(i).equals(names.apply(i - 1))) {
                    addresses[i] = EgressLab.address(resolver, name);
                    Thread.sleep(i % 50 == 0 ? 1000 : 0); // as many records a second as one sandbox is given
                } else {
                    addresses[i] = addresses[i - 1];
                }
                var to = addresses[i];
                floor[i] = connection(lab, name, () -> lab.direct(EgressLab.TLS));
                ours[i] = connection(lab, name, () -> EgressLab.through(sandbox, to, EgressLab.TLS));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
        return new Pair(new Samples(ours), new Samples(floor));
    }

    private interface Connecting {
        SocketChannel connect() throws IOException;
    }

    private static double connection(EgressLab lab, String name, Connecting connecting) throws IOException, GeneralSecurityException {
        var client = lab.tls.client();
        long start = System.nanoTime();
        try (var socket = TlsTalk.connected(client, connecting.connect(), name)) {
            new Talk(socket.getInputStream(), socket.getOutputStream()).get(name, "/1");
            return (System.nanoTime() - start) / 1e6;
        }
    }

    private static SocketChannel to(Network sandbox, String name) throws IOException {
        try (var resolver = EgressLab.resolver(sandbox)) {
            return EgressLab.through(sandbox, EgressLab.address(resolver, name + "." + EgressLab.DOMAIN), EgressLab.TLS);
        }
    }

    private static double stream(EgressLab lab, SocketChannel channel, long bytes) throws IOException, GeneralSecurityException {
        var name = "known." + EgressLab.DOMAIN;
        try (var socket = TlsTalk.connected(lab.tls.client(), channel, name)) {
            var talk = new Talk(socket.getInputStream(), socket.getOutputStream());
            long start = System.nanoTime();
            talk.get(name, "/" + bytes);
            return bytes / ((System.nanoTime() - start) / 1e9) / (1 << 20);
        }
    }

    /// What the gateway's process grows by while a long stream passes, after some of the same.
    private static Figure memory(EgressLab lab, Network sandbox) throws IOException, GeneralSecurityException {
        long before = ProcFiles.rssBytes(lab.gateway.pid());
        stream(lab, to(sandbox, "known"), LONG);
        double grown = (ProcFiles.rssBytes(lab.gateway.pid()) - before) / 1048576.0;
        return new Figure("egress.tls.memory", "MiB", Samples.of(grown), "ceiling", 16, new Bar.Ceiling("<= 16 MiB over " + (LONG >> 20) + " MiB"));
    }
}
