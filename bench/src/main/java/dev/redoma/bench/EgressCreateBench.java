// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import dev.redoma.client.NewSandbox;
import java.util.List;

/// `create.warm` under a policy that lets something out, beside the same under none, in turns.
final class EgressCreateBench implements Bench {
    private static final int WARM_UP = 60;
    private static final int ROUNDS = 60;

    @Override
    public String name() {
        return "egress.create";
    }

    @Override
    public List<Figure> run(Rig rig) throws Exception {
        var none = NewSandbox.from("tiny");
        var open = none.policy(GatewayMain.POLICY);
        CreateBench.createToFirstByte(rig, open, WARM_UP / 2);
        CreateBench.createToFirstByte(rig, none, WARM_UP / 2);
        var ours = new double[ROUNDS];
        var floor = new double[ROUNDS];
        for (int i = 0; i < ROUNDS; i++) {
            floor[i] = CreateBench.createToFirstByte(rig, none, 1).p50();
            ours[i] = CreateBench.createToFirstByte(rig, open, 1).p50();
        }
        return List.of(new Figure("egress.create", "ms", new Samples(ours), "create.warm under none", new Samples(floor).p50(), new Bar.AtMost(1.1)));
    }
}
