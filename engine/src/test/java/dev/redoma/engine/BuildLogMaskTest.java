// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What has the shape of a token stands in no log of a build.
class BuildLogMaskTest {
    private static final String TOKEN = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    private static final String STARS = "ghp_" + "*".repeat(36);

    @TempDir
    private Path dir;

    @Test
    void aTokenIsMaskedWhereverItIsCut() throws Exception {
        byte[] printed = ("cloning with " + TOKEN + "\nand ghp_ alone, then " + TOKEN).getBytes(StandardCharsets.UTF_8);
        for (int cut = 0; cut <= printed.length; cut++) {
            var file = dir.resolve("log" + cut);
            var log = BuildLog.fresh(file, 10_000);
            log.say("RUN git clone https://" + TOKEN + "@example.com/");
            log.beginStep();
            log.output(Arrays.copyOf(printed, cut));
            log.output(Arrays.copyOfRange(printed, cut, printed.length));
            assertThat(log.lastLines()).containsExactly("cloning with " + STARS, "and ghp_ alone, then " + STARS);
            log.say("done");
            log.end();
            assertThat(Files.readString(file)).as("cut at %d", cut).isEqualTo("RUN git clone https://" + STARS + "@example.com/\ncloning with " + STARS + "\nand ghp_ alone, then " + STARS + "\ndone\n");
        }
    }

    @Test
    void whatIsNoTokenIsThereToTheByte() throws Exception {
        byte[] printed = new byte[100_000];
        new java.util.Random(7).nextBytes(printed);
        var file = dir.resolve("log");
        var log = BuildLog.fresh(file, 1 << 20);
        for (int at = 0; at < printed.length; at += 777) {
            log.output(Arrays.copyOfRange(printed, at, Math.min(printed.length, at + 777)));
        }
        log.end();
        assertThat(Files.readAllBytes(file)).isEqualTo(printed);
    }
}
