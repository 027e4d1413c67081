// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.BuildId;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// What a server does about builds that an earlier one left: none goes on, and nothing of them stays but the rows that say so. And what
/// is forgotten in time: old builds, and layers that no step asked for in a while.
final class BuildRecovery {
    private final Core core;
    private final BuildPlaces places;
    private final Ending ending;
    private final LayerCollector collector;

    BuildRecovery(Core core, BuildPlaces places, Ending ending, LayerCollector collector) {
        this.core = core;
        this.places = places;
        this.ending = ending;
        this.collector = collector;
    }

    /// After sandboxes were taken up, before the first call.
    void run() {
        var interrupted = dev.redoma.model.wire.Problem.of(
                Problem.of(Code.BUILD_INTERRUPTED, "The server ended while the build was under way.", "Build again."));
        List<BuildRow> unfinished = core.store().read(BuildRows::unfinished);
        Set<String> ids = new HashSet<>();
        unfinished.forEach(row -> ids.add(row.id().value()));
        core.store().write(tx -> {
            for (BuildRow row : unfinished) {
                BuildRows.end(tx, row.id(), BuildRow.FAILED, null, interrupted, core.now());
                core.records().build(tx, row, Records.ENGINE, "build.failed", Map.of("code", interrupted.code()));
            }
            return true;
        });
        places.all().forEach(places::removeFiles);
        core.store().read(SandboxRows::notEnded).stream().filter(s -> ids.contains(s.labels().getOrDefault(StepBoxes.LABEL, ""))).forEach(this::endStep);
    }

    private void endStep(SandboxRow row) {
        core.background().run("ending an interrupted step", () -> core.boxes().find(row.id()).ifPresent(
                box -> core.boxes().locked(box, () -> ending.kill(box, Records.ENGINE, core.reason("build", null, null)))));
    }

    void sweep() {
        Instant old = core.now().minus(core.config().building().keep());
        for (String id : core.store().read(tx -> BuildRows.endedBefore(tx, old))) {
            places.remove(new BuildId(id));
            core.store().write(tx -> {
                BuildRows.delete(tx, id);
                return true;
            });
        }
        Set<String> known = new HashSet<>(core.store().read(BuildRows::ids));
        places.all().stream().filter(id -> !known.contains(id.value()) && places.olderThan(id, old)).forEach(places::remove);
        List<String> layers = core.store().write(tx -> {
            List<String> unused = BuildRows.unusedSince(tx, old);
            unused.forEach(layer -> BuildRows.forgetLayer(tx, layer));
            return unused;
        });
        collector.collect(layers);
    }
}
