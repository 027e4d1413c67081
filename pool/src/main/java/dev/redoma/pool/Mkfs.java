// SPDX-License-Identifier: Apache-2.0
package dev.redoma.pool;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/// Runs `mkfs.btrfs`, which itself refuses what already holds a file system.
final class Mkfs {
    private static final long SECONDS = 120;

    private Mkfs() {}

    static void btrfs(Path target) {
        try {
            var process = new ProcessBuilder("mkfs.btrfs", "-q", "-L", "redoma", target.toString()).redirectErrorStream(true).start();
            process.getOutputStream().close();
            if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw failed("it did not end within " + SECONDS + " s");
            }
            if (process.exitValue() != 0) {
                throw failed(new String(process.getInputStream().readNBytes(2000), StandardCharsets.UTF_8).strip());
            }
        } catch (IOException e) {
            throw Problem.of(Code.HOST_FAILED, "mkfs.btrfs cannot be run", "Install btrfs-progs: run `redoma setup`.").raise(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failed("interrupted");
        }
    }

    private static RuntimeException failed(String why) {
        return Problem.of(Code.HOST_FAILED, "mkfs.btrfs failed: " + why, "See the message; the pool was not made.").raise();
    }
}
