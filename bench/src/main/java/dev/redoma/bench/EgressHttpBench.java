// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/// Requests a second over plain HTTP, 16 at a time, a connection each (the gateway lets one request pass on a connection of port 80), beside the same without a gateway. As many as one
/// sandbox may open at once: in the long run it is given 1,000 connections a second.
final class EgressHttpBench implements Bench {
    private static final int AT_A_TIME = 16;
    private static final int REQUESTS = 900;
    private static final int ROUNDS = 5;
    private static final String HOST = "known." + EgressLab.DOMAIN;

    @Override
    public String name() {
        return "egress.http";
    }

    @Override
    public List<Figure> run(Rig rig) throws Exception {
        try (var lab = new EgressLab(rig)) {
            var ours = new double[ROUNDS];
            var floor = new double[ROUNDS];
            for (int i = -3; i < ROUNDS; i++) {
                var sandbox = lab.sandbox();
                InetAddress address;
                try (var resolver = EgressLab.resolver(sandbox)) {
                    address = EgressLab.address(resolver, HOST);
                }
                double direct = rate(() -> lab.direct(EgressLab.HTTP));
                double through = rate(() -> EgressLab.through(sandbox, address, EgressLab.HTTP));
                if (i >= 0) {
                    floor[i] = direct;
                    ours[i] = through;
                }
            }
            return List.of(new Figure("egress.http", "per s", new Samples(ours), "without a gateway", new Samples(floor).p50(), new Bar.AtLeast(0.5)));
        }
    }

    private interface Connecting {
        SocketChannel connect() throws IOException;
    }

    private static double rate(Connecting connecting) throws Exception {
        var next = new AtomicInteger();
        try (var pool = Executors.newFixedThreadPool(AT_A_TIME)) {
            var workers = new ArrayList<Callable<Void>>();
            for (int w = 0; w < AT_A_TIME; w++) {
                workers.add(() -> {
                    while (next.getAndIncrement() < REQUESTS) {
                        try (var channel = connecting.connect()) {
                            new Talk(channel.socket().getInputStream(), channel.socket().getOutputStream()).get(HOST, "/100");
                        }
                    }
                    return null;
                });
            }
            long start = System.nanoTime();
            for (var done : pool.invokeAll(workers)) {
                done.get();
            }
            return REQUESTS / ((System.nanoTime() - start) / 1e9);
        }
    }
}
