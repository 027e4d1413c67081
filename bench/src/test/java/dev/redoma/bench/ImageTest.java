// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redoma.engine.image.ImageArchive;
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
import dev.redoma.pool.IncomingTar;
import dev.redoma.pool.LayerId;
import dev.redoma.pool.TarFiles;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Images from registries and archives into a real pool; the registry is the distribution's, and a bad one where that is too good.
@Timeout(120)
class ImageTest {
    private static final String MANIFEST = "application/vnd.oci.image.manifest.v1+json";
    private static Path data;
    private static BtrfsPool pool;

    @TempDir
    Path tmp;

    private List<LayerId> before = List.of();

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

    private static TestImage sample(String marker) {
        return new TestImage().config("User", "1234:5678").config("Env", List.of("A=1", "PATH=/bin", "E=")).config("WorkingDir", "/srv/app")
                .config("Entrypoint", List.of("/bin/ep")).config("Cmd", List.of("x")).config("ExposedPorts", Map.of("80/tcp", Map.of())).config("Labels", Map.of("who", "me"))
                .config("StopSignal", "SIGQUIT")
                .gzip(new LayerTar().dir("etc").file("etc/passwd", "root:x:0:0::/:\n").file("etc/marker", marker).dir("d").file("d/gone", "1").file("d/stays", "2"))
                .zstd(new LayerTar().dir("d").file("d/.wh.gone", "").hardlink("d/link", "d/stays").device("d/null").file("n".repeat(200) + "/ä b", "odd"))
                .plain(new LayerTar().dir("top").file("top/f", marker));
    }

    private static Registries registries(String host) {
        return new Registries(null, List.of(new Registries.Named(host, true, true, null, null, null, List.of(), null)));
    }

    private static Registries registries(String host, String user, Path password, String... tokenHosts) {
        return new Registries(null, List.of(new Registries.Named(host, true, true, null, user, password, List.of(tokenHosts), null)));
    }

    private interface Use {
        void of(SourceImage image, PullControl control);
    }

    private static void pull(Registries registries, String reference, Use use) {
        pull(registries, reference, new PullControl(p -> {}), use);
    }

    private static void pull(Registries registries, String reference, PullControl control, Use use) {
        try (var out = new CheckedOutgoing(new CheckedDialler(), registries)) {
            use.of(RegistryClient.of(out, registries, ImageReference.parse(reference), control).image(), control);
        }
    }

    private static ImageUnpacking.Outcome[] unpack(SourceImage image, PullControl control) {
        try (var stack = pool.stack(l -> {})) {
            var outcome = new ImageUnpacking(stack, control).run(image);
            assertThat(stack.read("d/gone", 9)).isEmpty();
            assertThat(stack.read("d/link", 9)).hasValueSatisfying(v -> assertThat(v).isEqualTo("2".getBytes()));
            stack.finish();
            return new ImageUnpacking.Outcome[] {outcome};
        }
    }

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
    void nameAndPasswordOpenALockedRegistry() throws IOException {
        try (var registry = RegistryServer.locked(tmp)) {
            registry.push("locked", "v1", sample("locked"));
            var right = RegistryServer.passwordFile(tmp, RegistryServer.PASSWORD);
            pull(registries(registry.host(), "tester", right), registry.host() + "/locked:v1", (found, control) -> unpack(found, control));
            refused(registries(registry.host()), registry.host() + "/locked:v1", Code.REGISTRY_DENIED, "401");
            refused(registries(registry.host(), "tester", RegistryServer.passwordFile(tmp, "wrong")), registry.host() + "/locked:v1", Code.REGISTRY_DENIED, "401");
            Files.setPosixFilePermissions(right, java.nio.file.attribute.PosixFilePermissions.fromString("rw-r--r--"));
            refused(registries(registry.host(), "tester", right), registry.host() + "/locked:v1", Code.HOST_FAILED, "read or written by others");
        }
    }

