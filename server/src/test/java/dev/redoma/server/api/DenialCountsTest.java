// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redoma.server.api.DenialCounts.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/// Refusals at the door are all counted, told soon, and cannot fill the ledger.
class DenialCountsTest {
    private static final Kind ONE = kind(1);
    private final DenialCounts counts = new DenialCounts(Duration.ofSeconds(2));
    private long seconds = 1000;

    private static Kind kind(int number) {
        return new Kind("t", "k", Map.of("operation", "GET /" + number));
    }

    private Map<Kind, Long> later(int by) {
        seconds += by;
        return counts.due(false, TimeUnit.SECONDS.toNanos(seconds));
    }

    private static long sum(Map<Kind, Long> due) {
        return due.values().stream().mapToLong(n -> n).sum();
    }

    @Test
    void whatGoesOnIsToldMoreAndMoreSeldomAndAllOfItIsCounted() {
        var at = new ArrayList<Long>();
        long told = 0;
        for (int i = 0; i < 5000; i++) {
            counts.add(ONE);
            var due = later(2);
            told += sum(due);
            if (!due.isEmpty()) {
                at.add(seconds);
            }
        }
        told += sum(counts.due(true, TimeUnit.SECONDS.toNanos(seconds)));
        assertThat(told).isEqualTo(5000);
        assertThat(at.getFirst()).as("at once").isEqualTo(1002);
        assertThat(at.size()).as("in 10,000 seconds").isBetween(30, 45);
    }

    @Test
    void whatHasStoppedIsToldAtOnceWhenItComesAgain() {
        for (int i = 0; i < 100; i++) {
            counts.add(ONE);
            later(2);
        }
        later(1000);
        assertThat(later(1000)).isEmpty();
        counts.add(ONE);
        assertThat(later(2)).containsExactly(Map.entry(ONE, 1L));
        counts.add(ONE);
        assertThat(later(2)).containsExactly(Map.entry(ONE, 1L));
    }

    @Test
    void moreKindsThanAreToldApartAreCountedTogether() {
        for (int i = 0; i < DenialCounts.MOST + 50; i++) {
            counts.add(kind(i));
        }
        var due = later(2);
        assertThat(due).hasSize(DenialCounts.MOST + 1).containsEntry(Kind.MANY, 50L);
        counts.back(due);
        assertThat(sum(later(600))).isEqualTo(DenialCounts.MOST + 50);
        assertThat(later(600)).isEmpty();
    }
}
