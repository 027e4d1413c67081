// SPDX-License-Identifier: Apache-2.0
package dev.redoma.tiers.oci;

import dev.redoma.kernel.ProcessFacts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// crun says that it started an instance before its init has become the first program; if that fails, init just ends.
final class FirstProgram {
    private FirstProgram() {}

    /// True once the process runs another file than the runtime's binary, or has ended. (By inode: the path that the kernel shows for it
    /// is one of another namespace.)
    static boolean leftRuntime(int pid, Path runtime) {
        try {
            return !Files.getAttribute(Path.of("/proc", Integer.toString(pid), "exe"), "unix:ino").equals(inode(runtime));
        } catch (IOException ending) {
            // It has let go of its file but may still be listed as a living process.
            return ProcessFacts.of(pid).filter(ProcessFacts::alive).isEmpty();
        }
    }

    private static Object inode(Path file) {
        try {
            return Files.getAttribute(file, "unix:ino");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
