// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// `onTimeout: sleep`: paused at its end, and resumed by the next use.
@ExtendWith(LabExtension.class)
@Timeout(120)
class SleepBehavioursTest {

    /// LC-02: what was written without a sync is there after an automatic pause.
    @Test
    void lc02_whatSleepsIsResumedByACommandAndByAFileAndHasLostNothing(Lab lab) {
        try (var box = lab.tiny(Map.of("onTimeout", "sleep"))) {
            var counter = box.start(Box.shell("n=0; while :; do n=$((n+1)); echo $n > /tmp/n; sleep 0.05; done"));
            box.write("/tmp/late", "x".repeat(20 << 20).getBytes(StandardCharsets.UTF_8));
            asleep(box);
            assertThat(box.sh("wc -c < /tmp/late").text().strip()).isEqualTo(String.valueOf(20 << 20));
            assertThat(box.state()).isEqualTo("running");
            assertThat(box.exec(counter).get("state").asString()).as("a command from before").isEqualTo("running");
            asleep(box);
            assertThat(box.read("/tmp/late")).hasSize(20 << 20);
            assertThat(box.state()).isEqualTo("running");
        }
    }

    @Test
    void lookingAtOneThatSleepsDoesNotWakeIt(Lab lab) {
        try (var box = lab.tiny(Map.of("onTimeout", "sleep"))) {
            box.verb("pause");
            box.show();
            box.api().get(box.path("/usage")).expect(200);
            box.api().get("/v1/sandboxes").expect(200);
            assertThat(box.state()).isEqualTo("paused");
        }
    }

    @Test
    void onePausedWithoutSleepIsNotWokenByUse(Lab lab) {
        try (var box = lab.tiny(Map.of("onTimeout", "pause"))) {
            box.verb("pause");
            assertThat(box.tryStart(Box.shell("true")).expect(409).code()).isEqualTo("wrong-state");
            assertThat(box.state()).isEqualTo("paused");
        }
    }

    @Test
    void whatItsUseWokeLivesForFiveMinutesAtLeastAndWhatACallerResumedForWhatWasLeft(Lab lab) {
        try (var woken = lab.tiny(Map.of("onTimeout", "sleep")); var resumed = lab.tiny(Map.of("onTimeout", "sleep"))) {
            for (var box : List.of(woken, resumed)) {
                box.api().post(box.path("/lifetime"), Map.of("lifetimeMs", 60_000)).expect(200);
                box.verb("pause");
            }
            woken.sh("true");
            resumed.verb("resume");
            assertThat(left(woken)).isBetween(Duration.ofSeconds(270), Duration.ofSeconds(300));
            assertThat(left(resumed)).isLessThanOrEqualTo(Duration.ofSeconds(60));
        }
    }

    private static Duration left(Box box) {
        return Duration.between(Instant.now(), Instant.parse(box.show().get("endsAt").asString()));
    }

    private static void asleep(Box box) {
        box.api().post(box.path("/lifetime"), Map.of("lifetimeMs", 1_000)).expect(200);
        await().atMost(Duration.ofSeconds(30)).until(() -> box.state().equals("paused"));
    }
}
