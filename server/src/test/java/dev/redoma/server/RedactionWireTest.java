// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redoma.http.Json;
import dev.redoma.model.wire.CreateSandbox;
import dev.redoma.model.wire.Exec;
import dev.redoma.model.wire.ExecSpec;
import dev.redoma.model.wire.ForkSandbox;
import dev.redoma.model.wire.Redact;
import dev.redoma.model.wire.Sandbox;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// What is registered, and what says itself that it is a token, is seen nowhere.
class RedactionWireTest {
    private static final String SECRET = "pa55-w0rd 'with\" $igns";
    private static final String TOKEN = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    static RealServer s;
    static Sandbox box;

    @BeforeAll
    static void start() throws Exception {
        s = RealServer.start(Map.of());
        box = s.post("/v1/sandboxes", order(new Redact(Map.of("PASSWORD", SECRET + "\n"), null)), Sandbox.class);
    }

    private static CreateSandbox order(Redact redact) {
        return new CreateSandbox(null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, redact);
    }

    @AfterAll
    static void end() throws Exception {
        s.close();
    }

    private static String at(Sandbox box, String rest) {
        return "/v1/sandboxes/" + box.id() + rest;
    }

    private static Exec run(Sandbox in, String... argv) throws Exception {
        var begun = s.post(at(in, "/execs"), new ExecSpec(List.of(argv), null, Map.of("S", SECRET), null, null, null, null, null, null), Exec.class);
        return RealServer.read(s.get(at(in, "/execs/" + begun.id() + "?waitMs=30000")), Exec.class);
    }

    private static String output(Sandbox in, Exec exec) throws Exception {
        var answer = s.client().send(s.request(at(in, "/execs/" + exec.id() + "/output?follow=false")).header("Accept", "application/vnd.redoma.output").build(), BodyHandlers.ofByteArray());
        return ApiTest.frames(answer.body()).stream().filter(f -> f.type() == 1).map(f -> new String(f.payload())).reduce("", String::concat);
    }

    private static List<String> forms() {
        byte[] bytes = SECRET.getBytes(StandardCharsets.UTF_8);
        return List.of(SECRET, Base64.getEncoder().encodeToString(bytes).substring(0, 20), HexFormat.of().formatHex(bytes), SECRET.replace("\"", "\\\""), TOKEN.substring(4));
    }

    @Test
    void aSecretIsMaskedInOutputAsItIsWrittenInPiecesAndEncoded() throws Exception {
        assertThat(output(box, run(box, "sh", "-c", "echo \"<$S>\""))).isEqualTo("<" + "*".repeat(SECRET.length()) + ">\n");
        var pieces = run(box, "sh", "-c", "printf 'a pa55-w0'; sleep 0.3; printf %s \"${S#pa55-w0}\"; printf ' b'");
        assertThat(output(box, pieces)).isEqualTo("a " + "*".repeat(SECRET.length()) + " b");
        assertThat(pieces.outputBytes()).isEqualTo(SECRET.length() + 4);
        var encoded = Base64.getEncoder().encodeToString(("user:" + SECRET + ":x").getBytes(StandardCharsets.UTF_8));
        assertThat(output(box, run(box, "echo", encoded))).contains("*".repeat(20));
        assertThat(output(box, run(box, "echo", "token=" + TOKEN))).isEqualTo("token=ghp_" + "*".repeat(36) + "\n");
        assertThat(output(box, run(box, "printf", "\\177ELF\\0 %s", TOKEN))).as("no text").isEqualTo("\177ELF\0 " + TOKEN);
    }

    @Test
    void recordsExportsListsAndMessagesDoNotHoldIt() throws Exception {
        run(box, "echo", SECRET, TOKEN);
        var refused = s.send("POST", at(box, "/execs"), BodyPublishers.ofByteArray(Json.bytes(new ExecSpec(List.of("true"), "/no/" + SECRET, null, null, null, null, null, null, null))));
        assertThat(refused.statusCode()).isEqualTo(422);
        s.send("GET", at(box, "/files?path=/no/" + TOKEN), BodyPublishers.noBody());
        var export = s.get("/v1/audit/export").body();
        for (var text : List.of(export, s.get("/v1/audit?newest=1000").body(), s.get(at(box, "/execs")).body(), refused.body(), s.get(at(box, "")).body(), s.get("/v1/sandboxes").body())) {
            assertThat(forms()).noneMatch(text::contains);
        }
        assertThat(export).contains("redactNames", "PASSWORD").contains("\"category\":\"redaction\"");
        assertThat(s.get("/v1/audit?category=redaction&newest=1000").body()).contains("\"in\":\"record\"", "\"in\":\"output\"", "\"kind\":\"shape\"", "\"name\":\"PASSWORD\"", "\"form\":\"raw\"");
        try (var files = Files.walk(s.data().resolve("spool"))) {
            for (var file : files.filter(f -> f.toString().endsWith(".out")).toList()) {
                var kept = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
                assertThat(forms().subList(0, 4)).noneMatch(kept::contains);
            }
        }
        var database = new String(Files.readAllBytes(s.data().resolve("redoma.db")), StandardCharsets.ISO_8859_1)
                + new String(Files.readAllBytes(s.data().resolve("redoma.db-wal")), StandardCharsets.ISO_8859_1);
        assertThat(forms()).noneMatch(database::contains);
    }

