// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// setup/redoma.service gives the server what it needs and no more.
@Timeout(60)
class UnitFileTest {
    private static final Path ROOT = Path.of(System.getProperty("redoma.root"));

    private static List<String> capabilities() throws IOException {
        return Files.readAllLines(ROOT.resolve("setup/redoma.service")).stream().filter(l -> l.startsWith("CapabilityBoundingSet="))
                .flatMap(l -> Arrays.stream(l.substring(l.indexOf('=') + 1).split(" "))).map(c -> c.substring(4).toLowerCase(Locale.ROOT)).toList();
    }

    @Test
    void itsCapabilitiesAreEnoughForSandboxes() throws Exception {
        var said = check(capabilities());
        assertThat(said).contains("started a trial instance").doesNotContain("\"missing\"");
    }

    @Test
    void withoutSomeOfThemAHostCheckSaysThatSandboxesCannotBe() throws Exception {
        assertThat(check(capabilities().stream().filter(c -> !c.equals("net_admin")).toList())).contains("\"missing\"");
    }

    private static String check(List<String> capabilities) throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of("setpriv", "--bounding-set=-all," + capabilities.stream().map(c -> "+" + c).collect(Collectors.joining(","))));
        command.addAll(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED", "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
                "-cp", System.getProperty("java.class.path"), "dev.redoma.server.HostCheck", ROOT.toString()));
        var process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try (var out = process.getInputStream()) {
            var said = new String(out.readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).isZero();
            return said;
        }
    }
}
