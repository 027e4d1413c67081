// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import dev.redoma.model.Code;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Registries that lie, send without end, or make no sense.
class HostileRegistryTest extends ImageCase {
    @Test
    void aWrongDigestALyingSizeAndAnEndlessBlobAreRefused() {
        try (var registry = new FakeRegistry()) {
            var image = sample("lying");
            var layer = image.layers().getFirst();
            var blob = "/v2/r/blobs/" + TestImage.digest(layer.stored());
            registry.serve("r", "v1", image);
            var other = layer.stored().clone();
            other[other.length / 2] ^= 1;
            registry.on(blob, e -> FakeRegistry.body(e, 200, "x", other));
            refusedUnpacking(registries(registry.host()), registry.host() + "/r:v1", Code.ARCHIVE_REFUSED);
            registry.on(blob, e -> FakeRegistry.body(e, 200, "x", Arrays.copyOf(layer.stored(), layer.stored().length + 1)));
            refusedUnpacking(registries(registry.host()), registry.host() + "/r:v1", Code.ARCHIVE_REFUSED, "larger than");
            registry.on(blob, e -> {
                e.sendResponseHeaders(200, 0);
                for (int i = 0; i < 100_000; i++) {
                    e.getResponseBody().write(new byte[1 << 16]);
                }
            });
            refusedUnpacking(registries(registry.host()), registry.host() + "/r:v1", Code.ARCHIVE_REFUSED);
            registry.on("/v2/r/manifests/v1", e -> {
                e.getResponseHeaders().set("Docker-Content-Digest", TestImage.digest(new byte[0]));
                FakeRegistry.body(e, 200, MANIFEST, image.manifest());
            });
            refused(registries(registry.host()), registry.host() + "/r:v1", Code.ARCHIVE_REFUSED, "digest");
            registry.on("/v2/r/manifests/" + TestImage.digest(new byte[0]), e -> FakeRegistry.body(e, 200, MANIFEST, image.manifest()));
            refused(registries(registry.host()), registry.host() + "/r@" + TestImage.digest(new byte[0]), Code.ARCHIVE_REFUSED, "digest");
        }
    }

    @Test
    void documentsThatAreTooLargeOrMakeNoSenseAreRefused() {
        try (var registry = new FakeRegistry()) {
            registry.on("/v2/r/manifests/big", e -> {
                e.sendResponseHeaders(200, 0);
                e.getResponseBody().write('{');
                for (int i = 0; i < 10_000; i++) {
                    e.getResponseBody().write(" ".repeat(1 << 16).getBytes());
                }
            });
            refused(registries(registry.host()), registry.host() + "/r:big", Code.ARCHIVE_REFUSED, "larger than");
            for (var text : List.of("", "[]", "null", "{", "{\"manifests\":{}}", "{\"a\":1,\"a\":2}", "{\"manifests\":[]}", "{\"layers\":[]}", "{\"schemaVersion\":1,\"fsLayers\":[]}",
                    "{\"manifests\":[],\"layers\":[]}", "{\"config\":{\"digest\":\"sha256:x\",\"size\":1},\"layers\":[]}", "[".repeat(5000), "{\"config\":{\"digest\":\"../../etc\",\"size\":-1}}",
                    "{\"manifests\":[{\"digest\":\"" + TestImage.digest(new byte[0]) + "\",\"size\":99999999999}]}")) {
                registry.on("/v2/r/manifests/odd", e -> FakeRegistry.body(e, 200, MANIFEST, text.getBytes()));
                refused(registries(registry.host()), registry.host() + "/r:odd", Code.ARCHIVE_REFUSED);
            }
            var image = sample("config");
            registry.serve("r", "v1", image);
            var lying = image.configDocument().clone();
            lying[10] ^= 1;
            registry.on("/v2/r/blobs/" + TestImage.digest(image.configDocument()), e -> FakeRegistry.body(e, 200, "x", lying));
            refused(registries(registry.host()), registry.host() + "/r:v1", Code.ARCHIVE_REFUSED, "digest");
        }
    }

    @Test
    void tenThousandLayersAndNestedIndexesAreRefused() {
        try (var registry = new FakeRegistry()) {
            var layer = TestImage.descriptor("application/vnd.oci.image.layer.v1.tar", new byte[0]);
            var many = TestImage.JSON.writeValueAsBytes(Map.of("config", TestImage.descriptor("x", new byte[2]), "layers", java.util.Collections.nCopies(10_000, layer)));
            registry.on("/v2/r/manifests/many", e -> FakeRegistry.body(e, 200, MANIFEST, many));
            refused(registries(registry.host()), registry.host() + "/r:many", Code.ARCHIVE_REFUSED, "10000 entries");
            var level = sample("deep").manifest();
            var type = MANIFEST;
            for (int i = 0; i < 8; i++) {
                var content = level;
                registry.on("/v2/r/manifests/" + TestImage.digest(content), e -> FakeRegistry.body(e, 200, "x", content));
                level = TestImage.index(List.of(TestImage.descriptor(type, content)));
                type = "application/vnd.oci.image.index.v1+json";
            }
            var top = level;
            registry.on("/v2/r/manifests/deep", e -> FakeRegistry.body(e, 200, "x", top));
            refused(registries(registry.host()), registry.host() + "/r:deep", Code.ARCHIVE_REFUSED, "nested");
        }
    }

    @Test
    void layersThatAreNoneOrLieElsewhereAreRefused() {
        try (var registry = new FakeRegistry()) {
            for (var type : List.of("application/vnd.docker.image.rootfs.foreign.diff.tar.gzip", "application/vnd.oci.image.layer.v1.tar+encrypted", "application/vnd.wasm.content",
                    "application/vnd.oci.image.layer.nondistributable.v1.tar")) {
                var tar = new LayerTar().file("f", "x").bytes();
                registry.serve("r", "v1", new TestImage().layer(tar, tar, type));
                refused(registries(registry.host()), registry.host() + "/r:v1", Code.ARCHIVE_REFUSED, "layer");
            }
            var bomb = TestImage.gzip(new byte[64 << 20]);
            registry.serve("r", "v1", new TestImage().layer(new byte[1], bomb, "application/vnd.oci.image.layer.v1.tar+gzip"));
            refusedUnpacking(registries(registry.host()), registry.host() + "/r:v1", Code.ARCHIVE_REFUSED);
            registry.serve("r", "v1", new TestImage().gzip(new LayerTar().file("../evil", "x")));
            refusedUnpacking(registries(registry.host()), registry.host() + "/r:v1", Code.ARCHIVE_REFUSED, "../evil");
        }
    }
}
