// SPDX-License-Identifier: Apache-2.0
import dev.redoma.client.Command;
import dev.redoma.client.NewSandbox;
import dev.redoma.client.OutputSink;
import dev.redoma.client.RedomaClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/// What an agent may do in a morning, scripted: a fix that fails and one that works, a service in the background, a host that is not allowed, a secret in the output. Then all records go to a file.
public final class Session {
    private static final String POLICY = "egress:\n  web:\n    - {hosts: [packages.example.com], tls: opaque}\n";

    public static void main(String[] args) throws Exception {
        var export = Path.of(args[0]);
        var template = args.length > 1 ? args[1] : "base";
        var token = "not-a-real-deploy-token";
        String id;
        try (var client = RedomaClient.fromProfile(); var box = client.create(NewSandbox.from(template).label("example", "agent-session").policy(POLICY).redact("DEPLOY_TOKEN", token))) {
            id = box.id();
            box.files().write("/tmp/work.sh", "test \"$1\" = fixed && echo all tests pass\n".getBytes(StandardCharsets.UTF_8), null);
            box.execs().run(Command.of("sh", "/tmp/work.sh", "broken"), OutputSink.NONE);
            var service = box.execs().start(Command.of("sleep", "300").label("service"));
            box.execs().run(Command.of("sh", "-c", "wget -qO- http://exfiltrate.example.com/ || true"), OutputSink.NONE);
            box.execs().run(Command.of("sh", "-c", "echo deploying with $TOKEN").env(Map.of("TOKEN", token)), OutputSink.NONE);
            box.pause();
            box.resume();
            box.execs().run(Command.of("sh", "/tmp/work.sh", "fixed"), OutputSink.NONE);
            service.kill();
            service.await(Duration.ofSeconds(30));
        }
        try (var client = RedomaClient.fromProfile(); var file = Files.newOutputStream(export)) {
            client.audit().export(null, file);
        }
        System.out.println(id);
    }
}
