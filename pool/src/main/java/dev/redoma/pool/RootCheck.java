// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.kernel.Dir;
import dev.redoma.kernel.Stat;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.nio.file.Path;
import java.util.List;

/// Refuses a root file system in which a place that the runtime mounts on is anything but a directory.
final class RootCheck {
    static final List<String> PLACES = List.of("dev", "proc", "sys", "run", "etc", "tmp");

    private RootCheck() {}

    static void require(Path upper, List<Path> lowers) {
        try (var top = Dir.open(upper); var below = Lowers.of(lowers)) {
            for (var place : PLACES) {
                var own = top.find(place);
                var type = own.isPresent() ? own.map(Stat::type) : below.find(place).map(f -> f.stat().type());
                if (type.isEmpty() || type.get() != Stat.Type.DIRECTORY) {
                    throw Problem.of(
                                    Code.WRONG_STATE,
                                    "/" + place + " of the sandbox is "
                                            + type.map(t -> t == Stat.Type.CHAR ? "removed" : "a " + t.name().toLowerCase(java.util.Locale.ROOT)).orElse("missing")
                                            + ", not a directory: it cannot be started so",
                                    "Reset the sandbox, or fork it from a snapshot taken before.")
                            .with("path", "/" + place)
                            .raise();
                }
            }
        }
    }
}
