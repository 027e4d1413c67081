// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import dev.redoma.http.Json;
import dev.redoma.model.wire.AuditRecord;
import dev.redoma.model.wire.Exec;
import dev.redoma.model.wire.Sandbox;
import dev.redoma.model.wire.VerifyAudit;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.logs.v1.LogRecord;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Heads and records on another host, which is a server of the test's own.
@Timeout(120)
class ForwardingTest {
    private static final String SEALED = "a-word-that-is-sealed";
    private static final List<String> HEADS = new CopyOnWriteArrayList<>();
    private static final List<LogRecord> LOGS = new CopyOnWriteArrayList<>();
    private static final List<String> KEYS = new CopyOnWriteArrayList<>();
    private static volatile int answer = 200;

    @TempDir
    private static Path dir;

    private static HttpServer elsewhere;
    private static RealServer server;

    @BeforeAll
    static void start() throws Exception {
        elsewhere = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        elsewhere.createContext("/", exchange -> {
            byte[] body = exchange.getRequestBody().readAllBytes();
            if (answer == 200) {
                took(exchange.getRequestURI().getPath(), body);
                KEYS.add(exchange.getRequestHeaders().getFirst("Authorization") + " " + exchange.getRequestHeaders().getFirst("Content-Type"));
            }
            exchange.sendResponseHeaders(answer, -1);
            exchange.close();
        });
        elsewhere.start();
        String at = "http://127.0.0.1:" + elsewhere.getAddress().getPort();
        var headers = Files.createFile(dir.resolve("headers"), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(headers, "Authorization: Bearer of the collector\n");
        server = RealServer.start(Map.of("REDOMA_AUDIT_CHECKPOINT", "200ms", "REDOMA_AUDIT_HEADS", at + "/heads", "REDOMA_AUDIT_OTLP", at + "/v1/logs", "REDOMA_AUDIT_OTLP_HEADERS", headers.toString(), "REDOMA_AUDIT_FORWARD_PRIVATE", "true"));
    }

    private static void took(String path, byte[] body) throws IOException {
        if (path.equals("/heads")) {
            HEADS.addAll(new String(body, StandardCharsets.UTF_8).lines().toList());
        } else {
            ExportLogsServiceRequest.parseFrom(body).getResourceLogsList().forEach(r -> {
                assertThat(r.getResource().getAttributesList()).anyMatch(a -> a.getKey().equals("service.name") && a.getValue().getStringValue().equals("redoma"));
                r.getScopeLogsList().forEach(s -> LOGS.addAll(s.getLogRecordsList()));
            });
        }
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
        elsewhere.stop(0);
    }

    private static void work() throws Exception {
        var box = server.post("/v1/sandboxes", Map.of("template", "tiny"), Sandbox.class);
        var exec = server.post("/v1/sandboxes/" + box.id() + "/execs", Map.of("argv", List.of("echo", SEALED)), Exec.class);
        server.get("/v1/sandboxes/" + box.id() + "/execs/" + exec.id() + "?waitMs=30000");
        server.send("DELETE", "/v1/sandboxes/" + box.id(), BodyPublishers.noBody());
    }

    private static List<AuditRecord> records() throws Exception {
        var all = new ArrayList<AuditRecord>();
        for (var item : EnvdClient.JSON.readTree(server.get("/v1/audit?tenant=default&limit=1000").body()).get("items")) {
            all.add(EnvdClient.JSON.treeToValue(item, AuditRecord.class));
        }
        return all;
    }

    private static String text(LogRecord log, String key) {
        return log.getAttributesList().stream().filter(a -> a.getKey().equals(key)).map(a -> a.getValue().hasIntValue() ? String.valueOf(a.getValue().getIntValue()) : a.getValue().getStringValue()).findFirst().orElse("");
    }

    private static List<String> logs() {
        return LOGS.stream().filter(log -> text(log, "redoma.tenant").equals("default")).map(log -> text(log, "redoma.seq") + " " + text(log, "redoma.hash")).toList();
    }

    /// All that is on record is there, in order and once.
    private static void whole() {
        await().atMost(Duration.ofSeconds(40)).untilAsserted(() -> {
            assertThat(logs()).containsExactlyElementsOf(records().stream().map(r -> r.seq() + " " + r.hash()).toList());
            assertThat(HEADS).containsExactlyElementsOf(Files.readAllLines(server.data().resolve("heads.log")));
        });
    }

    @Test
    void whatHappensIsElsewhereInOrderAndOnceAcrossFailuresAndRestartsAndWithoutWhatIsSealed() throws Exception {
        work();
        whole();
        assertThat(server.get("/metrics").body()).contains("redoma_audit_forward_failing{what=\"heads\"} 0", "redoma_audit_forward_failing{what=\"records\"} 0");
        answer = 503;
        work();
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(server.get("/metrics").body()).contains("redoma_audit_forward_failing{what=\"heads\"} 1", "redoma_audit_forward_failing{what=\"records\"} 1"));
        server.away(() -> answer = 200);
        whole();
        server.restart();
        work();
        whole();
        assertThat(LOGS.toString()).doesNotContain(SEALED);
        assertThat(KEYS).contains("null application/jsonl", "Bearer of the collector application/x-protobuf").hasSizeGreaterThan(2);
        var ended = LOGS.stream().filter(log -> log.getEventName().equals("redoma.exec.ended")).findFirst().orElseThrow();
        var record = records().stream().filter(r -> r.category().equals("exec") && r.action().equals("ended")).findFirst().orElseThrow();
        assertThat(ended.getTimeUnixNano()).isEqualTo(record.at().getEpochSecond() * 1_000_000_000 + record.at().getNano());
        assertThat(text(ended, "redoma.sandbox")).isEqualTo(record.sandbox());
        assertThat(ended.getAttributesList()).anyMatch(a -> a.getKey().equals("redoma.fields.exitCode") && a.getValue().equals(AnyValue.newBuilder().setIntValue(0).build()))
                .anyMatch(a -> a.getKey().equals("redoma.fields.timedOut") && a.getValue().equals(AnyValue.newBuilder().setBoolValue(false).build()))
                .anyMatch(a -> a.getKey().equals("redoma.fields.fromGuest") && a.getValue().getArrayValue().getValuesCount() > 0);
        assertThat(server.post("/v1/audit/verify", new VerifyAudit(HEADS)).body()).contains("\"status\":\"ok\"", "as " + HEADS.size() + " heads kept elsewhere say");
        var forged = HEADS.getLast().replaceAll("\"hash\":\"[0-9a-f]{4}", "\"hash\":\"0000");
        assertThat(server.post("/v1/audit/verify", new VerifyAudit(List.of(forged))).body()).contains("\"status\":\"failed\"", "is not signed by the key");
        var refused = server.send("POST", "/v1/audit/verify", BodyPublishers.ofByteArray(Json.bytes(new VerifyAudit(List.of("x")))), "Content-Type", "application/json");
        assertThat(refused.statusCode()).as(refused.body()).isEqualTo(400);
    }
}
