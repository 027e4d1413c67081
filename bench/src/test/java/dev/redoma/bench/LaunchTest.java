// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// How the launcher that setup writes starts the command line.
@Timeout(60)
class LaunchTest {
    @TempDir
    Path dist;

    @BeforeEach
    void written() throws Exception {
        for (var file : List.of("lib/redoma-cli.jar", "lib/other.jar", "jdk/bin/java")) {
            Files.createDirectories(dist.resolve(file).getParent());
            Files.writeString(dist.resolve(file), "#!/bin/sh\necho \"$@\"\n");
        }
        assertThat(dist.resolve("jdk/bin/java").toFile().setExecutable(true)).isTrue();
        bash(". \"$home/setup/build.sh\"; dist=$0; write_launch");
    }

    private String bash(String script, String... words) throws Exception {
        var command = new java.util.ArrayList<>(List.of("bash", "-euc", script, dist.toString()));
        command.addAll(List.of(words));
        var builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("home", System.getProperty("redoma.root"));
        builder.environment().put("dist", dist.toString());
        var process = builder.start();
        var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        return said;
    }

    @Test
    void ctrlCEndsVerbsThatHaveNothingToEndBySignalAndLeavesTheOthersTheirHandler() throws Exception {
        for (var verb : List.of("list", "show", "doctor", "logs", "audit")) {
            assertThat(bash(". $0/launch.sh", verb)).contains(" -Xrs ").endsWith("dev.redoma.cli.Main " + verb + "\n");
        }
        for (var verb : List.of("run", "exec", "create", "attach", "shell", "template", "up", "quickstart", "watch", "cp")) {
            assertThat(bash(". $0/launch.sh", verb)).doesNotContain("-Xrs");
        }
        assertThat(bash("REDOMA_JAVA_OPTIONS=-Dx=y; . $0/launch.sh", "list")).contains("-Dx=y").doesNotContain("-Xrs");
    }
}
