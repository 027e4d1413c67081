// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redoma.client.RedomaClient;
import dev.redoma.ledger.Ledger;
import dev.redoma.ledger.Verdict;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// What is on record after a session whose truth is known.
@ExtendWith(LabExtension.class)
@Timeout(180)
class AuditBehavioursTest {
    private static final String POLICY = "egress:\n  web:\n    - {hosts: [a.example.com], tls: opaque}\npreview: [{port: 3000, audience: tenant}]\n";
    private static final String SECRET = "the-agents-own-password";
    private final Lab lab;

    AuditBehavioursTest(Lab lab) {
        this.lab = lab;
    }

    private record Key(Api api, String id) {}

    private Key key(String name) {
        var made = lab.api().post("/v1/keys", Map.of("name", name, "tenant", "truth", "scopes", List.of("read", "create", "exec"))).expect(201).json();
        return new Key(lab.api().as(made.get("value").asString()), made.get("key").get("id").asString());
    }

    /// AU-01, AU-03: every act of two keys with its actor, its exec and its end, in order and without holes; the export says the same and verifies.
    @Test
    void au01_aLongMixedSessionIsOnRecordAsItHappened(@TempDir Path dir) throws Exception {
        var alice = key("alice");
        var bob = key("bob");
        var truth = new ArrayList<String>();
        Box box = Box.create(alice.api(), Map.of("template", "tiny", "policy", POLICY, "reopen", "tenant", "redact", Map.of("values", Map.of("OWN", SECRET))));
        truth.add(alice.id() + " sandbox.create");
        truth.add(alice.id() + " policy.set");
        truth.add(alice.id() + " sandbox.running");
        var bobs = box.as(bob.api());

        box.sh("echo $P", "env", Map.of("P", SECRET));
        exec(truth, alice.id(), "engine redaction.masking", "exited 0");
        truth.add("engine redaction.masked");
        box.write("/tmp/f", "content".getBytes(StandardCharsets.UTF_8));
        truth.add(alice.id() + " file.write");
        bobs.api().get(bobs.path("/files?path=/tmp/f")).expect(200);
        truth.add(bob.id() + " file.read");
        bobs.api().get(bobs.path("/archive?path=/tmp")).expect(200);
        truth.add(bob.id() + " file.export");
        bobs.api().get(bobs.path("/changes/patches?scope=template")).expect(200);
        truth.add(bob.id() + " file.changes.read");
        assertThat(bobs.sh("exit 3").exec().get("exitCode").asInt()).isEqualTo(3);
        exec(truth, bob.id(), null, "exited 3");
        var service = bobs.start(List.of("sleep", "1000"));
        truth.add(bob.id() + " exec.requested");
        truth.add(bob.id() + " exec.approved");
        bobs.tryStart(List.of("true"), "cwd", "/no/such/place").expect(422);
        truth.add(bob.id() + " exec.requested");
        truth.add(bob.id() + " exec.approved");
        truth.add(bob.id() + " exec.ended refused");
        bobs.api().delete(bobs.path("/files?path=/tmp/none")).expect(404);
        truth.add(bob.id() + " file.remove");
        truth.add(bob.id() + " file.remove.failed");
        assertThat(box.api().post(box.path("/exposures"), Map.of("port", 22)).code()).isEqualTo("policy-refused");
        truth.add(alice.id() + " preview.expose.refused");
        var port = box.api().post(box.path("/exposures"), Map.of("port", 3000, "audience", "tenant")).expect(201).json().get("id").asString();
        truth.add(alice.id() + " preview.expose");
        box.api().delete(box.path("/exposures/" + port)).expect(204);
        truth.add(alice.id() + " preview.revoke");
        box.verb("pause");
        truth.add(alice.id() + " sandbox.pause");
        truth.add(alice.id() + " sandbox.paused");
        box.verb("resume");
        truth.add(alice.id() + " sandbox.resume");
        truth.add(alice.id() + " sandbox.resumed");
        assertThat(box.killExec(service)).isTrue();
        truth.add(alice.id() + " exec.kill");
        box.await(service, 30_000);
        truth.add(bob.id() + " exec.ended exited killed");
        box.sh("wget -qO- http://denied.example.com/ || true");
        exec(truth, alice.id(), "gateway egress.dns.denied", "exited 0");
        box.start(List.of("sleep", "1000"));
        truth.add(alice.id() + " exec.requested");
        truth.add(alice.id() + " exec.approved");
        box.close();
        truth.add(alice.id() + " sandbox.kill");
        truth.add(alice.id() + " exec.ended lost");
        truth.add(alice.id() + " sandbox.ended");
        lab.api().get(box.path("/changes?scope=template")).expect(200); // waits until they are read
        truth.add("engine file.changes");

        var records = new ArrayList<JsonNode>();
        lab.api().get("/v1/audit?tenant=truth&limit=1000").expect(200).json().get("items").forEach(records::add);
        for (int i = 0; i < records.size(); i++) {
            assertThat(records.get(i).get("seq").asLong()).isEqualTo(i + 1);
        }
        assertThat(once(told(records, box.id()))).containsExactlyElementsOf(truth);
        var ended = records.stream().filter(r -> r.get("category").asString().equals("sandbox") && r.get("action").asString().equals("ended")).findFirst().orElseThrow().get("fields");
        assertThat(ended.get("reconciled").toString()).startsWith("{\"commands\":5,\"egress\":{").contains("\"ended\":6,\"outputBytes\":[", "\"refused\":1,\"requested\":6,\"whole\":true}", "\"unsettled\":0");
        guestsWord(records);

        var export = dir.resolve("export.jsonl");
        Files.write(export, lab.api().get("/v1/audit/export?tenant=truth").expect(200).bytes());
        var pin = lab.api().get("/v1/audit/key").expect(200).json().get("publicKey").asString();
        assertThat(Ledger.verifyExport(export, pin).status()).isEqualTo(Verdict.Status.OK);
        assertThat(Ledger.verifyExport(export, null).status()).isEqualTo(Verdict.Status.UNANCHORED);
        assertThat(once(exported(export, box.id()))).containsExactlyElementsOf(truth);
        assertThat(Files.readString(export)).doesNotContain(SECRET);

        assertThat(lab.api().post("/v1/audit/scan?tenant=truth", Map.of()).expect(200).json().get("status").asString()).isEqualTo("clean");
        lab.api().post("/v1/audit/erase", Map.of("sandbox", box.id())).expect(200);
        assertThat(lab.rig().place().data().resolve("review").resolve(box.id())).doesNotExist();
        assertThat(lab.api().post("/v1/audit/verify", Map.of()).expect(200).json().get("status").asString()).isEqualTo("ok");
        Files.write(export, lab.api().get("/v1/audit/export?tenant=truth").expect(200).bytes());
        assertThat(Ledger.verifyExport(export, pin).status()).isEqualTo(Verdict.Status.OK);
        assertThat(Files.readString(export)).doesNotContain("/no/such/place");
        assertThat(alice.api().get(box.path("/execs")).json().get("items").size()).isZero();
    }

