// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import dev.redoma.model.wire.Build;
import dev.redoma.model.wire.StartBuild;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;

/// A recipe of twenty steps, all of them cached: a step of it, from the request to the end of the log, beside what was promised; and a step that is
/// done anew.
final class RecipeBench implements Bench {
    private static final int STEPS = 20;
    private static final int ROUNDS = 10;
    private static final double MOST = 50;

    @Override
    public String name() {
        return "templates.recipe";
    }

    @Override
    public List<Figure> run(Rig rig) throws Exception {
        var recipe = new StringBuilder("FROM tiny\n");
        for (int i = 0; i < STEPS; i++) {
            recipe.append("RUN echo ").append(i).append(" > /step").append(i).append('\n');
        }
        long start = System.nanoTime();
        build(rig, recipe.toString(), 0);
        double made = (System.nanoTime() - start) / 1e6 / STEPS;
        var cached = new double[ROUNDS];
        for (int i = 0; i < ROUNDS; i++) {
            start = System.nanoTime();
            build(rig, recipe.toString(), STEPS);
            cached[i] = (System.nanoTime() - start) / 1e6 / STEPS;
        }
        return List.of(new Figure("templates.recipe.cached", "ms", new Samples(cached), "a step, as promised", MOST, new Bar.Ceiling("p50 <= 50 ms a step")),
                new Figure("templates.recipe.made", "ms", new Samples(new double[] {made}), "none", made, new Bar.Ceiling("no bar")));
    }

    private static void build(Rig rig, String recipe, int cached) throws Exception {
        var builds = rig.client().builds();
        Build build = builds.follow(builds.start("benched", new StartBuild(null, recipe, null, Map.of(), null, null)).id(), OutputStream.nullOutputStream());
        if (!build.state().equals("ready") || build.cached() != cached) {
            throw new IllegalStateException("unexpected: " + build);
        }
    }
}
