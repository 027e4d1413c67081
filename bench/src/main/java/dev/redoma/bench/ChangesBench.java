// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import dev.redoma.client.Command;
import dev.redoma.client.NewSandbox;
import dev.redoma.client.OutputSink;
import dev.redoma.client.SandboxHandle;
import java.util.List;

/// The change set of a workspace in which 10,000 files changed, as the client gets it, beside `find` of these files and reading them on the host.
final class ChangesBench implements Bench {
    private static final int ROUNDS = 7;
    private static final int FILES = 10_000;

    @Override
    public String name() {
        return "ledger.changes";
    }

    @Override
    public List<Figure> run(Rig rig) throws Exception {
        return List.of(changes(rig));
    }

    static Figure changes(Rig rig) throws Exception {
        var ours = new double[ROUNDS];
        var floor = new double[ROUNDS];
        try (var box = rig.client().create(NewSandbox.from("tiny"))) {
            sh(box, "mkdir -p /root/w && cd /root/w && for d in 0 1 2 3 4 5 6 7 8 9; do mkdir $d; i=0; while [ $i -lt 1000 ]; do echo $i > $d/$i; i=$((i+1)); done; done");
            box.review().start("/root/w");
            sh(box, "cd /root/w && for f in */*; do echo changed >> $f; done");
            var changed = rig.disk(box.id()).resolve("upper/root/w").toString();
            for (int i = -1; i < ROUNDS; i++) {
                long start = System.nanoTime();
                var set = box.review().changes("workspace");
                double took = (System.nanoTime() - start) / 1e6;
                if (set.items().size() != FILES || !set.complete()) {
                    throw new IllegalStateException("the change set has " + set.items().size() + " entries");
                }
                double read = Commands.once("sh", "-c", "find " + changed + " -type f -print0 | xargs -0 cat > /dev/null");
                if (i >= 0) {
                    ours[i] = took;
                    floor[i] = read;
                }
            }
        }
        return new Figure("changes", "ms", new Samples(ours), "find + cat", new Samples(floor).p50(), new Bar.AtMost(2));
    }

    private static void sh(SandboxHandle box, String script) {
        box.execs().run(Command.of("sh", "-c", script), OutputSink.NONE);
    }
}
