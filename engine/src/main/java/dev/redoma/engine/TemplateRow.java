// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.wire.TemplateRef;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A template version as the database knows it: never changed once it is there. `layers`: top first.
record TemplateRow(
        String name,
        String digest,
        String source,
        String state,
        List<LayerRef> layers,
        TemplateConfig config,
        long sizeBytes,
        @Nullable String message,
        Instant createdAt) {

    /// A version that is ready; its digest covers everything that a sandbox made from it depends on, its layers and its configuration.
    static TemplateRow ready(String name, String source, List<LayerRef> layers, TemplateConfig config, long sizeBytes, Instant now) {
        return new TemplateRow(name, digest(layers, config), source, "ready", layers, config, sizeBytes, null, now);
    }

    static String digest(List<LayerRef> layers, TemplateConfig config) {
        try {
            byte[] text = Columns.json(Map.of("layers", layers, "config", config)).getBytes(StandardCharsets.UTF_8);
            return "sha256:" + HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(text));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    TemplateRef ref() {
        return new TemplateRef(name, digest);
    }

    /// Digests of its layers in the pool.
    Stream<String> poolLayers() {
        return layers.stream().flatMap(l -> Stream.ofNullable(l.layer()));
    }
}
