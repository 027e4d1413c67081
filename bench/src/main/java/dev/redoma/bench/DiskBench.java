// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import dev.redoma.client.Command;
import dev.redoma.client.NewSandbox;
import dev.redoma.client.OutputSink;
import dev.redoma.client.SandboxHandle;
import java.util.ArrayList;
import java.util.List;

/// Snapshot and fork of a disk with 64 MiB changed, beside a bare `btrfs subvolume snapshot` of the same; and with 4 MiB, to show
/// that the amount does not matter.
final class DiskBench implements Bench {
    private static final int ROUNDS = 15;

    @Override
    public String name() {
        return "disk";
    }

    @Override
    public List<Figure> run(Rig rig) throws Exception {
        var figures = new ArrayList<Figure>();
        var few = measure(rig, 4);
        var many = measure(rig, 64);
        figures.add(new Figure("snapshot", "ms", many.snapshot, "btrfs snapshot", many.floor.p50(), new Bar.AtMost(5)));
        figures.add(new Figure("fork", "ms", many.fork, "btrfs snapshot", many.floor.p50(), new Bar.AtMost(5)));
        figures.add(new Figure("snapshot.amount", "ms", many.snapshot, "the same, 4 MiB", few.snapshot.p50(), new Bar.AtMost(1.5)));
        return figures;
    }

    private record Measured(Samples snapshot, Samples fork, Samples floor) {}

    private static Measured measure(Rig rig, int mebibytes) throws Exception {
        var snapshot = new double[ROUNDS];
        var fork = new double[ROUNDS];
        var floor = new double[ROUNDS];
        try (var box = rig.client().create(NewSandbox.from("tiny"))) {
            for (int i = 0; i < ROUNDS; i++) {
                change(box, mebibytes);
                floor[i] = rig.bareSnapshot(box.id());
                change(box, mebibytes);
                long start = System.nanoTime();
                var saved = box.snapshot(null);
                snapshot[i] = (System.nanoTime() - start) / 1e6;
                change(box, mebibytes);
                start = System.nanoTime();
                try (var copy = box.fork()) {
                    fork[i] = (System.nanoTime() - start) / 1e6;
                }
                rig.client().snapshots().delete(saved.id());
            }
        }
        return new Measured(new Samples(snapshot), new Samples(fork), new Samples(floor));
    }

    private static void change(SandboxHandle box, int mebibytes) {
        box.execs().run(Command.of("dd", "if=/dev/urandom", "of=/root/changed", "bs=1M", "count=" + mebibytes), OutputSink.NONE);
    }
}
