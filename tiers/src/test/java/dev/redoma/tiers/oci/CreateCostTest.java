// SPDX-License-Identifier: Apache-2.0
package dev.redoma.tiers.oci;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redoma.engine.Instance;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/// What `create` costs beside a bare `runc run` of the same bundle, taken in turns in the same run.
@Tag("long")
class CreateCostTest {
    private static final int ROUNDS = Integer.getInteger("redoma.rounds", 40);

    @Test
    void createCostsAtMostSixTenthsOfABareRuncRun() throws Exception {
        try (var host = new Host()) {
            var bare = bareBundle(host);
            var ours = new ArrayList<Double>();
            var runc = new ArrayList<Double>();
            var removal = new ArrayList<Double>();
            for (int i = -8; i < ROUNDS; i++) {
                var spec = host.spec();
                var box = new Instance[1];
                double a = millis(() -> box[0] = host.tier.create(spec));
                double r = millis(() -> box[0].kill());
                double b = millis(() -> assertThat(Spawn.run(List.of("/usr/sbin/runc", "--root=" + host.dir.resolve("state"), "run", "--bundle=" + bare, host.installation)).code()).isZero());
                if (i >= 0) {
                    ours.add(a);
                    removal.add(r);
                    runc.add(b);
                }
            }
            System.out.printf("create p50 %.1f p90 %.1f ms, kill p50 %.1f ms, runc run p50 %.1f p90 %.1f ms, ratio %.2f%n",
                    at(ours, .5), at(ours, .9), at(removal, .5), at(runc, .5), at(runc, .9), at(ours, .5) / at(runc, .5));
            assertThat(at(ours, .5)).isLessThanOrEqualTo(0.6 * at(runc, .5));
        }
    }

    private static double at(List<Double> values, double share) {
        Collections.sort(values);
        return values.get((int) (values.size() * share));
    }

    private interface Step {
        void run() throws Exception;
    }

    private static double millis(Step step) throws Exception {
        long start = System.nanoTime();
        step.run();
        return (System.nanoTime() - start) / 1e6;
    }

    /// The bundle that instances get, with host paths for those of the launcher's namespace, and a network namespace of runc's making.
    @SuppressWarnings("unchecked")
    private static Path bareBundle(Host host) throws Exception {
        var spec = host.spec();
        var bundle = Files.createDirectory(host.dir.resolve("bare"));
        var root = Files.createDirectory(bundle.resolve("root"));
        Files.setAttribute(root, "unix:uid", (int) spec.range().base());
        new Bundle(bundle.resolve("b")).write(spec, Map.of(), List.of(0));
        var noop = host.config().launcher().resolveSibling("noop");
        var mapper = new JsonMapper();
        var text = mapper.writeValueAsString(RuntimeConfig.of(spec, List.of(), "/" + host.config().parentGroup() + "/bare", false, List.of()))
                .replace("/run/root", root.toString())
                .replace("/run/b/", bundle.resolve("b") + "/")
                .replace("\"/run/channel\"", "\"" + spec.channelDir() + "\"")
                .replace("\"/run/guest\"", "\"" + noop + "\"");
        var config = mapper.readValue(text, Map.class);
        config.remove("hooks");
        var namespaces = (List<Object>) ((Map<String, Object>) config.get("linux")).get("namespaces");
        namespaces.set(0, Map.of("type", "user"));
        namespaces.add(Map.of("type", "network"));
        ((Map<String, Object>) config.get("linux")).put("resources", Map.of("memory", Map.of("limit", 128 << 20), "pids", Map.of("limit", 64)));
        Files.writeString(bundle.resolve("config.json"), mapper.writeValueAsString(config));
        return bundle;
    }
}
