// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine.image;

import dev.redoma.engine.image.SourceImage.SourceLayer;
import dev.redoma.pool.TarFiles;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// An image in a tar: an OCI layout, or what `docker save` writes. Told by what is in it.
public final class ImageArchive {
    private static final int MOST_IMAGES = 100;

    private final TarFiles files;
    private final String prefix;

    private ImageArchive(TarFiles files, String prefix) {
        this.files = files;
        this.prefix = prefix;
    }

    /// The image, if this is an archive of one; it may lie in one directory of the tar.
    public static Optional<SourceImage> find(TarFiles files) {
        for (var prefix : prefixes(files)) {
            var archive = new ImageArchive(files, prefix);
            if (files.has(prefix + "oci-layout") && files.has(prefix + "index.json")) {
                return Optional.of(archive.layout());
            }
            if (files.has(prefix + "manifest.json")) {
                return Optional.of(archive.saved());
            }
        }
        return Optional.empty();
    }

    private static List<String> prefixes(TarFiles files) {
        var tops = files.names().stream().map(n -> n.indexOf('/') < 0 ? "" : n.substring(0, n.indexOf('/') + 1)).distinct().limit(2).toList();
        return tops.size() == 1 && !tops.getFirst().isEmpty() ? List.of("", tops.getFirst()) : List.of("");
    }

    private SourceImage layout() {
        var version = Json.parse("its oci-layout", small("oci-layout", 1 << 12)).textOr("imageLayoutVersion", "");
        if (!version.startsWith("1.")) {
            throw Refusal.image("its layout is of version '" + Refusal.shown(version) + "', and 1 is known");
        }
        return new Choice(new Blobs()).from(small("index.json", Manifests.LARGEST), "application/vnd.oci.image.index.v1+json");
    }

    private byte[] small(String name, int most) {
        long size = files.size(prefix + name).orElseThrow(() -> Refusal.image("'" + Refusal.shown(name) + "' is not in its archive"));
        if (size > most) {
            throw Refusal.image("'" + Refusal.shown(name) + "' has " + size + " bytes; at most " + most + " are taken");
        }
        try (var in = open(name)) {
            return in.readNBytes((int) size);
        } catch (IOException e) {
            throw Refusal.image("'" + Refusal.shown(name) + "' cannot be read", e);
        }
    }

    private InputStream open(String name) {
        return files.open(prefix + name).orElseThrow(() -> Refusal.image("'" + Refusal.shown(name) + "' is not in its archive"));
    }

    /// Layers are named by path here, and have no digest but that of their content, which the configuration says.
    private SourceImage saved() {
        var images = Json.parse("its manifest.json", small("manifest.json", Manifests.LARGEST)).items(MOST_IMAGES);
        if (images.size() != 1) {
            throw Refusal.image(images.isEmpty() ? "its archive is empty" : "there are several: "
                    + images.stream().flatMap(i -> i.texts("RepoTags", MOST_IMAGES).stream()).limit(20).map(Refusal::shown).collect(Collectors.joining(", ")) + "; save one of them");
        }
        var image = images.getFirst();
        var name = image.textOr("Config", "");
        var text = small(clean(name), ImageConfig.LARGEST);
        var digest = Digest.of(text);
        if (name.matches("(.*/)?(sha256:)?[0-9a-f]{64}(\\.json)?") && !name.contains(digest.hex())) {
            throw Refusal.image("its configuration '" + name + "' has the digest " + digest);
        }
        var config = ImageConfig.parse(text);
        var paths = image.texts("Layers", Manifests.MOST_LAYERS);
        if (paths.size() != config.diffIds().size()) {
            throw Refusal.image("its archive has " + paths.size() + " layers, and its configuration " + config.diffIds().size());
        }
        var layers = new ArrayList<SourceLayer>();
        for (int i = 0; i < paths.size(); i++) {
            var path = clean(paths.get(i));
            long size = files.size(prefix + path).orElseThrow(() -> Refusal.image("'" + Refusal.shown(path) + "' is not in its archive"));
            layers.add(new SourceLayer(config.diffIds().get(i), size, () -> open(path)));
        }
        return new SourceImage(digest, config, layers);
    }

    private static String clean(String path) {
        return path.startsWith("./") ? path.substring(2) : path;
    }

    private final class Blobs implements Documents {
        private String name(Descriptor wanted) {
            return "blobs/sha256/" + wanted.digest().hex();
        }

        @Override
        public byte[] manifest(Descriptor wanted) {
            return document(wanted);
        }

        @Override
        public byte[] document(Descriptor wanted) {
            return Documents.checked(wanted, small(name(wanted), (int) Math.min(wanted.size(), ImageConfig.LARGEST)));
        }

        @Override
        public InputStream layer(Descriptor wanted) {
            return new CheckedStream(open(name(wanted)), wanted);
        }
    }
}
