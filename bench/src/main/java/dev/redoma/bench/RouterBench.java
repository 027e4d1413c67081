// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import dev.redoma.client.NewSandbox;
import dev.redoma.kernel.NetworkNamespace;
import dev.redoma.model.wire.ExposePort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.URI;
import java.nio.channels.SocketChannel;
import java.util.List;

/// A request to an app in a sandbox through the router, beside the same client and app without it, in the sandbox's network; and 256 MiB each way. The app is a
/// server of the bench's own that listens in there, so that no program's own speed is in the figures. Each request has a connection of the router's to the app; the client keeps its own.
final class RouterBench implements Bench {
    private static final InetSocketAddress APP = new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 8080);
    private static final long BYTES = 256L << 20;
    private static final int ROUNDS = 5;
    private static final int WARM_UP = 2000;
    private static final int REQUESTS = 1000;

    @Override
    public String name() {
        return "router";
    }

    @Override
    public List<Figure> run(Rig rig) throws Exception {
        try (var box = rig.client().create(NewSandbox.from("tiny"));
                var inside = NetworkNamespace.ofProcess(rig.place().initOf(box.id()).pid());
                var app = Origin.http(inside.serverSocket(), APP);
                var direct = inside.socket();
                var routed = SocketChannel.open()) {
            direct.connect(APP);
            var url = URI.create(rig.router());
            routed.connect(new InetSocketAddress(url.getHost(), url.getPort()));
            var near = talk(direct);
            var far = talk(routed);
            var token = box.expose(new ExposePort(APP.getPort(), null, null)).token();
            var host = "8080-" + box.id() + ".example.test\r\nRedoma-Preview-Token: " + token;
            return measured(near, far, host);
        }
    }

    private static List<Figure> measured(Talk near, Talk far, String host) throws IOException {
        for (int i = 0; i < WARM_UP; i++) {
            near.get(host, "/3");
            far.get(host, "/3");
        }
        var floor = new double[REQUESTS];
        var ours = new double[REQUESTS];
        for (int i = 0; i < REQUESTS; i++) {
            floor[i] = ms(() -> near.get(host, "/3"));
            ours[i] = ms(() -> far.get(host, "/3"));
        }
        var down = new double[ROUNDS];
        var up = new double[ROUNDS];
        var loopback = new double[ROUNDS];
        for (int i = -2; i < ROUNDS; i++) {
            double received = BYTES / ms(() -> far.get(host, "/" + BYTES)) * 1000 / (1 << 20);
            double sent = BYTES / ms(() -> far.put(host, "/", BYTES)) * 1000 / (1 << 20);
            double bare = Floors.loopback(BYTES) / (1 << 20);
            if (i >= 0) {
                down[i] = received;
                up[i] = sent;
                loopback[i] = bare;
            }
        }
        double bare = new Samples(loopback).p50();
        return List.of(
                new Figure("router.request", "ms", new Samples(ours), "without the router", new Samples(floor).p50(), new Bar.Added(1, "ms")),
                new Figure("router.down", "MiB/s", new Samples(down), "loopback", bare, new Bar.AtLeast(0.4)),
                new Figure("router.up", "MiB/s", new Samples(up), "loopback", bare, new Bar.AtLeast(0.4)));
    }

    private static Talk talk(SocketChannel channel) throws IOException {
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        return new Talk(channel.socket().getInputStream(), channel.socket().getOutputStream());
    }

    private interface Work {
        void run() throws IOException;
    }

    private static double ms(Work work) throws IOException {
        long start = System.nanoTime();
        work.run();
        return (System.nanoTime() - start) / 1e6;
    }
}
