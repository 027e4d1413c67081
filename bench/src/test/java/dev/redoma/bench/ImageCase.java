// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redoma.engine.image.ImageReference;
import dev.redoma.engine.image.ImageUnpacking;
import dev.redoma.engine.image.PullControl;
import dev.redoma.engine.image.Registries;
import dev.redoma.engine.image.RegistryClient;
import dev.redoma.engine.image.SourceImage;
import dev.redoma.gateway.CheckedDialler;
import dev.redoma.gateway.CheckedOutgoing;
import dev.redoma.model.Bytes;
import dev.redoma.model.Code;
import dev.redoma.model.RedomaException;
import dev.redoma.pool.Backing;
import dev.redoma.pool.BtrfsPool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;

/// What tests of images share: a real pool, the images, and how a pull is refused. The registry is the distribution's, and a bad one where that is too good.
@Timeout(120)
abstract class ImageCase {
    static final String MANIFEST = "application/vnd.oci.image.manifest.v1+json";
    private static Path data;
    static BtrfsPool pool;

    @BeforeAll
    static void openPool() throws IOException {
        data = Files.createTempDirectory(Path.of("/var/tmp"), "redoma-images-").toRealPath();
        pool = BtrfsPool.open(data, Backing.sparse(Bytes.gibi(4)));
    }

    @AfterAll
    static void closePool() throws IOException {
        pool.release();
        TinyTemplate.deleteTree(data);
    }

    @AfterEach
    void nothingHalfMadeStays() {
        assertThat(pool.root().resolve("layers")).isDirectoryNotContaining("glob:**.new");
        assertThat(pool.root()).isDirectoryNotContaining("glob:**.incoming*");
    }

    static TestImage sample(String marker) {
        return new TestImage().config("User", "1234:5678").config("Env", List.of("A=1", "PATH=/bin", "E=")).config("WorkingDir", "/srv/app")
                .config("Entrypoint", List.of("/bin/ep")).config("Cmd", List.of("x")).config("ExposedPorts", Map.of("80/tcp", Map.of())).config("Labels", Map.of("who", "me"))
                .config("StopSignal", "SIGQUIT")
                .gzip(new LayerTar().dir("etc").file("etc/passwd", "root:x:0:0::/:\n").file("etc/marker", marker).dir("d").file("d/gone", "1").file("d/stays", "2"))
                .zstd(new LayerTar().dir("d").file("d/.wh.gone", "").hardlink("d/link", "d/stays").device("d/null").file("n".repeat(200) + "/ä b", "odd"))
                .plain(new LayerTar().dir("top").file("top/f", marker));
    }

    static TestImage bigImage(String marker) {
        var noise = new byte[2 << 20];
        new java.util.Random(marker.hashCode()).nextBytes(noise);
        return new TestImage().gzip(new LayerTar().dir("d").file("d/stays", "2").hardlink("d/link", "d/stays").file("noise", 0644, noise));
    }

    static Registries registries(String host) {
        return new Registries(null, List.of(new Registries.Named(host, true, true, null, null, null, List.of(), null)));
    }

    static Registries registries(String host, String user, Path password, String... tokenHosts) {
        return new Registries(null, List.of(new Registries.Named(host, true, true, null, user, password, List.of(tokenHosts), null)));
    }

    interface Use {
        void of(SourceImage image, PullControl control);
    }

    static void pull(Registries registries, String reference, Use use) {
        pull(registries, reference, new PullControl(p -> {}), use);
    }

    static void pull(Registries registries, String reference, PullControl control, Use use) {
        try (var out = new CheckedOutgoing(new CheckedDialler(), registries)) {
            use.of(RegistryClient.of(out, registries, ImageReference.parse(reference), control).image(), control);
        }
    }

    static ImageUnpacking.Outcome[] unpack(SourceImage image, PullControl control) {
        try (var stack = pool.stack(l -> {})) {
            var outcome = new ImageUnpacking(stack, control, pool).run(image);
            assertThat(stack.read("d/gone", 9)).isEmpty();
            assertThat(stack.read("d/link", 9)).hasValueSatisfying(v -> assertThat(v).isEqualTo("2".getBytes()));
            stack.finish();
            return new ImageUnpacking.Outcome[] {outcome};
        }
    }

    void refused(Registries registries, String reference, Code code, String... words) {
        refused(registries, reference, (found, control) -> {}, code, words);
    }

    static void refused(Registries registries, String reference, Use use, Code code, String... words) {
        var thrown = assertThatThrownBy(() -> pull(registries, reference, use)).as(reference)
                .isInstanceOfSatisfying(RedomaException.class, e -> assertThat(e.problem().code()).as(e.problem().message()).isEqualTo(code));
        for (var word : words) {
            thrown.satisfies(e -> assertThat(((RedomaException) e).problem().message() + " " + ((RedomaException) e).problem().remedy()).contains(word));
        }
    }

    void refusedUnpacking(Registries registries, String reference, Code code, String... words) {
        var before = pool.layers();
        refused(registries, reference, (found, control) -> unpack(found, control), code, words);
        assertThat(pool.layers()).isEqualTo(before);
    }
}
