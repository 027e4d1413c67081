// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine.image;

import java.util.List;
import java.util.Objects;

/// Indexes and manifests of images, of OCI and of Docker (schema 2).
final class Manifests {
    static final int LARGEST = 4 << 20;
    static final int ENTRIES = 1000;
    static final int MOST_LAYERS = 127;
    private static final long LARGEST_LAYER = 1L << 40;

    private Manifests() {}

    /// A configuration and layers, from the bottom up.
    record Manifest(Descriptor config, List<Descriptor> layers) {}

    static boolean isIndex(Json document, String mediaType) {
        return kind(document, mediaType, document.has("manifests"));
    }

    /// By its media type, said by itself or by who names it; else by its shape.
    private static boolean kind(Json document, String mediaType, boolean otherwise) {
        if (document.has("manifests") && (document.has("layers") || document.has("config"))) {
            throw Refusal.image("a document says that it is an index and a manifest");
        }
        var said = document.textOr("mediaType", mediaType);
        if (said.startsWith("application/vnd.docker.distribution.manifest.v1+") || document.has("fsLayers")) {
            throw Refusal.image("its manifest is of Docker's first form, which names no digests that could be checked");
        }
        return otherwise;
    }

    static List<Descriptor> index(Json document) {
        return document.objects("manifests", ENTRIES).stream().map(Manifests::descriptor).toList();
    }

    static Manifest manifest(Json document) {
        var config = Objects.requireNonNullElseGet(document.object("config"), () -> {
            throw Refusal.image("its manifest names no configuration");
        });
        var layers = document.objects("layers", MOST_LAYERS).stream().map(Manifests::layer).toList();
        return new Manifest(descriptor(config), layers);
    }

    private static Descriptor layer(Json json) {
        var layer = descriptor(json);
        var type = layer.mediaType();
        if (type.contains("encrypted")) {
            throw Refusal.image("a layer is encrypted");
        }
        if (type.contains("foreign") || type.contains("nondistributable")) {
            throw Refusal.image("a layer lies elsewhere (" + Refusal.shown(type) + ")");
        }
        if (!type.contains("layer") && !type.contains("rootfs.diff.tar")) {
            throw Refusal.image("it has a part that is no layer of a file system (" + Refusal.shown(type) + ")");
        }
        if (layer.size() > LARGEST_LAYER) {
            throw Refusal.image("a layer of " + layer.size() + " bytes");
        }
        return layer;
    }

    private static Descriptor descriptor(Json json) {
        var platform = json.object("platform");
        return new Descriptor(json.textOr("mediaType", ""), new Digest(json.textOr("digest", "")), json.number("size"),
                platform == null ? null : new Platform(platform.text("os"), platform.text("architecture"), platform.text("variant")),
                json.map("annotations", 256).get("org.opencontainers.image.ref.name"));
    }
}
