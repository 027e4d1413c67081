// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.wire.Limits;
import dev.redoma.model.wire.TemplateRef;
import dev.redoma.policy.PolicyStack;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/// Makes the sandboxes in which steps run: on the layers so far, without network, with nothing of a sandbox's own in their files. They
/// are sandboxes of the caller's tenant like others, known by a label.
final class StepBoxes {
    static final String LABEL = "redoma-build";
    private static final Duration SPARE = Duration.ofMinutes(5);

    private final Core core;
    private final Commands commands;
    private final Creation creation;
    private final Ending ending;
    private final LimitRules limits;

    StepBoxes(Core core, Commands commands, Creation creation, Ending ending, LimitRules limits) {
        this.core = core;
        this.commands = commands;
        this.creation = creation;
        this.ending = ending;
        this.limits = limits;
    }

    private static final PolicyStack NOTHING = new PolicyStack("none", List.of());

    StepBox open(BuildOrder order, List<LayerRef> layers) {
        var source = new Source(new TemplateRef(order.row().template(), StepKey.stack(layers)), layers, TemplateConfig.NONE);
        Tier tier = core.tiers().choose(null);
        var plan = new Plan(source, tier, TierChoice.facts(tier), null, Map.of(LABEL, order.id().value()), Map.of(), ofStep(), "sudo", NOTHING, "creator",
                "kill", false, null, List.of(), List.of(), null, List.of(), null);
        return new StepBox(core, commands, ending, order, creation.bare(order.caller(), plan));
    }

    /// The server's defaults, but for time.
    private Limits ofStep() {
        long life = core.config().building().step().plus(SPARE).toMillis();
        var d = limits.fill(null);
        return new Limits(d.cpu(), d.memoryBytes(), d.diskBytes(), d.pids(), d.openFiles(), d.shmBytes(), d.ioBytesPerSecond(), life, life);
    }
}
