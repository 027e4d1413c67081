// SPDX-License-Identifier: Apache-2.0
package dev.redoma.tiers.oci;

import dev.redoma.kernel.BlockingCalls;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/// The mount namespace that instances start from, pinned under the run directory; made once per boot.
final class CleanNamespace {
    private final OciConfig config;

    CleanNamespace(OciConfig config) {
        this.config = config;
    }

    /// Makes it if it is not there. `keep`: host paths that must stay in sight in it.
    void open(List<Path> keep) {
        var file = config.cleanNamespace();
        try {
            var dir = file.getParent();
            if (dir != null) {
                Files.createDirectories(dir, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (!pinned()) {
            var command = new java.util.ArrayList<>(List.of(config.launcher().toString(), "clean", file.toString()));
            keep.forEach(p -> command.add(p.toString()));
            launcher(command);
        }
    }

    boolean pinned() {
        return mounted(config.cleanNamespace());
    }

    /// Unpins it; instances that run keep theirs.
    void drop() {
        if (pinned()) {
            launcher(List.of(config.launcher().toString(), "drop", config.cleanNamespace().toString()));
        }
    }

    private static void launcher(List<String> command) {
        var result = Spawn.run(command);
        if (result.code() != 0) {
            throw Problem.of(
                            Code.HOST_FAILED,
                            "the clean mount namespace cannot be made: " + result.output(),
                            "Run the server as root with CAP_SYS_ADMIN in the host's mount namespace.")
                    .raise();
        }
    }

    private static boolean mounted(Path path) {
        return BlockingCalls.call(() -> {
            var escaped = path.toString().replace("\\", "\\134").replace(" ", "\\040");
            return Files.readAllLines(Path.of("/proc/self/mountinfo")).stream().anyMatch(l -> l.split(" ")[4].equals(escaped));
        });
    }
}
