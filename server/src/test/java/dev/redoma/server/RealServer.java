// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import dev.redoma.gateway.CheckedDialler;
import dev.redoma.http.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The real server in this process, on a port of its own with directories of its own and the template `tiny`. Closing it ends every
/// sandbox, takes the pool down and fails if anything of it is left on the host.
public final class RealServer implements AutoCloseable {
    private final Path dir;
    private final Map<String, String> environment;
    private final @Nullable CheckedDialler dialler;
    private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private House house;
    private OperatorProfile.Profile profile;

    private RealServer(Map<String, String> environment, @Nullable CheckedDialler dialler) throws IOException {
        this.dialler = dialler;
        this.environment = environment;
        Leftovers.ofRunsThatWereKilled();
        dir = Files.createTempDirectory(Path.of("/tmp"), "rdt");
        try {
            start();
        } catch (Throwable failed) {
            Leftovers.remove(dir);
            throw failed;
        }
    }

    /// With the shipped configuration, but a small pool, `tiny` as default template and what `environment` says (`REDOMA_*`).
    public static RealServer start(Map<String, String> environment) throws Exception {
        return start(environment, null);
    }

    /// `dialler`: how sandboxes get out, where it is not as configured.
    static RealServer start(Map<String, String> environment, @Nullable CheckedDialler dialler) throws Exception {
        var over = new java.util.HashMap<>(Map.of("REDOMA_POOL_SIZE", "2GiB", "REDOMA_DEFAULT_TEMPLATE", "tiny", "REDOMA_WARM_SIZE", "0"));
        over.putAll(environment);
        var server = new RealServer(over, dialler);
        try {
            var answer = server.send("PUT", "/v1/templates/tiny", BodyPublishers.ofByteArray(TinyRoot.tar()));
            if (answer.statusCode() != 201) {
                throw new AssertionError("template tiny: " + answer.body());
            }
            return server;
        } catch (Throwable failed) {
            server.close();
            throw failed;
        }
    }

    private void start() throws IOException {
        var home = Path.of(System.getProperty("redoma.home", System.getProperty("redoma.root", "..")));
        house = House.open(new Options(data(), dir.resolve("run"), home.toAbsolutePath(), "127.0.0.1:0", null, dir.resolve("profile.json")), environment, dialler);
        profile = Json.read(Files.readAllBytes(dir.resolve("profile.json")), OperatorProfile.Profile.class);
    }

    /// As after `systemctl restart`: sandboxes live on.
    public void restart() throws IOException {
        away(() -> { });
    }

    /// What is done between two servers.
    interface Away {
        void run() throws Exception;
    }

    /// As with `restart`, and something happens while nobody serves.
    void away(Away what) throws IOException {
        house.close();
        try {
            what.run();
        } catch (IOException failed) {
            throw failed;
        } catch (Exception failed) {
            throw new IllegalStateException(failed);
        } finally {
            start();
        }
    }

    public String url() {
        return profile.url();
    }

    public String secure() {
        return java.util.Objects.requireNonNull(house.secure());
    }

    public String router() {
        return house.router();
    }

    public String key() {
        return profile.key();
    }

    public Path data() {
        return dir.resolve("data");
    }

    public HttpClient client() {
        return client;
    }

    public HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(url() + path)).timeout(Duration.ofSeconds(120)).header("Authorization", "Bearer " + key());
    }

    public HttpResponse<String> send(String method, String path, BodyPublisher body, String... headers) throws IOException, InterruptedException {
        var request = request(path).method(method, body);
        if (headers.length > 0) {
            request.headers(headers);
        }
        return client.send(request.build(), BodyHandlers.ofString());
    }

    public HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return send("GET", path, BodyPublishers.noBody());
    }

    public HttpResponse<String> delete(String path) throws IOException, InterruptedException {
        return send("DELETE", path, BodyPublishers.noBody());
    }

    public HttpResponse<String> post(String path, Object body) throws IOException, InterruptedException {
        return send("POST", path, BodyPublishers.ofByteArray(Json.bytes(body)), "Content-Type", "application/json");
    }

    /// POST that must succeed, its answer read.
    public <T> T post(String path, Object body, Class<T> type) throws IOException, InterruptedException {
        return read(post(path, body), type);
    }

    public static <T> T read(HttpResponse<String> answer, Class<T> type) {
        if (answer.statusCode() >= 300) {
            throw new AssertionError(answer.statusCode() + " " + answer.body());
        }
        return Json.read(answer.body().getBytes(StandardCharsets.UTF_8), type);
    }

    @Override
    public void close() throws IOException, InterruptedException {
        var told = new ArrayList<String>();
        try {
            var ended = delete("/v1/sandboxes?all=true");
            if (ended.statusCode() != 200) {
                told.add("killing all: " + ended.body());
            }
        } finally {
            house.uninstall();
            client.close();
            told.addAll(Leftovers.of(dir));
            Leftovers.remove(dir);
        }
        if (!told.isEmpty()) {
            throw new AssertionError("left on the host:\n" + String.join("\n", told));
        }
    }

}
