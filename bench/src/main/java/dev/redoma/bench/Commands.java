// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Plain programs of the host, run to their end.
final class Commands {
    private Commands() {}

    static String output(String... argv) {
        try {
            var process = new ProcessBuilder(argv).redirectError(ProcessBuilder.Redirect.INHERIT).start();
            process.getOutputStream().close();
            var out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
                process.destroyForcibly();
                throw new IllegalStateException(List.of(argv) + " failed");
            }
            return out;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted in " + List.of(argv), e);
        }
    }

    /// Wall times in milliseconds of so many runs, after one that is not counted.
    static Samples times(int count, String... argv) {
        var times = new double[count];
        for (int i = -1; i < count; i++) {
            long start = System.nanoTime();
            quiet(argv);
            if (i >= 0) {
                times[i] = (System.nanoTime() - start) / 1e6;
            }
        }
        return new Samples(times);
    }

    /// Wall time of one run, in milliseconds.
    static double once(String... argv) {
        long start = System.nanoTime();
        quiet(argv);
        return (System.nanoTime() - start) / 1e6;
    }

    static void quiet(String... argv) {
        quiet(60, argv);
    }

    /// For what may take minutes.
    static void patient(String... argv) {
        quiet(1200, argv);
    }

    private static void quiet(long seconds, String... argv) {
        try {
            var process = new ProcessBuilder(argv).redirectErrorStream(true).start();
            process.getOutputStream().close();
            var out = process.getInputStream().readAllBytes();
            if (!process.waitFor(seconds, TimeUnit.SECONDS) || process.exitValue() != 0) {
                process.destroyForcibly();
                throw new IllegalStateException(List.of(argv) + " failed: " + Floors.text(out));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted in " + List.of(argv), e);
        }
    }
}
