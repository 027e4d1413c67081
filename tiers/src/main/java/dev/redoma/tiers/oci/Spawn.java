// SPDX-License-Identifier: Apache-2.0
package dev.redoma.tiers.oci;

import dev.redoma.kernel.BlockingCalls;
import dev.redoma.model.Amounts;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Runs a host program without environment and standard input, on pipes only (crun chowns its standard streams), for a bounded
/// time and with bounded output.
final class Spawn {
    static final Duration AT_MOST = Duration.ofSeconds(30);
    private static final int OUTPUT_LIMIT = 16 * 1024;

    private Spawn() {}

    /// Exit code with the beginning of standard output and error.
    record Result(int code, String output) {}

    static Result run(List<String> command) {
        var builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().clear();
        Process process;
        try {
            process = BlockingCalls.call(builder::start);
        } catch (IllegalStateException e) {
            throw failed(command, "cannot be started", e);
        }
        try {
            process.getOutputStream().close();
            return finish(command, process);
        } catch (IOException e) {
            throw failed(command, "broke its pipe", e);
        } finally {
            process.destroyForcibly();
        }
    }

    private static Result finish(List<String> command, Process process) throws IOException {
        try {
            if (!process.waitFor(AT_MOST.toMillis(), TimeUnit.MILLISECONDS)) {
                throw failed(command, "did not end within " + Amounts.time(AT_MOST), null);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failed(command, "was interrupted", e);
        }
        // A pipe holds 64 KiB: what we start writes less, and what floods it would block until the time is over.
        var in = process.getInputStream();
        var output = new String(in.readNBytes(Math.min(OUTPUT_LIMIT, Math.max(0, in.available()))), StandardCharsets.UTF_8);
        return new Result(process.exitValue(), output.strip());
    }

    private static RuntimeException failed(List<String> command, String how, @org.jspecify.annotations.Nullable Throwable cause) {
        var problem = Problem.of(
                Code.RUNTIME_FAILED,
                command.getFirst().substring(command.getFirst().lastIndexOf('/') + 1) + " " + how,
                "Try again; if it stays so, ask the operator to run `redoma doctor`.");
        return cause == null ? problem.raise() : problem.raise(cause);
    }
}
