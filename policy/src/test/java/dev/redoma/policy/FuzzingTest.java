// SPDX-License-Identifier: Apache-2.0
package dev.redoma.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Looks for inputs that PolicyFuzzTest does not stand, for some minutes each, in processes of their own. What is found is told with its bytes: it belongs
/// among the kept inputs (`src/test/resources`, `PolicyFuzzTestInputs`) once its fault is mended.
@Tag("long")
class FuzzingTest {
    private static final int SECONDS = Integer.getInteger("redoma.fuzz.seconds", 120);

    @TempDir
    Path dir;

    @ParameterizedTest
    @ValueSource(strings = {"file", "name"})
    @Timeout(3600)
    void nothingIsFoundThatItDoesNotStand(String method) throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin/java").toString(), "-cp", System.getProperty("java.class.path"), "-Xmx768m", "-XX:+UseSerialGC"));
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream().filter(a -> a.startsWith("--enable-native") || a.startsWith("--add-exports")).forEach(command::add);
        var seeds = Path.of("src/test/resources/dev/redoma/policy/PolicyFuzzTestInputs", method).toAbsolutePath();
        command.addAll(List.of("com.code_intelligence.jazzer.Jazzer", "--target_class=" + PolicyFuzzTest.class.getName(), "--target_method=" + method, "--instrumentation_includes=dev.redoma.**",
                "--reproducer_path=" + dir, "-artifact_prefix=" + dir + "/", "-max_total_time=" + SECONDS, "-max_len=8192", "-rss_limit_mb=0", Files.createDirectory(dir.resolve("corpus")).toString(), seeds.toString()));
        Path log = dir.resolve("log");
        var run = new ProcessBuilder(command).directory(dir.toFile()).redirectErrorStream(true).redirectOutput(log.toFile()).start();
        try {
            assertThat(run.waitFor(SECONDS + 300L, TimeUnit.SECONDS)).as("it ended").isTrue();
        } finally {
            run.destroyForcibly();
        }
        String told = Files.readString(log);
        String end = told.substring(Math.max(0, told.length() - 6000));
        assertThat(run.exitValue()).as(end).isZero();
        assertThat(told).as("it searched").containsPattern("DONE\\s+cov: \\d+|Done \\d+ runs");
    }
}