    @Test
    void whoMakesASandboxHidesNothingThatTheHostSaysOfIt() throws Exception {
        var digest = box.template().digest();
        var own = s.post("/v1/sandboxes", order(new Redact(Map.of("A", digest.substring(0, 20), "B", "container", "C", "approved", "D", "/bin/true --please"), null)), Sandbox.class);
        run(own, "/bin/true --please");
        var records = s.get("/v1/audit?newest=100&sandbox=" + own.id()).body();
        assertThat(records).contains("\"digest\":\"" + digest, "\"tier\":\"container\"", "\"action\":\"approved\"").doesNotContain("/bin/true --please");
        assertThat(s.post("/v1/audit/scan", Map.of()).body()).doesNotContain("\"where\":\"record\"");
        s.send("DELETE", at(own, ""), BodyPublishers.noBody());
    }

    @Test
    void theScannerFindsWhatWasNotMasked() throws Exception {
        var own = s.post("/v1/sandboxes", order(new Redact(Map.of("PASSWORD", SECRET), null)), Sandbox.class);
        var words = "words-of-a-command-".repeat(5);
        var exec = run(own, "echo", words);
        assertThat(s.post("/v1/audit/scan", Map.of()).body()).contains("\"status\":\"clean\"");
        Files.write(s.data().resolve("spool").resolve(own.id()).resolve(exec.id() + ".out"), (SECRET + " " + TOKEN + " ").getBytes(StandardCharsets.UTF_8), StandardOpenOption.WRITE);
        var found = s.post("/v1/audit/scan", Map.of()).body();
        assertThat(found).contains("\"status\":\"found\"", "\"where\":\"output\"", exec.id(), "\"name\":\"PASSWORD\"", "\"name\":\"github\"").doesNotContain(SECRET, TOKEN);
        s.send("DELETE", at(own, ""), BodyPublishers.noBody());
        assertThat(s.post("/v1/audit/erase", Map.of("sandbox", own.id())).statusCode()).isEqualTo(200);
        assertThat(s.data().resolve("spool").resolve(own.id())).doesNotExist();
        for (var file : List.of("redoma.db", "redoma.db-wal")) {
            assertThat(new String(Files.readAllBytes(s.data().resolve(file)), StandardCharsets.ISO_8859_1)).as("what is erased is in no file: " + file).doesNotContain(words);
        }
        assertThat(s.post("/v1/audit/scan", Map.of()).body()).contains("\"status\":\"clean\"");
        assertThat(s.post("/v1/audit/verify", Map.of()).body()).contains("\"status\":\"ok\"");
        assertThat(s.post("/v1/audit/erase", Map.of("sandbox", box.id())).statusCode()).as("one that lives").isEqualTo(409);
    }

    /// While a command runs: what it writes from then on is masked, what it wrote before is not, and the scanner says so.
    @Test
    void whatIsRegisteredLaterIsMaskedFromThereOn() throws Exception {
        var later = "registered-much-later";
        var own = s.post("/v1/sandboxes", order(new Redact(Map.of("PASSWORD", SECRET), null)), Sandbox.class);
        var script = "echo \"1 $L $S\"; while [ ! -e /tmp/go ]; do sleep 0.05; done; echo \"2 $L $S\"";
        var begun = s.post(at(own, "/execs"), new ExecSpec(List.of("sh", "-c", script), null, Map.of("L", later, "S", SECRET), null, null, null, null, null, null), Exec.class);
        var stars = "*".repeat(SECRET.length());
        org.awaitility.Awaitility.await().atMost(java.time.Duration.ofSeconds(30)).untilAsserted(() -> assertThat(output(own, begun)).isEqualTo("1 " + later + " " + stars + "\n"));
        var answer = s.post(at(own, "/redact"), new Redact(Map.of("LATER", later + "\n"), null));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo("{\"names\":[\"LATER\",\"PASSWORD\"]}");
        run(own, "touch", "/tmp/go");
        var ended = RealServer.read(s.get(at(own, "/execs/" + begun.id() + "?waitMs=30000")), Exec.class);
        assertThat(output(own, ended)).isEqualTo("1 " + later + " " + stars + "\n2 " + "*".repeat(later.length()) + " " + stars + "\n");
        assertThat(output(own, run(own, "echo", later))).isEqualTo("*".repeat(later.length()) + "\n");
        assertThat(s.get(at(own, "/execs")).body()).doesNotContain(later);
        assertThat(s.get("/v1/audit?limit=1000&sandbox=" + own.id()).body()).doesNotContain(later).contains("\"action\":\"registered\"", "\"LATER\"");
        assertThat(s.post("/v1/audit/scan?tenant=default", Map.of()).body()).as("what was kept before").contains("\"status\":\"found\"", "\"name\":\"LATER\"", begun.id()).doesNotContain(later);
        for (var bad : List.of(new Redact(Map.of("LATER", "another-value-for-it"), null), new Redact(Map.of(), null), new Redact(Map.of("A", "long-enough"), true), new Redact(Map.of("A", "short"), null))) {
            var refused = s.post(at(own, "/redact"), bad);
            assertThat(refused.statusCode()).as(refused.body()).isEqualTo(400);
            assertThat(refused.body()).doesNotContain(later, "another-value", "\"short\"");
        }
        s.send("DELETE", at(own, ""), BodyPublishers.noBody());
        assertThat(s.post(at(own, "/redact"), new Redact(Map.of("A", "long-enough"), null)).statusCode()).isEqualTo(410);
        assertThat(s.post("/v1/audit/erase", Map.of("sandbox", own.id())).statusCode()).isEqualTo(200);
        assertThat(s.get("/v1/audit?limit=1000&sandbox=" + own.id()).body()).as("names of what was registered are erased too").contains("\"masked\"").doesNotContain("LATER", "PASSWORD");
        assertThat(s.post("/v1/audit/scan", Map.of()).body()).contains("\"status\":\"clean\"");
    }

