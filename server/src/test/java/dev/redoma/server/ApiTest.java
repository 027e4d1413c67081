// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redoma.http.Json;
import dev.redoma.model.wire.CreateSandbox;
import dev.redoma.model.wire.Exec;
import dev.redoma.model.wire.ExecSpec;
import dev.redoma.model.wire.Sandbox;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ApiTest {
    @TempDir Path dir;
    FakeServed s;

    @BeforeEach
    void serve() throws Exception {
        s = new FakeServed(dir);
    }

    @AfterEach
    void end() {
        s.close();
    }

    static final CreateSandbox PLAIN = new CreateSandbox(null, null, null, null, null, null, null, null, null, null, null, null);

    static ExecSpec exec(String... argv) {
        return new ExecSpec(List.of(argv), null, null, null, null, null, null, null, null);
    }

    Sandbox create() throws Exception {
        var answer = s.post("/v1/sandboxes", PLAIN);
        assertThat(answer.statusCode()).isEqualTo(201);
        return Json.read(answer.body().getBytes(StandardCharsets.UTF_8), Sandbox.class);
    }

    record Frame(int type, byte[] payload) {}

    static List<Frame> frames(byte[] bytes) throws Exception {
        var in = new DataInputStream(new ByteArrayInputStream(bytes));
        var frames = new ArrayList<Frame>();
        while (in.available() > 0) {
            int type = in.readUnsignedByte();
            frames.add(new Frame(type, in.readNBytes(in.readInt())));
        }
        return frames;
    }

    @Test
    void theProfileIsPrivateAndItsKeyWorks() throws Exception {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(dir.resolve("p/profile.json")))).isEqualTo("rw-------");
        assertThat(s.profile.key()).matches("e2b_[0-9a-f]{40}");
        assertThat(s.get("/v1").body()).contains("\"version\":\"0.1.0\"");
        assertThat(s.get("/health").body()).isEqualTo("{\"status\":\"ok\"}");
        assertThat(new String(Files.readAllBytes(dir.resolve("redoma.db")), StandardCharsets.ISO_8859_1)).doesNotContain(s.profile.key());
    }

    @Test
    void aSandboxIsMadeShownAndEnded() throws Exception {
        var made = create();
        assertThat(s.get("/v1/sandboxes/" + made.id()).statusCode()).isEqualTo(200);
        assertThat(s.call(s.profile.key(), "DELETE", "/v1/sandboxes/" + made.id(), BodyPublishers.noBody()).body()).contains("\"state\":\"ended\"");
    }

    @Test
    void anExecAnswersWithItsOutputInOneRoundTrip() throws Exception {
        var made = create();
        var answer = s.client.send(s.request(s.profile.key(), "/v1/sandboxes/" + made.id() + "/execs").header("Accept", "application/vnd.redoma.output")
                .header("Content-Type", "application/json").POST(BodyPublishers.ofByteArray(Json.bytes(exec("echo", "hello")))).build(), BodyHandlers.ofByteArray());
        assertThat(answer.statusCode()).isEqualTo(200);
        var frames = frames(answer.body());
        assertThat(frames).extracting(Frame::type).containsExactly(3, 1, 3);
        assertThat(new String(frames.get(1).payload())).isEqualTo("hello\n");
        assertThat(Json.read(frames.get(2).payload(), Exec.class).exitCode()).isZero();
    }

    @Test
    void outputIsReadAgainFromAnyOffset() throws Exception {
        var made = create();
        var run = Json.read(s.post("/v1/sandboxes/" + made.id() + "/execs", exec("bytes", "1000000")).body().getBytes(), Exec.class);
        var answer = s.client.send(s.request(s.profile.key(), "/v1/sandboxes/" + made.id() + "/execs/" + run.id() + "/output?offset=999990")
                .header("Accept", "application/vnd.redoma.output").build(), BodyHandlers.ofByteArray());
        assertThat(frames(answer.body()).stream().filter(f -> f.type() == 1).mapToInt(f -> f.payload().length).sum()).isEqualTo(10);
    }

    @Test
    void outputAsEventsCarriesOffsets() throws Exception {
        var made = create();
        var run = Json.read(s.post("/v1/sandboxes/" + made.id() + "/execs", exec("echo", "hi")).body().getBytes(), Exec.class);
        var answer = s.call(s.profile.key(), "GET", "/v1/sandboxes/" + made.id() + "/execs/" + run.id() + "/output", BodyPublishers.noBody(), "Accept", "text/event-stream");
        assertThat(answer.headers().firstValue("Content-Type")).contains("text/event-stream");
        assertThat(answer.body()).contains("event: started\nid: 0\n", "event: stdout\nid: 3\ndata: {\"base64\":\"aGkK\"}\n", "event: exited\nid: 3\n");
    }

    @Test
    void waitingForAnExitEndsInTime() throws Exception {
        var made = create();
        var run = Json.read(s.post("/v1/sandboxes/" + made.id() + "/execs", exec("sleep")).body().getBytes(), Exec.class);
        long before = System.nanoTime();
        assertThat(s.get("/v1/sandboxes/" + made.id() + "/execs/" + run.id() + "?waitMs=1300").body()).contains("\"state\":\"running\"");
        assertThat((System.nanoTime() - before) / 1e6).isBetween(1200.0, 4000.0);
    }

    @Test
    void aFileComesBackByteForByteWithItsNameAndRanges() throws Exception {
        var made = create();
        var bytes = new byte[300_000];
        new java.util.Random(1).nextBytes(bytes);
        var path = "/v1/sandboxes/" + made.id() + "/files?path=%2Ftmp%2Fcaf%C3%A9%20%22x%22.bin";
        assertThat(s.call(s.profile.key(), "PUT", path, BodyPublishers.ofByteArray(bytes)).statusCode()).isEqualTo(200);
        var all = s.client.send(s.request(s.profile.key(), path).build(), BodyHandlers.ofByteArray());
        assertThat(all.body()).isEqualTo(bytes);
        assertThat(all.headers().firstValue("Content-Disposition").orElseThrow()).contains("filename*=UTF-8''caf%C3%A9%20%22x%22.bin");
        assertThat(all.headers().firstValue("X-Redoma-File").orElseThrow()).contains("caf\\u00E9");
        var part = s.client.send(s.request(s.profile.key(), path).header("Range", "bytes=-10").build(), BodyHandlers.ofByteArray());
        assertThat(part.statusCode()).isEqualTo(206);
        assertThat(part.body()).isEqualTo(java.util.Arrays.copyOfRange(bytes, 299_990, 300_000));
        var head = s.call(s.profile.key(), "HEAD", path, BodyPublishers.noBody());
        assertThat(head.headers().firstValue("Content-Length")).contains("300000");
        assertThat(s.call(s.profile.key(), "GET", path, BodyPublishers.noBody(), "Range", "bytes=400000-").headers().firstValue("Content-Range")).contains("bytes */300000");
    }

    @Test
    void anEmptyFileIsReadAsNothing() throws Exception {
        var made = create();
        var path = "/v1/sandboxes/" + made.id() + "/files?path=/e";
        s.call(s.profile.key(), "PUT", path, BodyPublishers.noBody());
        var answer = s.get(path);
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).isEmpty();
    }

    @Test
    void fileEventsComeAsEvents() throws Exception {
        var made = create();
        assertThat(s.get("/v1/sandboxes/" + made.id() + "/files/watch?path=/").body())
                .startsWith("event: ready\n").contains("event: file\ndata: {\"kind\":\"create\"").contains("root-removed");
    }

    @Test
    void aTemplateIsImportedAsItStreams() throws Exception {
        var answer = s.call(s.profile.key(), "PUT", "/v1/templates/tiny", BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(new byte[5 << 20])));
        assertThat(answer.statusCode()).isEqualTo(201);
        assertThat(s.redoma.imported.get()).isEqualTo(5 << 20);
    }

    @Test
    void whatCannotBeTakenNamesItsField() throws Exception {
        assertThat(FakeServed.problem(s.post("/v1/sandboxes", Map.of("nam", "x"))).details()).containsEntry("field", "nam");
        assertThat(FakeServed.problem(s.get("/v1/sandboxes?limit=0")).details()).containsEntry("field", "limit");
        assertThat(FakeServed.problem(s.get("/v1/sandboxes?lmit=5")).details()).containsEntry("field", "lmit");
        assertThat(FakeServed.problem(s.get("/v1/sandboxes?label=x")).details()).containsEntry("field", "label");
        assertThat(FakeServed.problem(s.call(s.profile.key(), "POST", "/v1/sandboxes", BodyPublishers.ofString("{"), "Content-Type", "application/json")).code())
                .isEqualTo("bad-request");
        assertThat(FakeServed.problem(s.call(s.profile.key(), "POST", "/v1/sandboxes", BodyPublishers.ofString("a=b"), "Content-Type", "application/x-www-form-urlencoded")).code())
                .isEqualTo("unsupported-media");
        assertThat(FakeServed.problem(s.post("/v1/sandboxes", Map.of("template", "nope"))).code()).isEqualTo("template-not-found");
    }

    @Test
    void theDescriptionHoldsEveryRouteAndNothingElse() throws Exception {
        var told = Json.read(s.get("/v1/openapi.json").body().getBytes(StandardCharsets.UTF_8), Map.class);
        var described = new java.util.TreeSet<String>();
        ((Map<?, ?>) told.get("paths")).forEach((path, methods) -> ((Map<?, ?>) methods).keySet().forEach(m -> described.add(m + " " + path)));
        var offered = new java.util.TreeSet<String>();
        s.serving.operations().forEach(o -> offered.add(o.method().toLowerCase(java.util.Locale.ROOT) + " " + o.path()));
        assertThat(described).isEqualTo(offered).hasSizeGreaterThan(45);
        assertThat(told.get("openapi")).isEqualTo("3.1.0");
        var schemas = (Map<?, ?>) ((Map<?, ?>) told.get("components")).get("schemas");
        assertThat(schemas.containsKey("Sandbox")).isTrue();
        assertThat(s.get("/v1/openapi.json").body()).doesNotContain("{}}}}}}").contains("#/components/schemas/Sandbox");
    }

    @Test
    void theLedgerTellsOfKeysAndVerifies() throws Exception {
        s.key("acme", "read");
        assertThat(s.get("/v1/audit?category=admin").body()).contains("key-created");
        assertThat(s.get("/v1/audit?category=admin&newest=1").body()).contains("key-created");
        assertThat(s.get("/v1/audit?newest=1&after=3").statusCode()).isEqualTo(400);
        assertThat(s.call(s.profile.key(), "POST", "/v1/audit/verify", BodyPublishers.noBody()).body()).contains("\"status\":\"ok\"");
        assertThat(s.get("/v1/audit/export").body()).contains("key-created");
        assertThat(s.get("/v1/audit/key").body()).contains(s.profile.auditKey());
    }

    @Test
    void metricsCountStates() throws Exception {
        assertThat(s.get("/metrics").body()).contains("process_resident_memory_bytes ");
    }
}
