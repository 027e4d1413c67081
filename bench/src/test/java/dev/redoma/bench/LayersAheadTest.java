// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redoma.engine.image.ImageUnpacking;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// Layers that are fetched beside each other.
class LayersAheadTest extends ImageCase {

    /// Each layer is answered only when another is being asked for too.
    @Test
    void layersAreFetchedBesideEachOtherAFewAtATimeAndUnpackedInOrder() {
        var image = sample("beside");
        for (int i = 0; i < 5; i++) {
            image.gzip(new LayerTar().dir("d").file("d/number", "" + i).file("d/of" + i, "beside"));
        }
        var now = new AtomicInteger();
        var most = new AtomicInteger();
        var two = new java.util.concurrent.CountDownLatch(2);
        try (var registry = new FakeRegistry()) {
            registry.serve("r", "v1", image);
            image.layers().forEach(layer -> registry.on("/v2/r/blobs/" + TestImage.digest(layer.stored()), e -> {
                most.accumulateAndGet(now.incrementAndGet(), Math::max);
                two.countDown();
                try {
                    assertThat(two.await(30, java.util.concurrent.TimeUnit.SECONDS)).as("another is asked for meanwhile").isTrue();
                } catch (InterruptedException ended) {
                    Thread.currentThread().interrupt();
                } finally {
                    now.decrementAndGet();
                }
                FakeRegistry.body(e, 200, "application/octet-stream", layer.stored());
            }));
            pull(registries(registry.host()), registry.host() + "/r:v1", (found, control) -> {
                try (var stack = pool.stack(l -> {})) {
                    assertThat(new ImageUnpacking(stack, control, pool).run(found).unpacked()).isEqualTo(8);
                    assertThat(stack.read("d/number", 9)).hasValueSatisfying(v -> assertThat(v).isEqualTo("4".getBytes()));
                }
            });
            assertThat(most.get()).isBetween(2, 3);
        }
    }

    /// What is refused ends what is fetched beside it, at once.
    @Test
    void aRefusedLayerEndsThoseThatAreFetchedBesideIt() {
        var image = new TestImage().plain(new LayerTar().file("../out", "evil")).gzip(new LayerTar().file("slow", "slow"));
        try (var registry = new FakeRegistry()) {
            var slow = new java.util.concurrent.CountDownLatch(1);
            var layer = image.layers().getLast();
            registry.serve("r", "v1", image).on("/v2/r/blobs/" + TestImage.digest(layer.stored()), e -> {
                e.sendResponseHeaders(200, layer.stored().length);
                e.getResponseBody().flush();
                try {
                    slow.await(60, java.util.concurrent.TimeUnit.SECONDS);
                } catch (InterruptedException ended) {
                    Thread.currentThread().interrupt();
                }
            });
            long begun = System.nanoTime();
            pull(registries(registry.host()), registry.host() + "/r:v1", (found, control) -> {
                try (var stack = pool.stack(l -> {})) {
                    assertThatThrownBy(() -> new ImageUnpacking(stack, control, pool).run(found)).hasMessageContaining("../out");
                }
            });
            assertThat(System.nanoTime() - begun).isLessThan(20_000_000_000L);
            slow.countDown();
        }
    }
}
