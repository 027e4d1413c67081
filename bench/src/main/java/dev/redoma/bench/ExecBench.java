// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import dev.redoma.client.Command;
import dev.redoma.client.NewSandbox;
import dev.redoma.client.OutputSink;
import java.util.List;

/// HTTP exec of a static no-op until its exit is seen, by a server in service; two durable commits included.
final class ExecBench implements Bench {
    private static final int COUNT = 300;

    @Override
    public String name() {
        return "exec";
    }

    @Override
    public List<Figure> run(Rig rig) throws Exception {
        try (var box = rig.client().create(NewSandbox.from("tiny"))) {
            var noop = Command.of("/bin/noop");
            WarmUp.until(() -> box.execs().run(noop, OutputSink.NONE));
            var spawn = rig.floors().spawn(COUNT);
            var times = new double[COUNT];
            for (int i = 0; i < COUNT; i++) {
                long start = System.nanoTime();
                box.execs().run(noop, OutputSink.NONE);
                times[i] = (System.nanoTime() - start) / 1e6;
            }
            return List.of(new Figure("exec", "ms", new Samples(times), "spawn", spawn.p50(), new Bar.AtMost(2.5)));
        }
    }
}
