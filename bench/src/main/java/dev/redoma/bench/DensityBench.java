// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import dev.redoma.client.NewSandbox;
import dev.redoma.client.SandboxHandle;
import java.util.ArrayList;
import java.util.List;

/// 200 idle sandboxes: host memory of each, and what a create costs beside them.
final class DensityBench implements Bench {
    private static final int COUNT = 200;

    @Override
    public String name() {
        return "density";
    }

    @Override
    public List<Figure> run(Rig rig) throws Exception {
        CreateBench.createToFirstByte(rig, 10);
        var alone = CreateBench.createToFirstByte(rig, 30);
        rig.awaitWarm();
        long before = HostCount.usedMemory();
        var boxes = new ArrayList<SandboxHandle>();
        try {
            for (int i = 0; i < COUNT; i++) {
                boxes.add(rig.client().create(NewSandbox.from("tiny")));
            }
            rig.awaitWarm();
            double each = (HostCount.usedMemory() - before) / (double) COUNT / (1 << 20);
            var crowded = CreateBench.createToFirstByte(rig, 30);
            return List.of(
                    new Figure("density", "MiB", Samples.of(each), "ceiling", 4, new Bar.Ceiling("<= 4 MiB each")),
                    new Figure("density.create", "ms", crowded, "create.warm at 0", alone.p50(), new Bar.AtMost(1.5)));
        } finally {
            boxes.forEach(SandboxHandle::close);
        }
    }
}
