// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TogetherTest {
    @Test
    void whoeverAsksWhileOneRunsSharesTheNextAndGetsWhatWasSoWhenTheyAsked() throws Exception {
        var together = new Together<String, Integer>();
        var begun = new AtomicInteger();
        var atOnce = new AtomicInteger();
        var most = new AtomicInteger();
        var gate = new CountDownLatch(1);
        var running = new CountDownLatch(1);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var first = threads.submit(() -> together.get("sandbox", () -> {
                begun.incrementAndGet();
                running.countDown();
                await(gate);
                return 0;
            }));
            assertThat(running.await(30, TimeUnit.SECONDS)).isTrue();
            var others = new ArrayList<Future<Integer>>();
            for (int i = 0; i < 50; i++) {
                others.add(threads.submit(() -> together.get("sandbox", () -> {
                    most.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
                    int me = begun.getAndIncrement();
                    atOnce.decrementAndGet();
                    return me;
                })));
            }
            Awaitility.await().atMost(java.time.Duration.ofSeconds(30)).until(() -> together.asking("sandbox") == 51);
            assertThat(together.get("another", () -> 7)).as("others do not wait").isEqualTo(7);
            gate.countDown();
            assertThat(first.get(30, TimeUnit.SECONDS)).isZero();
            for (var other : others) {
                assertThat(other.get(30, TimeUnit.SECONDS)).as("begun after it was asked").isPositive();
            }
        }
        assertThat(most).hasValue(1);
        assertThat(begun).as("all that asked while the first ran share one").hasValue(2);
        assertThat(together.asking("sandbox")).isZero();
    }

    @Test
    void aFailureIsTheirsWhoSharedItAndTheNextBeginsAnew() {
        var together = new Together<String, Integer>();
        assertThatThrownBy(() -> together.get("k", () -> {
            throw new IllegalArgumentException("broken");
        })).isInstanceOf(IllegalArgumentException.class).hasMessage("broken");
        assertThat(together.get("k", () -> 1)).isEqualTo(1);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
