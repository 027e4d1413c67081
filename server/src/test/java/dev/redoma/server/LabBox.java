// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redoma.model.wire.AuditRecord;
import dev.redoma.model.wire.Exec;
import dev.redoma.model.wire.Sandbox;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// A sandbox of the template `base` with the probe in it.
final class LabBox {
    private static final String PREFACE = "import sys\nsys.path.insert(0, '/tmp')\nsys.dont_write_bytecode = True\nfrom probe import *\n";
    private final RealServer server;
    final String id;

    private LabBox(RealServer server, String id) {
        this.server = server;
        this.id = id;
    }

    /// The template `base`, by its own recipe.
    static void template(RealServer server) throws Exception {
        var file = server.data().resolveSibling("base.tar.zst");
        var made = new ProcessBuilder(System.getProperty("redoma.root", "..") + "/template/base/build.sh", file.toString()).redirectErrorStream(true).start();
        made.getOutputStream().close();
        String told = new String(made.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(made.waitFor()).as(told).isZero();
        var answer = server.send("PUT", "/v1/templates/base", BodyPublishers.ofFile(file));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
        Files.delete(file);
    }

    static LabBox create(RealServer server, String policy) throws Exception {
        return create(server, policy, Map.of());
    }

    static LabBox create(RealServer server, String policy, Map<String, ?> more) throws Exception {
        var body = new HashMap<String, Object>(Map.of("template", "base", "policy", policy));
        body.putAll(more);
        var made = server.post("/v1/sandboxes", body, Sandbox.class);
        var box = new LabBox(server, made.id());
        byte[] probe;
        try (var in = LabBox.class.getResourceAsStream("probe.py")) {
            probe = java.util.Objects.requireNonNull(in).readAllBytes();
        }
        var put = server.send("PUT", "/v1/sandboxes/" + box.id + "/files?path=" + URLEncoder.encode("/tmp/probe.py", StandardCharsets.UTF_8), BodyPublishers.ofByteArray(probe));
        assertThat(put.statusCode()).as(put.body()).isLessThan(300);
        return box;
    }

    /// Python that knows the probe; what it printed.
    String probe(String user, String python) throws IOException, InterruptedException {
        return run(user, "python3", "-c", PREFACE + python);
    }

    /// The same, which goes on; what it prints is of no interest.
    void start(String python) throws IOException, InterruptedException {
        server.post("/v1/sandboxes/" + id + "/execs", Map.of("argv", List.of("python3", "-c", PREFACE + "sys.stdout = open(os.devnull, 'w')\n" + python)), Exec.class);
    }

    String run(String user, String... argv) throws IOException, InterruptedException {
        var path = "/v1/sandboxes/" + id + "/execs";
        var begun = server.post(path, Map.of("argv", List.of(argv), "user", user, "timeoutMs", 60_000), Exec.class);
        var ended = RealServer.read(server.get(path + "/" + begun.id() + "?waitMs=60000"), Exec.class);
        var output = server.send("GET", path + "/" + begun.id() + "/output", BodyPublishers.noBody(), "Accept", "text/event-stream").body();
        assertThat(ended.state()).as(output).isEqualTo("exited");
        return ended.exitCode() + "\n" + output;
    }

    /// What the command printed, of what `run` and `probe` return.
    static String printed(String output) {
        var text = new StringBuilder();
        var pieces = java.util.regex.Pattern.compile("\"base64\":\"([^\"]*)\"").matcher(output);
        while (pieces.find()) {
            text.append(new String(java.util.Base64.getDecoder().decode(pieces.group(1)), StandardCharsets.UTF_8));
        }
        return text.toString();
    }

    void policy(String policy) throws Exception {
        var answer = server.send("PUT", "/v1/sandboxes/" + id + "/policy", BodyPublishers.ofString(EnvdClient.JSON.writeValueAsString(Map.of("policy", policy))), "Content-Type", "application/json");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    }

    /// Egress records after one of them (0: all).
    List<AuditRecord> records(long after) throws Exception {
        var items = EnvdClient.JSON.readTree(server.get("/v1/audit?category=egress&sandbox=" + id + "&limit=1000&after=" + after).body()).get("items");
        var records = new ArrayList<AuditRecord>();
        for (var item : items) {
            records.add(EnvdClient.JSON.treeToValue(item, AuditRecord.class));
        }
        return records;
    }

    long last() throws Exception {
        var all = EnvdClient.JSON.readTree(server.get("/v1/audit?category=egress&sandbox=" + id + "&newest=1").body()).get("items");
        return all.isEmpty() ? 0 : all.get(0).get("seq").asLong();
    }

    /// `action host-or-address reason`.
    static String told(AuditRecord record) {
        var fields = new HashMap<>(record.fields());
        Object what = fields.getOrDefault("host", fields.getOrDefault("address", "-"));
        return record.action() + " " + what + " " + fields.getOrDefault("reason", "-");
    }
}
