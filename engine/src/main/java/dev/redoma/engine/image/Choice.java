// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine.image;

import dev.redoma.engine.image.SourceImage.SourceLayer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/// Finds the one image for this host, from a manifest or through indexes of them.
final class Choice {
    private static final int NESTED = 4;

    private final Documents documents;

    Choice(Documents documents) {
        this.documents = documents;
    }

    SourceImage from(byte[] root, String mediaType) {
        var bytes = root;
        var type = mediaType;
        for (int level = 0; level <= NESTED; level++) {
            var json = Json.parse("its manifest", bytes);
            if (!Manifests.isIndex(json, type)) {
                return image(Digest.of(bytes), Manifests.manifest(json));
            }
            var next = Documents.bounded(one(Manifests.index(json)), Manifests.LARGEST);
            bytes = documents.manifest(next);
            type = next.mediaType();
        }
        throw Refusal.image("its indexes are nested more than " + NESTED + " deep");
    }

    private static Descriptor one(List<Descriptor> all) {
        var host = Platform.host();
        var fit = all.stream().filter(d -> d.platform() == null || host.takes(d.platform())).toList();
        if (fit.isEmpty()) {
            throw Refusal.image(all.isEmpty() ? "its index is empty" : "it is there for "
                    + all.stream().limit(20).map(d -> String.valueOf(d.platform())).distinct().collect(Collectors.joining(", ")) + ", and this host is " + host);
        }
        var said = fit.stream().filter(d -> d.platform() != null && d.platform().architecture() != null).findFirst();
        if (said.isPresent()) {
            return said.get();
        }
        if (fit.stream().map(Descriptor::digest).distinct().count() > 1) {
            throw Refusal.image("there are several: " + fit.stream().limit(20).map(d -> Refusal.shown(d.name() == null ? d.digest().value() : d.name())).collect(Collectors.joining(", "))
                    + "; give one of them");
        }
        return fit.getFirst();
    }

    private SourceImage image(Digest digest, Manifests.Manifest manifest) {
        var config = ImageConfig.parse(documents.document(Documents.bounded(manifest.config(), ImageConfig.LARGEST)));
        if (manifest.layers().size() != config.diffIds().size()) {
            throw Refusal.image("its manifest has " + manifest.layers().size() + " layers, and its configuration " + config.diffIds().size());
        }
        var layers = new ArrayList<SourceLayer>();
        for (int i = 0; i < manifest.layers().size(); i++) {
            var layer = manifest.layers().get(i);
            layers.add(new SourceLayer(config.diffIds().get(i), layer.size(), documents.content(layer)));
        }
        return new SourceImage(digest, config, layers);
    }
}
