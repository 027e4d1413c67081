// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import dev.redoma.client.Command;
import dev.redoma.client.NewSandbox;
import dev.redoma.client.OutputSink;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;

/// HTTP create to the first byte of the first exec's output: with a warm pool, and without.
final class CreateBench implements Bench {
    private static final int WARM_UP = 60;
    private static final int WARM = 60;
    private static final int COLD = 30;

    @Override
    public String name() {
        return "create";
    }

    @Override
    public List<Figure> run(Rig rig) throws Exception {
        var figures = new ArrayList<Figure>();
        var nsspawn = rig.floors().namespacedSpawn(200);
        createToFirstByte(rig, WARM_UP);
        figures.add(new Figure("create.warm", "ms", createToFirstByte(rig, WARM), "namespaced spawn", nsspawn.p50(), new Bar.AtMostTail(2.5, 8)));
        try (var cold = Rig.start("bench-cold", RigOptions.standard().withoutWarmPool())) {
            cold.importTiny();
            createToFirstByte(cold, 5);
            var runc = RuncBundle.of(cold).times(COLD);
            figures.add(new Figure("create.cold", "ms", createToFirstByte(cold, COLD), "runc run", runc.p50(), new Bar.AtMost(0.9)));
        }
        return figures;
    }

    /// Between two creates the pool gets time to refill: what is measured is a claim, not a race with the refill.
    static Samples createToFirstByte(Rig rig, int count) throws Exception {
        return createToFirstByte(rig, NewSandbox.from("tiny"), count);
    }

    static Samples createToFirstByte(Rig rig, NewSandbox what, int count) throws Exception {
        var times = new double[count];
        for (int i = 0; i < count; i++) {
            rig.awaitWarm();
            long start = System.nanoTime();
            try (var box = rig.client().create(what)) {
                var first = new FirstByte();
                box.execs().run(Command.of("/bin/echo", "x"), OutputSink.to(first, OutputStream.nullOutputStream()));
                times[i] = (first.at() - start) / 1e6;
            }
        }
        return new Samples(times);
    }

    /// When the first byte came.
    private static final class FirstByte extends OutputStream {
        private long at;

        @Override
        public void write(int b) {
            if (at == 0) {
                at = System.nanoTime();
            }
        }

        long at() {
            if (at == 0) {
                throw new IllegalStateException("no output came");
            }
            return at;
        }
    }
}
