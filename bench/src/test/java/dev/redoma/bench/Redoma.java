// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// The command line as users call it: a process of its own, against a server of ours.
record Redoma(String url, String key) {

    /// What came of a call.
    record Result(int code, byte[] out, String err, long millis) {
        String text() {
            return new String(out, java.nio.charset.StandardCharsets.UTF_8);
        }
    }

    static Redoma of(Lab lab) {
        return new Redoma(lab.rig().url(), lab.rig().key());
    }

    List<String> command(String... args) {
        var command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED",
                "-cp", System.getProperty("java.class.path"), "dev.redoma.cli.Main"));
        command.addAll(List.of(args));
        return command;
    }

    ProcessBuilder builder(List<String> command) {
        var builder = new ProcessBuilder(command);
        builder.environment().put("REDOMA_URL", url);
        builder.environment().put("REDOMA_KEY", key);
        builder.environment().put("XDG_CONFIG_HOME", "/nonexistent");
        builder.environment().put("XDG_STATE_HOME", Path.of("target/state").toAbsolutePath().toString());
        return builder;
    }

    /// With nothing on stdin.
    Result call(String... args) throws IOException, InterruptedException {
        return run(builder(command(args)).redirectInput(new File("/dev/null")));
    }

    /// Waits at most two minutes; a pipe on stdin stays open meanwhile.
    static Result run(ProcessBuilder builder) throws IOException, InterruptedException {
        var out = Files.createTempFile("redoma-out", "");
        var err = Files.createTempFile("redoma-err", "");
        try {
            long begun = System.nanoTime();
            var process = builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
            if (!process.waitFor(120, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new AssertionError("no end after 120 s: " + builder.command() + "\n" + Files.readString(err));
            }
            long millis = (System.nanoTime() - begun) / 1_000_000;
            return new Result(process.exitValue(), Files.readAllBytes(out), Files.readString(err), millis);
        } finally {
            Files.delete(out);
            Files.delete(err);
        }
    }
}
