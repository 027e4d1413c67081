// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import dev.redoma.http.HttpServer;
import dev.redoma.http.Json;
import dev.redoma.ledger.ChainLedger;
import dev.redoma.model.wire.CreateKey;
import dev.redoma.model.wire.NewKey;
import dev.redoma.model.wire.Problem;
import dev.redoma.model.wire.ServerInfo;
import dev.redoma.server.api.NativeApi;
import dev.redoma.server.api.ServerRoutes;
import dev.redoma.server.config.Config;
import dev.redoma.store.SqliteStore;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/// The API as it is served, over an engine in memory and a real store and ledger.
final class FakeServed implements AutoCloseable {
    final FakeRedoma redoma = new FakeRedoma();
    final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    final OperatorProfile.Profile profile;
    final Path dataDir;
    final SqliteStore store;
    final Serving serving;

    FakeServed(Path dataDir) throws IOException {
        this(dataDir, Map.of());
    }

    FakeServed(Path dataDir, Map<String, String> environment) throws IOException {
        this.dataDir = dataDir;
        var config = Config.load(dataDir, dataDir.resolve("run"), null, environment, "127.0.0.1:0");
        store = SqliteStore.open(dataDir.resolve("redoma.db"));
        var ledger = ChainLedger.open(store, dataDir);
        var keys = new dev.redoma.server.keys.Keys(store, ledger, java.time.Clock.systemUTC());
        ledger.persons(keys::person);
        var about = new ServerRoutes.About(() -> new ServerInfo("0.1.0", "i", "container", List.of(), Map.of()), List::of, new Metrics(store, Map::of)::text);
        var http = HttpServer.start(config.http(), NativeApi.starting());
        serving = Serving.start(config, http, new Serving.Outside(http.address().getPort(), E2b.starting(), null), E2b.tokens(config.dataDir()), keys, store, ledger, redoma, about, dataDir.resolve("p/profile.json"));
        profile = Json.read(Files.readAllBytes(dataDir.resolve("p/profile.json")), OperatorProfile.Profile.class);
    }

    URI uri(String path) {
        return URI.create(serving.url() + path);
    }

    HttpRequest.Builder request(String key, String path) {
        return HttpRequest.newBuilder(uri(path)).timeout(Duration.ofSeconds(20)).header("Authorization", "Bearer " + key);
    }

    HttpResponse<String> call(String key, String method, String path, BodyPublisher body, String... headers) throws IOException, InterruptedException {
        var request = request(key, path).method(method, body);
        if (headers.length > 0) {
            request.headers(headers);
        }
        return client.send(request.build(), BodyHandlers.ofString());
    }

    HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return call(profile.key(), "GET", path, BodyPublishers.noBody());
    }

    HttpResponse<String> post(String path, Object body) throws IOException, InterruptedException {
        return call(profile.key(), "POST", path, BodyPublishers.ofByteArray(Json.bytes(body)), "Content-Type", "application/json");
    }

    NewKey key(String tenant, String... scopes) throws IOException, InterruptedException {
        return Json.read(post("/v1/keys", new CreateKey("k", tenant, List.of(scopes))).body().getBytes(), NewKey.class);
    }

    static Problem problem(HttpResponse<String> answer) {
        return Json.read(answer.body().getBytes(java.nio.charset.StandardCharsets.UTF_8), Problem.class);
    }

    @Override
    public void close() {
        serving.close();
        client.close();
        store.close();
    }
}