    private static void exec(List<String> truth, String actor, String between, String end) {
        truth.add(actor + " exec.requested");
        truth.add(actor + " exec.approved");
        if (between != null) {
            truth.add(between);
        }
        truth.add(actor + " exec.ended " + end);
    }

    /// Both questions of a look-up (IPv4, IPv6) may be refused at the same time.
    private static List<String> once(List<String> lines) {
        var all = new ArrayList<String>();
        lines.stream().filter(line -> all.isEmpty() || !line.startsWith("gateway ") || !line.equals(all.getLast())).forEach(all::add);
        return all;
    }

    private static List<String> told(List<JsonNode> records, String sandbox) {
        return records.stream().filter(r -> r.get("sandbox") != null && sandbox.equals(r.get("sandbox").asString()) && !r.get("fields").has("again"))
                .map(r -> line(r.get("actor").asString(), r.get("category").asString(), r.get("action").asString(), r.get("fields"))).toList();
    }

    private static List<String> exported(Path export, String sandbox) throws Exception {
        var json = JsonMapper.builder().build();
        return Files.readAllLines(export).stream().map(json::readTree).filter(l -> l.has("record") && l.get("record").has("sandbox") && sandbox.equals(l.get("record").get("sandbox").asString()) && !l.get("record").get("fields").has("again"))
                .map(l -> l.get("record")).map(r -> line(r.get("actor").asString(), r.get("category").asString(), r.get("action").asString(), r.get("fields"))).toList();
    }

