// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// A gibibyte through the router and E2B's daemon, both ways, while the server's memory is watched.
@Tag("long")
class RouterBulkTest {
    private static final JsonMapper JSON = new JsonMapper();
    private static final long SIZE = 1L << 30;
    private static final long GROWTH = 128L << 20;

    @Test
    void aGibibyteUpAndDownCostsTheServerLessThan128MiB() throws Exception {
        try (var rig = Rig.start("router-bulk", RigOptions.standard().withoutWarmPool())) {
            rig.importTiny();
            var box = made(rig);
            var router = rig.router();
            move(router, box, 64L << 20);
            long before = rig.serverRss();
            var most = new AtomicLong();
            var over = new AtomicBoolean();
            var watching = Thread.ofPlatform().daemon().start(() -> {
                while (!over.get()) {
                    most.accumulateAndGet(rig.serverRss(), Math::max);
                    Rig.pause(50);
                }
            });
            move(router, box, SIZE);
            over.set(true);
            watching.join();
            assertThat(most.get() - before).as("growth of the server's resident memory").isLessThan(GROWTH);
        }
    }

    private static JsonNode made(Rig rig) throws IOException {
        var connection = (HttpURLConnection) URI.create(rig.url() + "/v2/sandboxes").toURL().openConnection();
        connection.setRequestMethod("POST");
        connection.setRequestProperty("X-API-Key", rig.key());
        connection.setRequestProperty("Content-Type", "application/json");
        connection.setDoOutput(true);
        connection.getOutputStream().write("{\"templateID\":\"tiny\",\"timeout\":1200}".getBytes(StandardCharsets.UTF_8));
        return JSON.readTree(connection.getInputStream().readAllBytes());
    }

    private static HttpURLConnection file(String router, JsonNode box) throws IOException {
        var connection = (HttpURLConnection) URI.create(router + "/files?path=/tmp/bulk&username=root").toURL().openConnection();
        connection.setRequestProperty("E2b-Sandbox-Id", box.get("sandboxID").stringValue());
        connection.setRequestProperty("E2b-Sandbox-Port", "49983");
        connection.setRequestProperty("X-Access-Token", box.get("envdAccessToken").stringValue());
        connection.setReadTimeout(300_000);
        return connection;
    }

    private static void move(String router, JsonNode box, long size) throws IOException {
        var piece = new byte[1 << 20];
        new Random(7).nextBytes(piece);
        var up = file(router, box);
        up.setRequestMethod("POST");
        up.setRequestProperty("Content-Type", "application/octet-stream");
        up.setDoOutput(true);
        up.setFixedLengthStreamingMode(size);
        try (var out = up.getOutputStream()) {
            for (long sent = 0; sent < size; sent += piece.length) {
                out.write(piece);
            }
        }
        assertThat(up.getResponseCode()).isEqualTo(200);
        var down = file(router, box);
        assertThat(down.getContentLengthLong()).isEqualTo(size);
        try (InputStream in = down.getInputStream()) {
            for (long got = 0; got < size; got += piece.length) {
                assertThat(in.readNBytes(piece.length)).isEqualTo(piece);
            }
            assertThat(in.read()).isEqualTo(-1);
        }
    }
}