    /// Both halves of its output are masked. What is counted at its end is of the second alone, and the record says so.
    @Test
    void aCommandThatGoesOnAfterARestartIsMaskedAndTheRecordSaysSinceWhen() throws Exception {
        var own = s.post("/v1/sandboxes", order(new Redact(Map.of("PASSWORD", SECRET), null)), Sandbox.class);
        var script = "echo \"$S $S\"; while [ ! -e /tmp/go ]; do sleep 0.05; done; echo \"$S\"";
        var begun = s.post(at(own, "/execs"), new ExecSpec(List.of("sh", "-c", script), null, Map.of("S", SECRET), null, null, null, null, null, null), Exec.class);
        var stars = "*".repeat(SECRET.length());
        org.awaitility.Awaitility.await().atMost(java.time.Duration.ofSeconds(30)).untilAsserted(() -> assertThat(output(own, begun)).isEqualTo(stars + " " + stars + "\n"));
        s.restart();
        run(own, "touch", "/tmp/go");
        var ended = RealServer.read(s.get(at(own, "/execs/" + begun.id() + "?waitMs=30000")), Exec.class);
        assertThat(output(own, ended)).isEqualTo(stars + " " + stars + "\n" + stars + "\n");
        var records = EnvdClient.JSON.readTree(s.get("/v1/audit?category=redaction&limit=1000&sandbox=" + own.id()).body()).get("items");
        var told = new java.util.ArrayList<String>();
        records.forEach(r -> told.add(r.path("exec").asString("") + " " + r.get("action").asString() + " " + r.get("fields").path("since").asString("-") + " " + r.get("fields").path("found").findValuesAsString("count")));
        assertThat(told).contains(begun.id() + " masking - []", begun.id() + " masked restart [1]").noneMatch(t -> t.startsWith(begun.id() + " masked -"));
        s.send("DELETE", at(own, ""), BodyPublishers.noBody());
    }

    @Test
    void aForkMasksWhatItsSourceDidAndAnotherSandboxDoesNot() throws Exception {
        var fork = s.post(at(box, "/fork"), new ForkSandbox(null, null, null, null), Sandbox.class);
        assertThat(output(fork, run(fork, "sh", "-c", "echo $S | head -c 4; echo; echo \"$S\""))).isEqualTo("pa55\n" + "*".repeat(SECRET.length()) + "\n");
        s.send("DELETE", at(fork, ""), BodyPublishers.noBody());
        var plain = s.post("/v1/sandboxes", order(new Redact(null, false)), Sandbox.class);
        assertThat(output(plain, run(plain, "sh", "-c", "echo \"$S\"; echo " + TOKEN))).isEqualTo(SECRET + "\n" + TOKEN + "\n");
        s.send("DELETE", at(plain, ""), BodyPublishers.noBody());
    }

    @Test
    void whatCannotBeMaskedIsRefusedWithoutBeingTold() throws Exception {
        for (var bad : List.of(Map.of("A", "short"), Map.of("a b", SECRET), Map.of("A", "x".repeat(17_000)))) {
            var answer = s.send("POST", "/v1/sandboxes", BodyPublishers.ofByteArray(Json.bytes(order(new Redact(bad, null)))));
            assertThat(answer.statusCode()).isEqualTo(400);
            assertThat(answer.body()).contains("redact.values").doesNotContain("\"short\"", SECRET, "xxxx");
        }
    }
}