    private static String line(String actor, String category, String action, JsonNode fields) {
        var end = !category.equals("exec") || !action.equals("ended") ? ""
                : " " + fields.get("state").asString() + (fields.has("killed") && fields.get("killed").asBoolean() ? " killed" : fields.has("exitCode") ? " " + fields.get("exitCode").asInt() : "");
        return actor + " " + category + "." + action + end;
    }

    /// What only the guest can know is said to be its word; what the host saw is not.
    private static void guestsWord(List<JsonNode> records) {
        var ended = records.stream().filter(r -> r.get("action").asString().equals("ended") && r.get("category").asString().equals("exec") && r.get("fields").has("exitCode")).findFirst().orElseThrow();
        assertThat(ended.get("fields").get("fromGuest").toString()).contains("exitCode", "signal").doesNotContain("oomKilled", "cpuMicros", "timedOut");
    }

    @Test
    void theExampleSessionIsReconstructedFromItsExportAlone(@TempDir Path dir) throws Exception {
        var home = Path.of(System.getProperty("redoma.root"));
        var export = dir.resolve("trail.jsonl");
        var session = Redoma.run(Redoma.of(lab).builder(java(home.resolve("examples/agent-session/Session.java"), export.toString(), "tiny")));
        assertThat(session.code()).as(session.err() + session.text()).isZero();
        var id = session.text().strip();
        var verified = Redoma.of(lab).call("audit", "verify", export.toString(), "--key", lab.api().get("/v1/audit/key").expect(200).json().get("publicKey").asString());
        assertThat(verified.code()).as(verified.err() + verified.text()).isZero();
        var told = Redoma.run(new ProcessBuilder(java(home.resolve("examples/agent-session/Reconstruct.java"), export.toString(), id)));
        assertThat(told.code()).as(told.err()).isZero();
        assertThat(told.text().lines().map(l -> l.replaceFirst("^\\S+ +\\S+ +", ""))).containsSubsequence(
                "sandbox.create ", "writes /tmp/work.sh, 41 bytes, SHA-256 " + sha("test \"$1\" = fixed && echo all tests pass\n"), "runs: sh /tmp/work.sh broken  (in ~ as root)",
                "ended with 1, 0 bytes of output: sh /tmp/work.sh broken", "runs: sleep 300  (in ~ as root)", "egress.dns.denied exfiltrate.example.com no-rule");
        assertThat(Redoma.of(lab).call("audit", "scan", export.toString()).code()).isZero();
        Files.writeString(export, "glpat-abcdefghijklmnopqrst\n", java.nio.file.StandardOpenOption.APPEND);
        var scanned = Redoma.of(lab).call("audit", "scan", "--json", export.toString());
        assertThat(scanned.code()).as(scanned.text()).isEqualTo(1);
        assertThat(scanned.text()).contains("gitlab").doesNotContain("abcdefgh");
        assertThat(told.text()).contains("runs: sh -c echo deploying with $TOKEN", "masked in output: [{count=1, form=raw, kind=secret, name=DEPLOY_TOKEN}]", "sandbox.paused", "sandbox.resumed",
                "ended with 0, 15 bytes of output: sh /tmp/work.sh fixed", ", killed, 0 bytes of output: sleep 300", "sandbox.ended").doesNotContain("not-a-real");
    }

    private static String sha(String text) throws Exception {
        return java.util.HexFormat.of().formatHex(java.security.MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static List<String> java(Path source, String... arguments) throws Exception {
        var command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
                place(RedomaClient.class) + File.pathSeparator + place(dev.redoma.model.wire.Sandbox.class), source.toString()));
        command.addAll(List.of(arguments));
        return command;
    }

    private static Path place(Class<?> type) throws Exception {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    }
}
