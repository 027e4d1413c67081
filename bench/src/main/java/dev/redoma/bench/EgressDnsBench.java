// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.List;

/// A question for a name and its answer: of one that is known, and of one that is new (its address is written down and on record before it is told). The floor is a datagram that
/// somebody in the same network sends back.
final class EgressDnsBench implements Bench {
    private static final int WARM_UP = 6;
    private static final int QUESTIONS = 200;
    private static final int FLOOR_PORT = 5300;

    @Override
    public String name() {
        return "egress.dns";
    }

    @Override
    public List<Figure> run(Rig rig) throws Exception {
        try (var lab = new EgressLab(rig)) {
            for (int i = 0; i < WARM_UP; i++) {
                asked(lab.sandbox(), true);
                asked(lab.sandbox(), false);
            }
            var known = asked(lab.sandbox(), false);
            var sandbox = lab.sandbox();
            var fresh = asked(sandbox, true);
            double floor = echoed(sandbox).p50();
            return List.of(new Figure("egress.dns", "ms", known, "datagram and back", floor, new Bar.Within(1, "ms")),
                    new Figure("egress.dns.new", "ms", fresh, "datagram and back", floor, new Bar.Within(1, "ms")));
        }
    }

    /// Few enough for what one sandbox may ask at once.
    private static Samples asked(Network sandbox, boolean others) throws IOException {
        var times = new double[QUESTIONS];
        try (var resolver = EgressLab.resolver(sandbox)) {
            EgressLab.address(resolver, "known." + EgressLab.DOMAIN);
            for (int i = 0; i < QUESTIONS; i++) {
                var name = (others ? "n" + i : "known") + "." + EgressLab.DOMAIN;
                long start = System.nanoTime();
                EgressLab.address(resolver, name);
                times[i] = (System.nanoTime() - start) / 1e6;
            }
        }
        return new Samples(times);
    }

    private static Samples echoed(Network sandbox) throws IOException {
        var at = new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), FLOOR_PORT);
        var times = new double[QUESTIONS];
        try (var echo = sandbox.namespace().datagram(StandardProtocolFamily.INET); var channel = sandbox.namespace().datagram(StandardProtocolFamily.INET)) {
            echo.bind(at);
            Thread.ofPlatform().daemon().start(() -> echo(echo));
            channel.connect(at);
            for (int i = -QUESTIONS; i < QUESTIONS; i++) {
                long start = System.nanoTime();
                channel.write(ByteBuffer.allocate(64));
                channel.read(ByteBuffer.allocate(64));
                if (i >= 0) {
                    times[i] = (System.nanoTime() - start) / 1e6;
                }
            }
        }
        return new Samples(times);
    }

    private static void echo(DatagramChannel channel) {
        var buffer = ByteBuffer.allocate(1500);
        try {
            while (true) {
                var from = channel.receive(buffer.clear());
                channel.send(buffer.flip(), from);
            }
        } catch (IOException closed) {
            // that ends it
        }
    }
}
