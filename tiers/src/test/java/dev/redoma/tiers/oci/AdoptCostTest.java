// SPDX-License-Identifier: Apache-2.0
package dev.redoma.tiers.oci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.redoma.model.ExecId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What a group of its own costs an exec.
@Tag("long")
class AdoptCostTest {
    @Test
    void aGroupForAnExecCostsLessThanHalfASpawn() throws Exception {
        try (var host = new Host()) {
            var box = host.start("i=0; while [ $i -lt 50 ]; do sleep 900 & i=$((i+1)); done");
            var init = ProcessHandle.of(box.ref().pid()).orElseThrow();
            await().atMost(java.time.Duration.ofSeconds(30)).until(() -> init.children().count() == 50);
            var millis = new ArrayList<Double>();
            var spawns = new ArrayList<Double>();
            var noop = List.of(host.config().launcher().resolveSibling("noop").toString());
            for (var child : init.children().toList()) {
                Thread.sleep(20);
                long start = System.nanoTime();
                box.adopt(ExecId.mint(), (int) child.pid());
                millis.add((System.nanoTime() - start) / 1e6);
                start = System.nanoTime();
                Spawn.run(noop);
                spawns.add((System.nanoTime() - start) / 1e6);
            }
            // The first half warms up.
            millis.subList(0, 25).clear();
            spawns.subList(0, 25).clear();
            Collections.sort(millis);
            Collections.sort(spawns);
            System.out.printf("adopt p10 %.2f p50 %.2f p90 %.2f, spawn p50 %.2f ms%n", millis.get(2), millis.get(12), millis.get(22), spawns.get(12));
            assertThat(millis.get(12)).isLessThan(0.5 * spawns.get(12));
            box.kill();
        }
    }
}
