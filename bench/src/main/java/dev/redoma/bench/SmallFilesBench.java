// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import dev.redoma.client.Command;
import dev.redoma.client.NewSandbox;
import dev.redoma.client.OutputSink;
import java.util.List;

/// A snapshot by the shipped orders of a disk with many small files of text, each of which is read; beside reading them once.
final class SmallFilesBench implements Bench {
    private static final int FILES = 10_000;
    private static final int ROUNDS = 7;

    @Override
    public String name() {
        return "templates.small";
    }

    @Override
    public List<Figure> run(Rig rig) throws Exception {
        var ours = new double[ROUNDS];
        var floors = new double[ROUNDS];
        try (var box = rig.client().create(NewSandbox.from("tiny"))) {
            var made = box.execs().run(Command.of("sh", "-c", "mkdir /root/small; l='a line of text without anything to hide'; l=\"$l $l $l $l\"; i=0; while [ $i -lt " + FILES
                    + " ]; do i=$((i+1)); printf '%s\\n' \"$l\" \"$l\" \"$l\" \"$l\" > /root/small/$i; done"), OutputSink.NONE);
            if (made.exitCode() == null || made.exitCode() != 0) {
                throw new IllegalStateException("the files could not be made: " + made.state());
            }
            var disk = rig.place().find(box.id()).resolve("upper/root/small");
            for (int i = 0; i < ROUNDS; i++) {
                floors[i] = Commands.times(1, "sh", "-c", "grep -rlF nothing-like-it " + disk + "; true").p50();
                long start = System.nanoTime();
                var saved = box.snapshot(null);
                ours[i] = (System.nanoTime() - start) / 1e6;
                rig.client().snapshots().delete(saved.id());
            }
        }
        return List.of(new Figure("templates.small", "ms", new Samples(ours), "grep -r of them", new Samples(floors).p50(), new Bar.AtMost(10)));
    }
}
