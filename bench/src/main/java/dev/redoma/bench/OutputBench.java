// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import dev.redoma.client.Command;
import dev.redoma.client.NewSandbox;
import dev.redoma.client.OutputSink;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/// 200 MiB of stdout streamed to a client. The command writes 64 KiB at a time: one that makes its output byte by byte (`head -c` of busybox
/// does, at 170 MiB/s into /dev/null on the machine of SPECIFICATION.md) would measure itself.
final class OutputBench implements Bench {
    private static final long BYTES = 200L << 20;
    private static final int BLOCK = 64 << 10;
    private static final int WARM_UP = 5;

    @Override
    public String name() {
        return "output";
    }

    @Override
    public List<Figure> run(Rig rig) throws Exception {
        try (var box = rig.client().create(NewSandbox.from("tiny"))) {
            var rates = new double[5];
            var floors = new double[rates.length];
            for (int i = -WARM_UP; i < rates.length; i++) {
                double rate = stream(box);
                if (i >= 0) {
                    rates[i] = rate;
                    floors[i] = Floors.loopback(BYTES) / (1 << 20);
                }
            }
            return List.of(new Figure("output", "MiB/s", new Samples(rates), "loopback", new Samples(floors).p50(), new Bar.AtLeast(0.3)));
        }
    }

    private static double stream(dev.redoma.client.SandboxHandle box) {
        var got = new AtomicLong();
        long start = System.nanoTime();
        box.execs().run(Command.of("dd", "if=/dev/zero", "bs=" + BLOCK, "count=" + BYTES / BLOCK).outputLimit(1L << 30), new OutputSink() {
            @Override
            public void stdout(byte[] bytes, int off, int len) {
                got.addAndGet(len);
            }

            @Override
            public void stderr(byte[] bytes, int off, int len) {}
        });
        if (got.get() != BYTES) {
            throw new IllegalStateException("streamed " + got + " of " + BYTES + " bytes");
        }
        return BYTES / ((System.nanoTime() - start) / 1e9) / (1 << 20);
    }
}