    @Test
    void aTokenIsFetchedAndThePasswordGoesOnlyWhereItMay() throws IOException {
        var image = sample("token");
        var password = RegistryServer.passwordFile(tmp, "pw");
        try (var registry = new FakeRegistry(); var issuer = new FakeRegistry()) {
            registry.serve("r", "v1", image);
            var realm = new String[] {issuer.host()};
            var asked = new ArrayList<String>();
            registry.on("/v2/r/manifests/v1", e -> {
                if ("Bearer good".equals(e.getRequestHeaders().getFirst("Authorization"))) {
                    FakeRegistry.body(e, 200, MANIFEST, image.manifest());
                } else {
                    e.getResponseHeaders().set("WWW-Authenticate", "Bearer realm=\"http://" + realm[0] + "/token\",service=\"the, service\",scope=\"repository:r:pull,push\"");
                    FakeRegistry.status(e, 401);
                }
            });
            issuer.on("/token", e -> {
                asked.add(e.getRequestURI().getRawQuery());
                FakeRegistry.body(e, 200, "application/json", "{\"token\":\"good\",\"expires_in\":300}".getBytes());
            });
            var both = List.of(new Registries.Named(registry.host(), true, true, null, "me", password, List.of(issuer.host()), null),
                    new Registries.Named(issuer.host(), true, true, null, null, null, List.of(), null));
            pull(new Registries(null, both), registry.host() + "/r:v1", (found, control) -> unpack(found, control));
            assertThat(issuer.asked).containsExactly("/token Basic bWU6cHc=");
            assertThat(asked).containsExactly("scope=repository%3Ar%3Apull&service=the%2C+service");
            assertThat(registry.asked).noneMatch(a -> a.contains("Basic"));
            issuer.asked.clear();
            var apart = List.of(new Registries.Named(registry.host(), true, true, null, "me", password, List.of(), null), both.getLast());
            pull(new Registries(null, apart), registry.host() + "/r:v1", (found, control) -> {});
            assertThat(issuer.asked).containsExactly("/token -");
        }
    }

