// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import com.github.luben.zstd.Zstd;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import tools.jackson.databind.json.JsonMapper;

/// An image that a test makes, in every form that images are handed on in.
final class TestImage {
    static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String OCI = "application/vnd.oci.image.";

    private final Map<String, Object> config = new LinkedHashMap<>();
    private final List<Layer> layers = new ArrayList<>();
    private String architecture = "amd64";

    /// `stored`: as it lies in a registry.
    record Layer(byte[] tar, byte[] stored, String mediaType) {}

    TestImage config(String key, Object value) {
        config.put(key, value);
        return this;
    }

    TestImage architecture(String name) {
        architecture = name;
        return this;
    }

    TestImage plain(LayerTar tar) {
        return layer(tar.bytes(), tar.bytes(), OCI + "layer.v1.tar");
    }

    TestImage gzip(LayerTar tar) {
        return layer(tar.bytes(), gzip(tar.bytes()), OCI + "layer.v1.tar+gzip");
    }

    TestImage zstd(LayerTar tar) {
        return layer(tar.bytes(), Zstd.compress(tar.bytes()), OCI + "layer.v1.tar+zstd");
    }

    TestImage layer(byte[] tar, byte[] stored, String mediaType) {
        layers.add(new Layer(tar, stored, mediaType));
        return this;
    }

    static byte[] gzip(byte[] bytes) {
        var out = new ByteArrayOutputStream();
        try (var gzip = new GZIPOutputStream(out)) {
            gzip.write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    static String digest(byte[] bytes) {
        try {
            return "sha256:" + HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    List<Layer> layers() {
        return layers;
    }

    byte[] configDocument() {
        return JSON.writeValueAsBytes(Map.of("architecture", architecture, "os", "linux", "config", config,
                "rootfs", Map.of("type", "layers", "diff_ids", layers.stream().map(l -> digest(l.tar())).toList())));
    }

    byte[] manifest() {
        return JSON.writeValueAsBytes(Map.of("schemaVersion", 2, "mediaType", OCI + "manifest.v1+json",
                "config", descriptor(OCI + "config.v1+json", configDocument()),
                "layers", layers.stream().map(l -> descriptor(l.mediaType(), l.stored())).toList()));
    }

    static Map<String, Object> descriptor(String mediaType, byte[] content) {
        return new LinkedHashMap<>(Map.of("mediaType", mediaType, "digest", digest(content), "size", content.length));
    }

    Map<String, Object> platformDescriptor() {
        var descriptor = descriptor(OCI + "manifest.v1+json", manifest());
        descriptor.put("platform", Map.of("os", "linux", "architecture", architecture));
        return descriptor;
    }

    static byte[] index(List<Map<String, Object>> manifests) {
        return JSON.writeValueAsBytes(Map.of("schemaVersion", 2, "mediaType", OCI + "index.v1+json", "manifests", manifests));
    }

    /// All blobs by digest, the manifest among them.
    Map<String, byte[]> blobs() {
        var blobs = new LinkedHashMap<String, byte[]>();
        for (var content : List.of(configDocument(), manifest())) {
            blobs.put(digest(content), content);
        }
        layers.forEach(l -> blobs.put(digest(l.stored()), l.stored()));
        return blobs;
    }

    /// The tar of an OCI layout, its files below `prefix`.
    byte[] ociArchive(String prefix) {
        return ociArchive(prefix, blobs(), index(List.of(descriptor(OCI + "manifest.v1+json", manifest()))));
    }

    static byte[] ociArchive(String prefix, Map<String, byte[]> blobs, byte[] index) {
        var tar = new LayerTar();
        if (!prefix.isEmpty()) {
            tar.dir(prefix);
        }
        tar.dir(prefix + "blobs").dir(prefix + "blobs/sha256");
        blobs.forEach((digest, content) -> tar.file(prefix + "blobs/sha256/" + digest.substring(7), 0644, content));
        return tar.file(prefix + "index.json", 0644, index).file(prefix + "oci-layout", "{\"imageLayoutVersion\":\"1.0.0\"}").bytes();
    }

    /// As `docker save` wrote it for long: layers by directory, uncompressed, one of them a link to another where they are the same.
    byte[] dockerArchive(String... tags) {
        var config = configDocument();
        var configName = digest(config).substring(7) + ".json";
        var tar = new LayerTar();
        var names = new ArrayList<String>();
        var seen = new LinkedHashMap<String, String>();
        for (int i = 0; i < layers.size(); i++) {
            var id = digest(("layer " + i).getBytes(StandardCharsets.UTF_8)).substring(7);
            tar.dir(id + "/").file(id + "/VERSION", "1.0").file(id + "/json", "{}");
            var before = seen.putIfAbsent(digest(layers.get(i).tar()), id);
            if (before == null) {
                tar.file(id + "/layer.tar", 0644, layers.get(i).tar());
            } else {
                tar.symlink(id + "/layer.tar", "../" + before + "/layer.tar");
            }
            names.add(id + "/layer.tar");
        }
        tar.file(configName, 0644, config);
        tar.file("manifest.json", 0644, JSON.writeValueAsBytes(List.of(Map.of("Config", configName, "RepoTags", List.of(tags), "Layers", names))));
        return tar.bytes();
    }
}
