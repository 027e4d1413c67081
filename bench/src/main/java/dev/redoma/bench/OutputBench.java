// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import dev.redoma.client.Command;
import dev.redoma.client.NewSandbox;
import dev.redoma.client.OutputSink;
import dev.redoma.client.SandboxHandle;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/// 200 MiB of stdout streamed to a client: zeros, which are no text and are not looked through for tokens, and lines of a log, which are. The command writes 64 KiB at a time: one that makes its output byte by byte (`head -c` of busybox
/// does, at 170 MiB/s into /dev/null on the machine of SPECIFICATION.md) would measure itself.
final class OutputBench implements Bench {
    private static final long BYTES = 200L << 20;
    private static final int BLOCK = 64 << 10;
    private static final int LOG = 8 << 20;
    private static final int WARM_UP = 5;

    @Override
    public String name() {
        return "output";
    }

    @Override
    public List<Figure> run(Rig rig) throws Exception {
        try (var box = rig.client().create(NewSandbox.from("tiny"))) {
            box.files().write("/tmp/log", log(), null);
            return List.of(figure("output", box, List.of("dd", "if=/dev/zero", "bs=" + BLOCK, "count=" + BYTES / BLOCK)),
                    figure("output.text", box, List.of("sh", "-c", "i=0; while [ $i -lt " + BYTES / LOG + " ]; do dd if=/tmp/log bs=" + BLOCK + "; i=$((i+1)); done")));
        }
    }

    private static byte[] log() {
        var random = new Random(1);
        var log = new StringBuilder();
        while (log.length() < LOG) {
            log.append("2026-01-01T00:00:00Z INFO [worker-").append(random.nextInt(99)).append("] compiled the classes of module ").append(random.nextInt(9999)).append(" in ")
                    .append(random.nextInt(900)).append(" ms, nothing to do for src/main/java/example/Type").append(random.nextInt(9999)).append(".java\n");
        }
        return log.substring(0, LOG).getBytes(StandardCharsets.US_ASCII);
    }

    private static Figure figure(String name, SandboxHandle box, List<String> command) throws Exception {
        var rates = new double[5];
        var floors = new double[rates.length];
        for (int i = -WARM_UP; i < rates.length; i++) {
            double rate = stream(box, command);
            if (i >= 0) {
                rates[i] = rate;
                floors[i] = Floors.loopback(BYTES) / (1 << 20);
            }
        }
        return new Figure(name, "MiB/s", new Samples(rates), "loopback", new Samples(floors).p50(), new Bar.AtLeast(0.3));
    }

    private static double stream(SandboxHandle box, List<String> command) {
        var got = new AtomicLong();
        long start = System.nanoTime();
        box.execs().run(Command.of(command).outputLimit(1L << 30), new OutputSink() {
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