    @Test
    void aRedirectIsFollowedWithoutCredentialsAndOnlyWhereDiallingIsAllowed() throws IOException {
        var image = sample("redirected");
        var layer = image.layers().getFirst();
        var blob = "/v2/r/blobs/" + TestImage.digest(layer.stored());
        var password = RegistryServer.passwordFile(tmp, "pw");
        try (var registry = new FakeRegistry(); var elsewhere = new FakeRegistry()) {
            registry.serve("r", "v1", image).on("/v2/r/manifests/v1", e -> {
                if (e.getRequestHeaders().getFirst("Authorization") == null) {
                    e.getResponseHeaders().set("WWW-Authenticate", "Basic realm=\"x\"");
                    FakeRegistry.status(e, 401);
                } else {
                    FakeRegistry.body(e, 200, MANIFEST, image.manifest());
                }
            });
            registry.on(blob, e -> FakeRegistry.redirect(e, "http://" + elsewhere.host() + "/signed?x=1"));
            elsewhere.on("/signed", e -> FakeRegistry.body(e, 200, "application/octet-stream", layer.stored()));
            var named = new Registries.Named(registry.host(), true, true, null, "me", password, List.of(), null);
            var other = new Registries.Named(elsewhere.host(), true, true, null, null, null, List.of(), null);
            pull(new Registries(null, List.of(named, other)), registry.host() + "/r:v1", (found, control) -> unpack(found, control));
            assertThat(elsewhere.asked).containsExactly("/signed -");
            var anew = sample("redirected again");
            registry.serve("r", "v2", anew).on("/v2/r/blobs/" + TestImage.digest(anew.layers().getFirst().stored()), e -> FakeRegistry.redirect(e, "http://" + elsewhere.host() + "/signed"));
            refusedUnpacking(new Registries(null, List.of(named)), registry.host() + "/r:v2", Code.ADDRESS_REFUSED, "without TLS");
            registry.on("/v2/r/blobs/" + TestImage.digest(anew.layers().getFirst().stored()), e -> FakeRegistry.redirect(e, "https://" + elsewhere.host() + "/signed"));
            refusedUnpacking(new Registries(null, List.of(named)), registry.host() + "/r:v2", Code.ADDRESS_REFUSED, "loopback");
            registry.on("/v2/r/blobs/" + TestImage.digest(anew.layers().getFirst().stored()), e -> FakeRegistry.redirect(e, "file:///etc/passwd"));
            refusedUnpacking(new Registries(null, List.of(named)), registry.host() + "/r:v2", Code.REGISTRY_FAILED, "no address");
            registry.on("/v2/r/blobs/" + TestImage.digest(anew.layers().getFirst().stored()), e -> FakeRegistry.redirect(e, "/v2/r/blobs/" + TestImage.digest(anew.layers().getFirst().stored())));
            refusedUnpacking(new Registries(null, List.of(named)), registry.host() + "/r:v2", Code.REGISTRY_FAILED, "redirects more than");
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
    void aRegistryNotNamedByTheOperatorIsNotDialledWhereItIsNotPublic() {
        try (var registry = new FakeRegistry()) {
            refused(Registries.NONE, registry.host() + "/r:v1", Code.ADDRESS_REFUSED, "loopback");
            refused(Registries.NONE, "localhost:" + registry.port() + "/r:v1", Code.ADDRESS_REFUSED, "loopback");
            refused(Registries.NONE, "[::ffff:127.0.0.1]:" + registry.port() + "/r:v1", Code.ADDRESS_REFUSED, "loopback");
            refused(new Registries(null, List.of(new Registries.Named(registry.host(), true, false, null, null, null, List.of(), null))), registry.host() + "/r:v1",
                    Code.ADDRESS_REFUSED, "allow-private");
            assertThat(registry.asked).isEmpty();
        }
        refused(Registries.NONE, "debian:12", Code.INVALID_FIELD, "default-registry");
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

    // --- hostile registries

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

    // --- archives

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

    // --- refusals

    private static TestImage bigImage(String marker) {
        var noise = new byte[2 << 20];
        new java.util.Random(marker.hashCode()).nextBytes(noise);
        return new TestImage().gzip(new LayerTar().dir("d").file("d/stays", "2").hardlink("d/link", "d/stays").file("noise", 0644, noise));
    }

    private void refused(Registries registries, String reference, Code code, String... words) {
        refused(registries, reference, (found, control) -> {}, code, words);
    }

    private void refusedUnpacking(Registries registries, String reference, Code code, String... words) {
        before = pool.layers();
        refused(registries, reference, (found, control) -> unpack(found, control), code, words);
        assertThat(pool.layers()).isEqualTo(before);
    }

    private static void refused(Registries registries, String reference, Use use, Code code, String... words) {
        var thrown = assertThatThrownBy(() -> pull(registries, reference, use)).as(reference)
                .isInstanceOfSatisfying(RedomaException.class, e -> assertThat(e.problem().code()).as(e.problem().message()).isEqualTo(code));
        for (var word : words) {
            thrown.satisfies(e -> assertThat(((RedomaException) e).problem().message() + " " + ((RedomaException) e).problem().remedy()).contains(word));
        }
    }

    private void refusedArchive(byte[] archive, String word) throws IOException {
        var layers = pool.layers();
        assertThatThrownBy(() -> incoming(archive, files -> unpack(ImageArchive.find(files).orElseThrow(), new PullControl(p -> {}))))
                .isInstanceOfSatisfying(RedomaException.class, e -> assertThat(e.problem().code()).isEqualTo(Code.ARCHIVE_REFUSED)).hasMessageContaining(word);
        assertThat(pool.layers()).isEqualTo(layers);
    }
}
