// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import dev.redoma.client.Command;
import dev.redoma.client.NewSandbox;
import dev.redoma.client.OutputSink;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/// Create, exec, destroy, eight at a time, beside a bare `runc run` loop at the same concurrency; afterwards the host is as before.
final class ChurnBench implements Bench {
    private static final int COUNT = Integer.getInteger("redoma.bench.churn", 1000);
    private static final int AT_A_TIME = 8;

    @Override
    public String name() {
        return "churn";
    }

    @Override
    public List<Figure> run(Rig rig) throws Exception {
        var bundle = RuncBundle.of(rig);
        once(rig);
        rig.awaitWarm();
        var before = HostCount.now(rig);
        double floor = rate(COUNT / 5, i -> bundle.runOnce("floor-" + i));
        double ours = rate(COUNT, i -> once(rig));
        rig.awaitWarm();
        var after = HostCount.awaitLike(before, rig);
        return List.of(
                new Figure("churn", "per s", Samples.of(ours), "runc run", floor, new Bar.AtLeast(1.2)),
                new Figure("churn.left", "things", Samples.of(after.more(before)), "before", 0, new Bar.Ceiling("nothing left: " + after.difference(before))));
    }

    private static void once(Rig rig) {
        try (var box = rig.client().create(NewSandbox.from("tiny"))) {
            var exec = box.execs().run(Command.of("/bin/noop"), OutputSink.NONE);
            if (!Integer.valueOf(0).equals(exec.exitCode())) {
                throw new IllegalStateException("exit code " + exec.exitCode());
            }
        }
    }

    private interface Work {
        void run(int i) throws Exception;
    }

    private static double rate(int count, Work work) throws Exception {
        var next = new AtomicInteger();
        try (var pool = Executors.newFixedThreadPool(AT_A_TIME)) {
            var workers = new ArrayList<Callable<Void>>();
            for (int w = 0; w < AT_A_TIME; w++) {
                workers.add(() -> {
                    for (int i; (i = next.getAndIncrement()) < count; ) {
                        work.run(i);
                    }
                    return null;
                });
            }
            long start = System.nanoTime();
            for (var done : pool.invokeAll(workers)) {
                done.get();
            }
            return count / ((System.nanoTime() - start) / 1e9);
        }
    }
}
