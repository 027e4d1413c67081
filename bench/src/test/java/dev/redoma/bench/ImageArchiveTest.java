// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redoma.engine.image.ImageArchive;
import dev.redoma.engine.image.PullControl;
import dev.redoma.model.Code;
import dev.redoma.model.RedomaException;
import dev.redoma.pool.IncomingTar;
import dev.redoma.pool.TarFiles;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Images that come as one file.
class ImageArchiveTest extends ImageCase {
    @Test
    void layoutsAndSavedImagesAreToldByTheirContent() throws IOException {
        var image = sample("archived").gzip(new LayerTar().dir("same").file("same/f", "1")).plain(new LayerTar().dir("same").file("same/f", "1"));
        for (var archive : List.of(image.ociArchive(""), image.ociArchive("./"), image.ociArchive("my-image/"), image.dockerArchive("a:1"), TestImage.gzip(image.dockerArchive("a:1")))) {
            assertThat(incoming(archive, files -> {
                var found = ImageArchive.find(files).orElseThrow();
                assertThat(found.config().workingDir()).isEqualTo("/srv/app");
                unpack(found, new PullControl(p -> {}));
            })).isTrue();
        }
        assertThat(incoming(new LayerTar().dir("./").dir("./etc").file("./etc/x", "").bytes(), files -> {})).isFalse();
        assertThat(incoming(new LayerTar().dir("app").file("app/x", "").bytes(), files -> assertThat(ImageArchive.find(files)).isEmpty())).isTrue();
    }

    @Test
    void archivesThatLieAreRefused() throws IOException {
        var image = sample("lying archive");
        var blobs = image.blobs();
        var index = TestImage.index(List.of(TestImage.descriptor(MANIFEST, image.manifest())));
        blobs.put(TestImage.digest(image.layers().getFirst().stored()), "other".getBytes());
        refusedArchive(TestImage.ociArchive("", blobs, index), "layer");
        var missing = image.blobs();
        missing.remove(TestImage.digest(image.configDocument()));
        refusedArchive(TestImage.ociArchive("", missing, index), "not in its archive");
        refusedArchive(TestImage.ociArchive("", image.blobs(), TestImage.index(List.of(TestImage.descriptor(MANIFEST, image.manifest()), TestImage.descriptor(MANIFEST, sample("b").manifest())))), "several");
        refusedArchive(TestImage.ociArchive("", image.blobs(), "no json".getBytes()), "JSON");
        refusedArchive(new LayerTar().file("manifest.json", "[{\"Config\":\"../../../etc/passwd\",\"Layers\":[]}]").bytes(), "not in its archive");
        refusedArchive(new LayerTar().symlink("manifest.json", "a").symlink("a", "manifest.json").bytes(), "links");
        refusedArchive(new LayerTar().symlink("manifest.json", "../../etc/passwd").bytes(), "leads out");
        refusedArchive(new LayerTar().file("manifest.json", "[]").file("manifest.json", "[]").bytes(), "twice");
        refusedArchive(new LayerTar().file("manifest.json", "[{},{}]").bytes(), "several");
        var wrong = sample("x");
        var tar = new LayerTar().file("manifest.json", "[{\"Config\":\"c.json\",\"Layers\":[\"l.tar\",\"l.tar\",\"l.tar\"]}]")
                .file("l.tar", 0644, new LayerTar().file("f", "").bytes()).file("c.json", 0644, wrong.configDocument());
        refusedArchive(tar.bytes(), "digest");
    }

    private interface Reading {
        void of(TarFiles files);
    }

    /// False if it is told at once to be no image.
    private static boolean incoming(byte[] archive, Reading reading) throws IOException {
        var tar = IncomingTar.of(new ByteArrayInputStream(archive));
        if (tar.mayBeImage()) {
            try (var file = tar.spool(pool.root(), 1 << 30)) {
                reading.of(TarFiles.of(file));
            }
        }
        return tar.mayBeImage();
    }

    private void refusedArchive(byte[] archive, String word) throws IOException {
        var layers = pool.layers();
        assertThatThrownBy(() -> incoming(archive, files -> unpack(ImageArchive.find(files).orElseThrow(), new PullControl(p -> {}))))
                .isInstanceOfSatisfying(RedomaException.class, e -> assertThat(e.problem().code()).isEqualTo(Code.ARCHIVE_REFUSED)).hasMessageContaining(word);
        assertThat(pool.layers()).isEqualTo(layers);
    }
}
