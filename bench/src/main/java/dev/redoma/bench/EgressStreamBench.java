// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.List;

/// One stream whose bytes neither end works on, each way, through the gateway and without one: what carrying alone costs.
final class EgressStreamBench implements Bench {
    private static final String NAME = "known." + EgressLab.DOMAIN;
    private static final int ROUNDS = 5;
    private static final long BYTES = 256L << 20;

    @Override
    public String name() {
        return "egress.stream";
    }

    @Override
    public List<Figure> run(Rig rig) throws Exception {
        try (var lab = new EgressLab(rig)) {
            var sandbox = lab.sandbox();
            var address = EgressLab.address(EgressLab.resolver(sandbox), NAME);
            var down = new double[2][ROUNDS];
            var up = new double[2][ROUNDS];
            for (int i = -3; i < ROUNDS; i++) {
                for (int ours = 0; ours < 2; ours++) {
                    try (var channel = ours == 0 ? lab.direct(EgressLab.BYTES) : EgressLab.through(sandbox, address, EgressLab.BYTES)) {
                        double received = rate(channel, talk -> talk.get(NAME, "/" + BYTES));
                        double sent = rate(channel, talk -> talk.put(NAME, "/", BYTES));
                        if (i >= 0) {
                            down[ours][i] = received;
                            up[ours][i] = sent;
                        }
                    }
                }
            }
            return List.of(figure("egress.stream.down", down), figure("egress.stream.up", up));
        }
    }

    private static Figure figure(String name, double[][] rates) {
        return new Figure(name, "MiB/s", new Samples(rates[1]), "without a gateway", new Samples(rates[0]).p50(), new Bar.AtLeast(0.5));
    }

    private interface Moving {
        void move(Talk talk) throws IOException;
    }

    private static double rate(SocketChannel channel, Moving moving) throws IOException {
        var talk = new Talk(channel.socket().getInputStream(), channel.socket().getOutputStream());
        long start = System.nanoTime();
        moving.move(talk);
        return BYTES / ((System.nanoTime() - start) / 1e9) / (1 << 20);
    }
}
