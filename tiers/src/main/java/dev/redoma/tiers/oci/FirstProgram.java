// SPDX-License-Identifier: Apache-2.0
package dev.redoma.tiers.oci;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// crun says that it started an instance before its init has become the first program; if that fails, init just ends.
final class FirstProgram {
    private FirstProgram() {}

    /// True once the process runs something else than the runtime, or has ended.
    static boolean leftRuntime(int pid, String runtime) {
        try {
            return !Files.readSymbolicLink(Path.of("/proc", Integer.toString(pid), "exe")).toString().contains(runtime);
        } catch (IOException ended) {
            return true;
        }
    }
}
