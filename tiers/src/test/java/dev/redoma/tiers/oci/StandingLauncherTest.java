// SPDX-License-Identifier: Apache-2.0
package dev.redoma.tiers.oci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class StandingLauncherTest {

    private static List<ProcessHandle> launchers() {
        return ProcessHandle.current().descendants().filter(p -> p.info().command().orElse("").endsWith("/redoma-launcher")).toList();
    }

    @Test
    void whatItRefusesIsTold() {
        try (var launcher = new StandingLauncher(Host.launcher())) {
            var result = launcher.start(List.of("base=1"));
            assertThat(result.code()).isEqualTo(70);
            assertThat(result.output()).isEqualTo("no runtime given");
        }
    }

    @Test
    void manyAtOnceGetEachTheirOwnAnswer() throws Exception {
        try (var launcher = new StandingLauncher(Host.launcher());
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var asked = IntStream.range(0, 40).mapToObj(i -> (Callable<String>) () -> launcher.start(List.of("key" + i + "=x", "--", "r")).output()).toList();
            var answers = threads.invokeAll(asked);
            for (int i = 0; i < answers.size(); i++) {
                assertThat(answers.get(i).get()).isEqualTo("unknown key key" + i);
            }
        }
    }

    @Test
    void nothingOfItIsLeftWhenItIsClosed() {
        var before = launchers();
        var launcher = new StandingLauncher(Host.launcher());
        launcher.start(List.of("base=1"));
        assertThat(launchers()).hasSizeGreaterThan(before.size());
        launcher.close();
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(launchers()).containsExactlyInAnyOrderElementsOf(before));
    }

    @Test
    void instancesStartAlsoAfterItWasKilled() throws Exception {
        try (var host = new Host()) {
            assertThat(host.run("id -u > /out")).isEqualTo("0");
            var standing = launchers();
            assertThat(standing).isNotEmpty();
            standing.forEach(ProcessHandle::destroyForcibly);
            await().atMost(Duration.ofSeconds(30)).until(() -> standing.stream().noneMatch(ProcessHandle::isAlive));
            assertThat(host.run("id -u > /out")).isEqualTo("0");
        }
    }
}
