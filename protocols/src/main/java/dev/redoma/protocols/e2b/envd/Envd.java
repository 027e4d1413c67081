// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.envd;

import dev.redoma.engine.Redoma;
import dev.redoma.http.Exchange;
import dev.redoma.http.connect.Connect;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.model.wire.Sandbox;
import dev.redoma.protocols.e2b.SandboxTokens;
import dev.redoma.protocols.e2b.envd.Box.Asked;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/// What answers on port 49983 of a sandbox: E2B's daemon, which here is no process inside but the engine itself. Thread-safe.
public final class Envd implements AutoCloseable {
    /// What the daemon's version is said to be: the one whose protocol this is.
    public static final String VERSION = "0.6.13";
    public static final int PORT = 49_983;

    private final Redoma redoma;
    private final SandboxTokens tokens;
    private final Processes processes;
    private final Filesystem filesystem;
    private final Watches watches;
    private final Uploads uploads;
    private final Downloads downloads;
    private final Readings readings;
    private final Compositions compositions;

    /// `largest`: most bytes of an upload.
    public Envd(Redoma redoma, SandboxTokens tokens, long largest) {
        this.redoma = redoma;
        this.tokens = tokens;
        var entries = new Entries(redoma.files());
        this.watches = new Watches(redoma.files(), entries);
        this.processes = new Processes(redoma.execs(), new ProcessEvents(redoma.execs(), redoma.sandboxes()));
        this.filesystem = new Filesystem(redoma.files(), entries, watches);
        this.uploads = new Uploads(redoma.files(), largest);
        this.downloads = new Downloads(redoma.files());
        this.readings = new Readings(redoma.sandboxes());
        this.compositions = new Compositions(redoma.files(), largest);
    }

    /// Answers a request to the daemon of this sandbox, which runs or is woken by its use.
    public void handle(Exchange http, Sandbox sandbox) throws Exception {
        cors(http);
        if (http.method().equals("OPTIONS")) {
            http.nothing();
            return;
        }
        var path = http.path();
        var box = Box.of(sandbox);
        if (path.startsWith("/process.Process/") || path.startsWith("/filesystem.Filesystem/")) {
            rpc(http, sandbox, box, path);
            return;
        }
        try {
            plain(http, sandbox, box, path);
        } catch (RedomaException | IOException failed) {
            refuse(http, failed);
        }
    }

    private void rpc(Exchange http, Sandbox sandbox, Box box, String path) throws Exception {
        try {
            tokens.envd(sandbox).ifPresent(token -> Access.token(http, token));
            if (!http.method().equals("POST")) {
                throw Problem.of(Code.METHOD_NOT_ALLOWED, "Calls are POST.", "Use POST.").raise();
            }
            var asked = new Asked(box, Users.of(http));
            var method = path.substring(path.lastIndexOf('/') + 1);
            if (path.startsWith("/process.")) {
                processes.call(method, http, asked);
            } else {
                filesystem.call(method, http, asked);
            }
        } catch (RedomaException refused) {
            Connect.refuse(http, refused.problem());
        }
    }

    private void plain(Exchange http, Sandbox sandbox, Box box, String path) throws Exception {
        var method = http.head() ? "GET" : http.method();
        switch (method + " " + path) {
            case "GET /health" -> health(http, sandbox);
            case "GET /files" -> {
                tokens.envd(sandbox).ifPresent(token -> Access.file(http, token, "read"));
                downloads.get(http, asked(http, box));
            }
            case "POST /files" -> {
                tokens.envd(sandbox).ifPresent(token -> Access.file(http, token, "write"));
                uploads.post(http, asked(http, box));
            }
            case "POST /files/compose" -> {
                tokens.envd(sandbox).ifPresent(token -> Access.token(http, token));
                compositions.post(http, box);
            }
            case "GET /metrics" -> {
                tokens.envd(sandbox).ifPresent(token -> Access.token(http, token));
                http.json(200, readings.metrics(box, sandbox));
            }
            case "GET /envs" -> {
                tokens.envd(sandbox).ifPresent(token -> Access.token(http, token));
                http.json(200, readings.env(box));
            }
            default -> throw Problem.of(Code.ROUTE_NOT_FOUND, "There is no " + method + " " + path + " here.", "See the protocol.").raise();
        }
    }

    /// To ask is no use of it: what is paused stays so.
    private static void health(Exchange http, Sandbox sandbox) throws IOException {
        if (sandbox.state().equals("paused")) {
            http.json(502, Map.of("sandboxId", sandbox.id(), "message", "The sandbox is paused", "code", 502));
        } else {
            http.nothing();
        }
    }

    private static Asked asked(Exchange http, Box box) {
        var user = http.query().get("username");
        return new Asked(box, user == null || user.isEmpty() ? Users.of(http) : user);
    }

    private static void cors(Exchange http) {
        var wanted = http.header("Access-Control-Request-Headers");
        http.set("Access-Control-Allow-Origin", "*").set("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS")
                .set("Access-Control-Allow-Headers", wanted == null ? "*" : wanted).set("Access-Control-Expose-Headers", "*").set("Access-Control-Max-Age", "7200");
    }

    /// In the clients' form, unless something of an answer is out already.
    private static void refuse(Exchange http, Exception failed) throws Exception {
        for (Throwable t = failed; t != null; t = t.getCause()) {
            if (t instanceof RedomaException ours && !http.begun()) {
                int status = status(ours.code());
                var body = new LinkedHashMap<String, Object>(Map.of("code", status));
                body.put("message", ours.problem().message());
                http.takeBack();
                cors(http);
                http.json(status, body);
                return;
            }
        }
        throw failed;
    }

    private static int status(Code code) {
        return switch (code) {
            case FILE_REFUSED, NO_SUCH_DIRECTORY -> 400;
            case NO_SUCH_USER -> 401;
            case SANDBOX_ENDED, SANDBOX_NOT_FOUND, GUEST_UNREACHABLE -> 502;
            default -> code.status();
        };
    }

    /// True if the request is signed for a file of this sandbox.
    public boolean signs(Exchange http, Sandbox sandbox) {
        var signature = http.query().get("signature");
        var operation = http.method().equals("POST") ? "write" : "read";
        return signature != null && tokens.envd(sandbox).filter(token -> Access.signed(http, token, operation, signature)).isPresent();
    }

    @Override
    public void close() {
        watches.close();
    }
}
