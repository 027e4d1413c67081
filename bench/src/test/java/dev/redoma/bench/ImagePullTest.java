// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redoma.engine.image.ImageUnpacking;
import dev.redoma.engine.image.PullControl;
import dev.redoma.engine.image.Registries;
import dev.redoma.model.Code;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// Images from registries, as they are meant to come.
class ImagePullTest extends ImageCase {
    @Test
    void anImageComesFromARegistryOnceAndIsTheSameAtItsSecondPull() {
        try (var registry = RegistryServer.start()) {
            var image = sample("once");
            registry.push("a/b", "v1", image);
            var told = new ArrayList<String>();
            pull(registries(registry.host()), registry.host() + "/a/b:v1", new PullControl(p -> told.add(p.what() + " " + p.done() + "/" + p.total())), (found, control) -> {
                assertThat(found.digest().value()).isEqualTo(TestImage.digest(image.manifest()));
                var config = found.config();
                assertThat(config.user()).isEqualTo("1234:5678");
                assertThat(config.env()).isEqualTo(Map.of("A", "1", "PATH", "/bin", "E", ""));
                assertThat(config.workingDir()).isEqualTo("/srv/app");
                assertThat(config.entrypoint()).containsExactly("/bin/ep");
                assertThat(config.cmd()).containsExactly("x");
                assertThat(config.exposedPorts()).containsExactly("80/tcp");
                assertThat(config.labels()).isEqualTo(Map.of("who", "me"));
                assertThat(config.stopSignal()).isEqualTo("SIGQUIT");
                assertThat(unpack(found, control)).containsExactly(new ImageUnpacking.Outcome(3, 3, 1, 0, 0));
            });
            long size = image.layers().getFirst().stored().length;
            assertThat(told).contains("layer 1 of 3 " + size + "/" + size);
            pull(registries(registry.host()), registry.host() + "/a/b@" + TestImage.digest(image.manifest()),
                    (found, control) -> assertThat(unpack(found, control)).containsExactly(new ImageUnpacking.Outcome(3, 0, 0, 0, 0)));
        }
    }

    @Test
    void ofSeveralPlatformsThisHostsIsTaken() {
        try (var registry = RegistryServer.start()) {
            var images = new LinkedHashMap<TestImage, String>();
            images.put(sample("arm").architecture("arm64"), "arm");
            var mine = sample("amd");
            images.put(mine, "amd");
            registry.pushIndex("multi", "v1", images);
            pull(registries(registry.host()), registry.host() + "/multi:v1", (found, control) -> assertThat(found.digest().value()).isEqualTo(TestImage.digest(mine.manifest())));
            refused(registries(registry.host()), registry.host() + "/multi:arm", Code.ARCHIVE_REFUSED, "linux/arm64", "linux/amd64");
        }
    }

    @Test
    void aBareNameGoesToTheDefaultRegistryAndItsLibrary() {
        try (var registry = new FakeRegistry()) {
            registry.serve("library/r", "latest", sample("bare"));
            var named = new Registries.Named(registry.host(), true, true, null, null, null, List.of(), "library");
            pull(new Registries(registry.host(), List.of(named)), "r", (found, control) -> assertThat(found.layers()).hasSize(3));
        }
    }

    @Test
    void aBrokenDownloadGoesOnWhereItBrokeOff() {
        var image = bigImage("resumed");
        var layer = image.layers().getFirst();
        var blob = "/v2/r/blobs/" + TestImage.digest(layer.stored());
        try (var registry = new FakeRegistry()) {
            var ranges = new ArrayList<String>();
            registry.serve("r", "v1", image).on(blob, e -> {
                var range = e.getRequestHeaders().getFirst("Range");
                ranges.add(String.valueOf(range));
                int from = range == null ? 0 : Integer.parseInt(range.replaceAll("\\D", ""));
                if (range != null) {
                    e.getResponseHeaders().set("Content-Range", "bytes " + from + "-" + (layer.stored().length - 1) + "/" + layer.stored().length);
                }
                e.sendResponseHeaders(range == null ? 200 : 206, layer.stored().length - from);
                int end = ranges.size() <= 3 ? Math.min(from + 500_000, layer.stored().length) : layer.stored().length;
                e.getResponseBody().write(layer.stored(), from, end - from);
            });
            pull(registries(registry.host()), registry.host() + "/r:v1", (found, control) -> unpack(found, control));
            assertThat(ranges).hasSize(4).startsWith("null").allMatch(r -> r.equals("null") || r.matches("bytes=\\d{6,}-"));
        }
    }

    @Test
    void whatFailsInPassingIsTriedAgainAndWhatStaysBrokenIsSaid() {
        var image = sample("again");
        try (var registry = new FakeRegistry()) {
            var times = new AtomicInteger();
            registry.serve("r", "v1", image).on("/v2/r/manifests/v1", e -> {
                if (times.incrementAndGet() < 3) {
                    FakeRegistry.status(e, times.get() == 1 ? 503 : 429);
                } else {
                    FakeRegistry.body(e, 200, MANIFEST, image.manifest());
                }
            });
            pull(registries(registry.host()), registry.host() + "/r:v1", (found, control) -> unpack(found, control));
            registry.on("/v2/r/manifests/v1", e -> FakeRegistry.status(e, 500));
            refused(registries(registry.host()), registry.host() + "/r:v1", Code.REGISTRY_FAILED, "500");
            refused(registries(registry.host()), registry.host() + "/r:v3", Code.IMAGE_NOT_FOUND, "/r:v3");
        }
        refused(registries("127.0.0.1:1"), "127.0.0.1:1/r:v1", Code.REGISTRY_FAILED, "127.0.0.1:1");
    }

    @Test
    void aCancelledPullEndsAtOnceAndLeavesNothing() throws Exception {
        var image = bigImage("cancelled");
        var half = new CountDownLatch(1);
        var never = new CountDownLatch(1);
        var layers = pool.layers();
        try (var registry = new FakeRegistry()) {
            var stored = image.layers().getFirst().stored();
            registry.serve("r", "v1", image).on("/v2/r/blobs/" + TestImage.digest(stored), e -> {
                e.sendResponseHeaders(200, stored.length);
                e.getResponseBody().write(stored, 0, 300_000);
                e.getResponseBody().flush();
                half.countDown();
                try {
                    never.await(60, TimeUnit.SECONDS);
                } catch (InterruptedException ended) {
                    Thread.currentThread().interrupt();
                }
            });
            var control = new PullControl(p -> {});
            var failed = new java.util.concurrent.CompletableFuture<Throwable>();
            Thread.ofVirtual().start(() -> {
                try {
                    pull(registries(registry.host()), registry.host() + "/r:v1", control, (found, c) -> unpack(found, c));
                    failed.complete(new AssertionError("it was not cancelled"));
                } catch (Throwable e) {
                    failed.complete(e);
                }
            });
            assertThat(half.await(30, TimeUnit.SECONDS)).isTrue();
            control.cancel();
            assertThat(failed.get(30, TimeUnit.SECONDS)).hasMessageContaining("cancelled");
            never.countDown();
        }
        assertThat(pool.layers()).isEqualTo(layers);
    }
}
