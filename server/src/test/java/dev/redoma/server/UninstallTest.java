// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redoma.http.Json;
import dev.redoma.model.RedomaException;
import dev.redoma.model.wire.Finding;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Leaving a host as it was.
@Timeout(180)
class UninstallTest {
    private static final Path HOME = Path.of(System.getProperty("redoma.root", "..")).toAbsolutePath();

    Path dir;
    Path config;
    Options options;

    @BeforeEach
    void place() throws IOException {
        dir = Files.createTempDirectory(Path.of("/tmp"), "rdu");
        config = Files.writeString(dir.resolve("redoma.yaml"), "pool: {size: 2GiB}\ndefault-template: tiny\nwarm: {size: 1}\n");
        options = new Options(dir.resolve("data"), dir.resolve("run"), HOME, "127.0.0.1:0", config, dir.resolve("profile.json"));
    }

    @AfterEach
    void clean() throws IOException {
        Leftovers.remove(dir);
    }

    @Test
    void sandboxesOfAServerThatStoppedAreEndedAndNothingStays() throws Exception {
        var box = serveAndStop();
        assertThat(cgroups(box)).as("alive without a server").isNotEmpty();
        assertThat(Uninstall.of(options)).isEmpty();
        nothingStays(box);
    }

    @Test
    void withADatabaseThatCannotBeReadWhatTheHostHasIsEnded() throws Exception {
        var box = serveAndStop();
        Files.write(options.dataDir().resolve("redoma.db"), new byte[8192]);
        Files.deleteIfExists(options.dataDir().resolve("redoma.db-wal"));
        assertThat(Uninstall.of(options)).isEmpty();
        nothingStays(box);
    }

    @Test
    void withNoDatabaseAtAllToo() throws Exception {
        var box = serveAndStop();
        Files.delete(options.dataDir().resolve("redoma.db"));
        assertThat(Uninstall.of(options)).isEmpty();
        nothingStays(box);
    }

    @Test
    void withALedgerThatCannotBeOpenedToo() throws Exception {
        var box = serveAndStop();
        Files.writeString(options.dataDir().resolve("ledger.key"), "no key");
        assertThat(Uninstall.of(options)).isEmpty();
        nothingStays(box);
    }

    /// Two sandboxes, one of them paused, outlive their server; the id of the other.
    private String serveAndStop() throws Exception {
        try (var house = House.open(options, Map.of())) {
            var profile = Json.read(Files.readAllBytes(options.profile()), OperatorProfile.Profile.class);
            call(profile, "PUT", "/v1/templates/tiny", TinyRoot.tar());
            var box = call(profile, "POST", "/v1/sandboxes", "{}".getBytes());
            call(profile, "POST", "/v1/sandboxes", "{\"name\":\"second\"}".getBytes());
            call(profile, "POST", "/v1/sandboxes/second/pause", new byte[0]);
            assertThatThrownBy(() -> Uninstall.of(options)).isInstanceOf(RedomaException.class).hasMessageContaining("Another server");
            var id = box.replaceFirst("(?s).*\"id\"\\s*:\\s*\"(sb[a-z0-9]+)\".*", "$1");
            assertThat(cgroups(id)).isNotEmpty();
            return id;
        }
    }

    private void nothingStays(String box) throws IOException {
        assertThat(cgroups(box)).isEmpty();
        assertThat(options.dataDir()).doesNotExist();
        assertThat(options.runDir()).doesNotExist();
        assertThat(Leftovers.of(dir)).isEmpty();
    }

    @Test
    void whereNothingIsThereIsNothingToRemove() throws Exception {
        assertThat(Uninstall.of(options)).isEmpty();
    }

    @Test
    void aHostIsLookedAtWithoutAServerAndLeftAsItWas() throws Exception {
        var found = HostCheck.of(HOME);
        assertThat(found).extracting(Finding::area).contains("container", "pool");
        assertThat(found).extracting(Finding::status).doesNotContain("missing");
        assertThat(cgroups("redoma-check")).isEmpty();
    }

    private static List<Path> cgroups(String part) throws IOException {
        try (Stream<Path> all = Files.find(Path.of("/sys/fs/cgroup"), 4, (p, f) -> f.isDirectory() && p.getFileName().toString().contains(part))) {
            return all.toList();
        } catch (java.io.UncheckedIOException changing) {
            return cgroups(part);
        }
    }

    private static String call(OperatorProfile.Profile profile, String method, String path, byte[] body) throws Exception {
        try (var client = HttpClient.newHttpClient()) {
            var type = path.contains("templates") ? "application/x-tar" : "application/json";
            var answer = client.send(HttpRequest.newBuilder(URI.create(profile.url() + path)).header("Authorization", "Bearer " + profile.key())
                    .header("Content-Type", type).method(method, BodyPublishers.ofByteArray(body)).build(), BodyHandlers.ofString());
            assertThat(answer.statusCode()).as(answer.body()).isBetween(200, 201);
            return answer.body();
        }
    }
}
