// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/// The distribution's registry server on loopback, for tests; closing it removes all of it.
final class RegistryServer implements AutoCloseable {
    private static final Pattern LISTENS = Pattern.compile("listening on 127\\.0\\.0\\.1:(\\d+)");
    static final String PASSWORD = "correct horse";
    /// That password by bcrypt.
    private static final String HASHED = "$2b$05$abcdefghijklmnopqrstuuHNbAKRhpaujgo33bRWs.NLUTJO3lOy2";
    private final Path dir;
    private final Process process;
    private final int port;
    private final HttpClient http = HttpClient.newHttpClient();
    private final boolean locked;

    private RegistryServer(Path dir, Process process, int port, boolean locked) {
        this.dir = dir;
        this.process = process;
        this.port = port;
        this.locked = locked;
    }

    static Path binary() {
        var onPath = java.util.Arrays.stream(System.getenv("PATH").split(":")).map(p -> Path.of(p, "docker-registry"));
        var cached = java.util.stream.Stream.of(Path.of(System.getenv().getOrDefault("XDG_CACHE_HOME", System.getProperty("user.home") + "/.cache"), "redoma", "docker-registry"));
        return java.util.stream.Stream.concat(cached, onPath).filter(Files::isExecutable).findFirst()
                .orElseThrow(() -> new AssertionError("no docker-registry here: ./redoma setup fetches it"));
    }

    static RegistryServer start() {
        return start("");
    }

    /// `auth`: that part of its configuration, if it asks for a name and password or a token.
    static RegistryServer start(String auth) {
        try {
            var dir = Files.createTempDirectory(Path.of("/var/tmp"), "redoma-registry-");
            var config = Files.writeString(dir.resolve("config.yml"), """
                    version: 0.1
                    log: {level: info, accesslog: {disabled: true}}
                    storage: {filesystem: {rootdirectory: %s}}
                    http: {addr: "127.0.0.1:0", secret: tests}
                    %s
                    """.formatted(Files.createDirectory(dir.resolve("data")), auth));
            var process = new ProcessBuilder(binary().toString(), "serve", config.toString()).redirectErrorStream(true)
                    .redirectOutput(dir.resolve("log").toFile()).start();
            return new RegistryServer(dir, process, port(process, dir.resolve("log")), !auth.isEmpty());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The one that it took, as its log says.
    private static int port(Process process, Path log) throws IOException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (true) {
            var said = LISTENS.matcher(Files.readString(log));
            if (said.find()) {
                return Integer.parseInt(said.group(1));
            }
            assertThat(process.isAlive()).as("the registry runs: %s", Files.readString(log)).isTrue();
            assertThat(System.nanoTime()).as("it is ready within 30 s").isLessThan(end);
            Rig.pause(20);
        }
    }

    private URI uri(String path) {
        return URI.create("http://" + host() + path);
    }

    String host() {
        return "127.0.0.1:" + port;
    }

    /// Puts an image there under a tag; the digest of its manifest.
    String push(String repository, String tag, TestImage image) {
        blob(repository, image.configDocument());
        image.layers().forEach(l -> blob(repository, l.stored()));
        return manifest(repository, tag, image.manifest(), "application/vnd.oci.image.manifest.v1+json");
    }

    String pushIndex(String repository, String tag, Map<TestImage, String> images) {
        images.forEach((image, name) -> push(repository, name, image));
        var index = TestImage.index(images.keySet().stream().map(TestImage::platformDescriptor).toList());
        return manifest(repository, tag, index, "application/vnd.oci.image.index.v1+json");
    }

    private String manifest(String repository, String tag, byte[] manifest, String type) {
        expect(201, HttpRequest.newBuilder(uri("/v2/" + repository + "/manifests/" + tag)).header("Content-Type", type)
                .PUT(HttpRequest.BodyPublishers.ofByteArray(manifest)));
        return TestImage.digest(manifest);
    }

    private void blob(String repository, byte[] content) {
        var begun = expect(202, HttpRequest.newBuilder(uri("/v2/" + repository + "/blobs/uploads/")).POST(HttpRequest.BodyPublishers.noBody()));
        var to = uri("/").resolve(begun.headers().firstValue("Location").orElseThrow());
        expect(201, HttpRequest.newBuilder(URI.create(to + (to.getQuery() == null ? "?" : "&") + "digest=" + TestImage.digest(content)))
                .header("Content-Type", "application/octet-stream").PUT(HttpRequest.BodyPublishers.ofByteArray(content)));
    }

    private HttpResponse<byte[]> expect(int status, HttpRequest.Builder request) {
        if (locked) {
            request.header("Authorization", "Basic " + Base64.getEncoder().encodeToString(("tester:" + PASSWORD).getBytes()));
        }
        try {
            var answer = http.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
            assertThat(answer.statusCode()).as(new String(answer.body())).isEqualTo(status);
            return answer;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /// With the name and password `tester` and `correct horse`.
    static RegistryServer locked(Path dir) throws IOException {
        var htpasswd = Files.writeString(dir.resolve("htpasswd"), "tester:" + HASHED + "\n");
        return start("auth: {htpasswd: {realm: tests, path: " + htpasswd + "}}");
    }

    /// A file of a user's password, as only the owner may read it.
    static Path passwordFile(Path dir, String password) throws IOException {
        var file = Files.createFile(dir.resolve("password-" + password.hashCode()), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        return Files.writeString(file, password + "\n");
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(30, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
            TinyTemplate.deleteTree(dir);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
