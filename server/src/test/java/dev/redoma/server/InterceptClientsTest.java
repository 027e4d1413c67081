// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redoma.gateway.CheckedDialler;
import dev.redoma.http.Json;
import dev.redoma.kernel.NetworkNamespace;
import dev.redoma.model.wire.Exec;
import dev.redoma.model.wire.ExecSpec;
import dev.redoma.model.wire.Sandbox;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Ordinary programs of the template `base` under a policy that sees requests, as they are and without a word of configuration, as user, as root and by `sudo`. What got out is what
/// arrived at an origin of the test's own.
@Timeout(180)
class InterceptClientsTest {
    private static final String ORIGIN = "45.0.0.1";
    private static final String HOST = "https://a.allowed.test";
    private static final String POLICY = """
            privileges: sudo
            egress:
              web:
                - {hosts: ["*.allowed.test"], methods: [GET, HEAD, POST], paths: ["/ok/**"]}
            """;
    @TempDir
    static Path dir;

    private static Process internet;
    private static NetworkNamespace outside;
    private static SecureOrigin origin;
    private static RealServer server;
    private static Sandbox box;

    @BeforeAll
    static void open() throws Exception {
        internet = new ProcessBuilder("unshare", "--net", "sh", "-c", "ip link set lo up && ip addr add " + ORIGIN + "/32 dev lo && echo ready && exec cat").start();
        assertThat(internet.getInputStream().readNBytes(6)).hasSize(6);
        outside = NetworkNamespace.ofProcess(internet.pid());
        origin = SecureOrigin.start(outside.serverSocket().bind(new InetSocketAddress(ORIGIN, 443)), dir);
        server = RealServer.start(Map.of("REDOMA_UPSTREAM_CA", origin.authority().toString()), new CheckedDialler(InterceptClientsTest::resolve, outside::socket, Duration.ofSeconds(5)));
        var tar = dir.resolve("base.tar.zst");
        var built = new ProcessBuilder(Path.of(System.getProperty("redoma.root", "..")).resolve("template/base/build.sh").toString(), tar.toString()).redirectErrorStream(true).start();
        String told = new String(built.getInputStream().readAllBytes());
        assertThat(built.waitFor()).as(told).isZero();
        assertThat(server.send("PUT", "/v1/templates/base", BodyPublishers.ofFile(tar)).statusCode()).isEqualTo(201);
        box = create();
    }

    private static Sandbox create() throws Exception {
        return server.post("/v1/sandboxes", Map.of("template", "base", "policy", POLICY, "privileges", "sudo"), Sandbox.class);
    }

    @AfterAll
    static void close() throws Exception {
        try {
            server.close();
        } finally {
            origin.close();
            outside.close();
            internet.destroy();
        }
    }

    @BeforeEach
    void fresh() {
        origin.arrived.clear();
    }

    private static InetAddress[] resolve(String host) throws IOException {
        return switch (host) {
            case "a.allowed.test", "b.allowed.test" -> new InetAddress[] {InetAddress.ofLiteral(ORIGIN)};
            default -> throw new UnknownHostException(host);
        };
    }

    private record Ran(int code, String out) {}

    private static Ran run(Sandbox in, String user, String command) throws Exception {
        var spec = new ExecSpec(List.of("sh", "-c", command), null, null, user, null, null, 90_000L, null, null);
        var answer = server.client().send(server.request("/v1/sandboxes/" + in.id() + "/execs").header("Accept", "application/vnd.redoma.output").header("Content-Type", "application/json")
                .POST(BodyPublishers.ofByteArray(Json.bytes(spec))).build(), BodyHandlers.ofByteArray());
        assertThat(answer.statusCode()).as(new String(answer.body())).isEqualTo(200);
        var frames = ApiTest.frames(answer.body());
        var code = Json.read(frames.getLast().payload(), Exec.class).exitCode();
        return new Ran(code == null ? -1 : code, frames.stream().filter(f -> f.type() == 1 || f.type() == 2).map(f -> new String(f.payload())).reduce("", String::concat));
    }

    @ParameterizedTest
    @CsvSource({"user,--http1.1,HTTP/1.1", "user,--http2,HTTP/2.0", "root,--http2,HTTP/2.0"})
    void curlReachesWhatARuleAllowsAndReadsWhyNotWhatItDoesNot(String user, String version, String spoken) throws Exception {
        var ran = run(box, user, "curl -sS " + version + " -d x=1 " + HOST + "/ok/one?q=1 && curl -sS " + version + " -w '%{http_code}' " + HOST + "/other");
        assertThat(ran.out()).startsWith("hello /ok/one x=1\n").contains("\"error\":\"egress_refused\"", "\"rule\":\"request.web[0]\"", "\"reason\":\"path\"", "\"host\":\"a.allowed.test\"").endsWith("403");
        assertThat(origin.arrived).containsExactly("POST /ok/one?q=1 a.allowed.test " + spoken);
    }

    @Test
    void manyRequestsOnOneConnectionOfHttp2AreDecidedEach() throws Exception {
        var ran = run(box, "user", "curl -sS --http2 --parallel --parallel-immediate --parallel-max 8 -w '%{http_code}\\n' -o /dev/null '" + HOST + "/ok/[1-20]' -o /dev/null '" + HOST + "/no/[1-20]'");
        assertThat(ran.out().lines().filter("200"::equals)).as(ran.out()).hasSize(20);
        assertThat(ran.out().lines().filter("403"::equals)).hasSize(20);
        assertThat(origin.arrived).hasSize(20).allMatch(a -> a.startsWith("GET /ok/") && a.endsWith("HTTP/2.0"));
    }

    @ParameterizedTest
    @CsvSource({"--http1.1", "--http2"})
    void whatIsLargeStreamsBothWays(String version) throws Exception {
        var ran = run(box, "user", "head -c 30000000 /dev/urandom > /tmp/big; curl -sS " + version + " --data-binary @/tmp/big " + HOST + "/ok/echo -o /tmp/back && cmp /tmp/big /tmp/back && echo same");
        assertThat(ran.out()).isEqualTo("same\n");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "wget -qO- HOST/ok/x", "python3 -c 'import urllib.request as u; print(u.urlopen(\"HOST/ok/x\").read().decode())'",
        "node -e 'fetch(\"HOST/ok/x\").then(r => r.text()).then(console.log)'", "python3 -c 'import pip._vendor.requests as r; print(r.get(\"HOST/ok/x\").text)'",
        "openssl s_client -connect a.allowed.test:443 -verify_return_error -brief </dev/null && curl -s HOST/ok/x",
        "rm -rf /tmp/c && git clone -q HOST/ok/repo.git /tmp/c && cat /tmp/c/f && rm -rf /tmp/c", "npm view demo version --registry HOST/ok/npm/ --cache /tmp/npm-$(id -u)",
        "pip download -q --no-deps --no-cache-dir -d /tmp/p-$(id -u) --index-url HOST/ok/simple/ demo && ls /tmp/p-$(id -u)"})
    void everyToolTrustsItAsUserAsRootAndBySudo(String command) throws Exception {
        for (String as : List.of("user|", "root|", "user|sudo ", "user|sudo su - -c ")) {
            String line = command.replace("HOST", HOST);
            String quoted = "'" + line.replace("'", "'\\''") + "'";
            String how = as.substring(5);
            var ran = run(box, as.substring(0, 4), how.isEmpty() ? line : how.endsWith("-c ") ? how + quoted : how + "sh -c " + quoted);
            assertThat(ran.code()).as(as + command + ": " + ran.out()).isZero();
            assertThat(ran.out()).as(as + command).containsAnyOf("hello", "7.7.7", "demo-1.0");
        }
        assertThat(origin.arrived).isNotEmpty();
    }

    @Test
    void aptFetchesItsListsAsRootAndBySudo() throws Exception {
        run(box, "root", "echo 'deb [trusted=yes] " + HOST + "/ok/apt stable main' > /tmp/fixture.list");
        String update = "apt-get update -o Dir::Etc::sourcelist=/tmp/fixture.list -o Dir::Etc::sourceparts=/nonexistent -o APT::Update::Error-Mode=any";
        for (var as : List.of("root|", "user|sudo ")) {
            var ran = run(box, as.substring(0, 4), as.substring(5) + "sh -c '" + update + "'");
            assertThat(ran.code()).as(as + ran.out()).isZero();
            assertThat(origin.arrived).as(as).anyMatch(a -> a.startsWith("GET /ok/apt/dists/stable/main/binary-amd64/Packages "));
            origin.arrived.clear();
            run(box, "root", "rm -rf /var/lib/apt/lists/*");
        }
    }

    @Test
    void theAuthoritysKeyIsNowhereInsideAndNoOtherSandboxTrustsIt() throws Exception {
        var other = create();
        String print = "openssl x509 -in /usr/local/share/ca-certificates/redoma.crt -noout -pubkey";
        assertThat(run(box, "root", print).out()).startsWith("-----BEGIN PUBLIC KEY-----").isNotEqualTo(run(other, "root", print).out());
        assertThat(run(box, "root", "grep -rlE 'PRIVATE KEY' /etc /usr/local/share /run 2>/dev/null | head").out()).isEmpty();
        server.delete("/v1/sandboxes/" + other.id());
    }

    @Test
    void trustIsNoChangeAndInNoSnapshotAndAForkHasItsOwn() throws Exception {
        assertThat(server.get("/v1/sandboxes/" + create().id() + "/changes").body()).doesNotContain("redoma", "ca-certificates");
        var sources = create();
        var snapshot = server.post("/v1/sandboxes/" + sources.id() + "/snapshots", Map.of("name", "saved"));
        assertThat(snapshot.statusCode()).as(snapshot.body()).isEqualTo(201);
        var made = server.post("/v1/sandboxes", Map.of("template", "saved"), Sandbox.class);
        String look = "ls /usr/local/share/ca-certificates/redoma.crt /etc/ssl/certs/redoma.pem /etc/sudoers.d/redoma /etc/profile.d/redoma-trust.sh 2>/dev/null; "
                + "openssl crl2pkcs7 -nocrl -certfile /etc/ssl/certs/ca-certificates.crt | openssl pkcs7 -print_certs -noout | grep -c 'subject.*Redoma egress'; grep -c 'Redoma: what else' /etc/ssl/certs/ca-certificates.crt; env | grep -c CA_CERTS";
        assertThat(run(made, "root", look).out()).isEqualTo("0\n0\n0\n");
        assertThat(run(sources, "root", look).out()).endsWith("\n1\n1\n1\n");
        var fork = server.post("/v1/sandboxes/" + sources.id() + "/fork", Map.of(), Sandbox.class);
        assertThat(run(fork, "root", look).out()).endsWith("\n1\n1\n1\n");
        assertThat(run(fork, "user", "curl -sS " + HOST + "/ok/fork").out()).isEqualTo("hello /ok/fork \n");
    }

    @Test
    void underInternetProgramsTrustWhatTheOperatorTrustsAndNothingIsIntercepted() throws Exception {
        var open = server.post("/v1/sandboxes", Map.of("template", "base", "policy", "internet"), Sandbox.class);
        var ran = run(open, "user", "git clone -q " + HOST + "/ok/repo.git /tmp/c && cat /tmp/c/f && curl -sS " + HOST + "/other && wget -qO- " + HOST + "/other && node -e 'fetch(\"" + HOST + "/other\").then(r => r.text()).then(console.log)'"
                + "; curl -sSv " + HOST + "/other 2>&1 | grep -c 'issuer.*Redoma egress'");
        assertThat(ran.out()).isEqualTo("hello\nhello /other \nhello /other \nhello /other \n\n0\n");
        assertThat(server.get("/v1/sandboxes/" + open.id() + "/policy").body()).contains("upstream.ca");
        assertThat(server.get("/v1/sandboxes/" + open.id() + "/changes").body()).doesNotContain("redoma", "ca-certificates");
        server.delete("/v1/sandboxes/" + open.id());
    }

    @Test
    void whatRunsGoesOnTrustingItAfterARestartOfTheServer() throws Exception {
        run(box, "user", "cat > /tmp/w.py <<'P'\nimport ssl, time, urllib.request as u, os\nc = ssl.create_default_context()\nprint(u.urlopen('" + HOST + "/ok/before', context=c).read(), flush=True)\n"
                + "while not os.path.exists('/tmp/go'): time.sleep(0.1)\nprint(u.urlopen('" + HOST + "/ok/after', context=c).read(), flush=True)\nP\n"
                + "rm -f /tmp/go; (setsid python3 /tmp/w.py > /tmp/w.out 2>&1 &); while ! grep -q before /tmp/w.out; do sleep 0.1; done");
        server.restart();
        var ran = run(box, "user", "touch /tmp/go; for i in $(seq 300); do grep -q after /tmp/w.out && break; sleep 0.1; done; cat /tmp/w.out");
        assertThat(ran.out()).contains("hello /ok/before", "hello /ok/after");
    }

    /// One that knows of no proxy, no variable and no HTTP library.
    @ParameterizedTest
    @CsvSource({"user", "root"})
    void nw18AProgramThatSpeaksTlsItselfReachesWhatIsAllowed(String user) throws Exception {
        var ran = run(box, user, "env -i python3 -c 'import socket, ssl\ns = ssl.create_default_context().wrap_socket(socket.create_connection((\"a.allowed.test\", 443)), server_hostname=\"a.allowed.test\")\n"
                + "s.sendall(b\"GET /ok/raw HTTP/1.1\\r\\nHost: a.allowed.test\\r\\nConnection: close\\r\\n\\r\\n\"); print(s.makefile().read())'");
        assertThat(ran.out()).startsWith("HTTP/1.1 200").contains("hello /ok/raw");
        assertThat(origin.arrived).containsExactly("GET /ok/raw a.allowed.test HTTP/1.1");
    }

    /// What it does to whom it trusts is its own affair: what leaves, and whom the gateway believes outside, is decided outside.
    @Test
    void tamperingWithWhatIsTrustedInsideIsNoWayOutAndTheNextHandOverSetsItRight() throws Exception {
        var own = create();
        String forge = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout /tmp/k -out /tmp/ca -days 3 -subj '/CN=Redoma egress authority' 2>/dev/null; ";
        String files = "/usr/local/share/ca-certificates/redoma.crt /etc/ssl/certs/redoma.pem /etc/ssl/certs/38b0e9fd.0";
        String ask = "; curl -sS -w '%{http_code}' " + HOST + "/ok/t; echo; curl -skS -w '%{http_code}' " + HOST + "/other";
        for (String tampering : List.of("rm -f " + files + "; : > /etc/ssl/certs/ca-certificates.crt", forge + "for f in " + files + " /etc/ssl/certs/ca-certificates.crt; do rm -f $f; cp /tmp/ca $f; done",
                "for f in " + files + " /etc/sudoers.d/redoma; do rm -f $f; ln -s /etc/shadow $f; done", "for f in " + files + " /etc/ssl/certs/ca-certificates.crt; do rm -f $f; mkdir $f; done",
                "for f in " + files + "; do rm -rf $f; mkfifo $f; done; : > /etc/ssl/certs/ca-certificates.crt", "rm -rf /etc/ssl /usr/local/share/ca-certificates; : ca-certificates.crt")) {
            origin.arrived.clear();
            var ran = run(own, "root", tampering + ask);
            assertThat(ran.out()).as(tampering).contains("egress_refused", "\"reason\":\"path\"").endsWith("403");
            if (tampering.contains("ca-certificates.crt")) {
                assertThat(origin.arrived).as(tampering).isEmpty();
            }
            String shadow = run(own, "root", "sha256sum < /etc/shadow").out();
            var again = server.send("PUT", "/v1/sandboxes/" + own.id() + "/policy", java.net.http.HttpRequest.BodyPublishers.ofByteArray(Json.bytes(Map.of("policy", POLICY))), "Content-Type", "application/json");
            assertThat(again.statusCode()).as(tampering + again.body()).isEqualTo(200);
            assertThat(run(own, "root", "sha256sum < /etc/shadow").out()).isEqualTo(shadow);
            assertThat(run(own, "user", "curl -sS " + HOST + "/ok/again").out()).as("after " + tampering).isEqualTo("hello /ok/again \n");
        }
        server.delete("/v1/sandboxes/" + own.id());
    }

    private static java.security.KeyStore keystore(Sandbox of) throws Exception {
        var file = server.client().send(server.request("/v1/sandboxes/" + of.id() + "/files?path=/etc/ssl/certs/java/cacerts").build(), BodyHandlers.ofByteArray());
        assertThat(file.statusCode()).isEqualTo(200);
        var store = java.security.KeyStore.getInstance("JKS");
        store.load(new java.io.ByteArrayInputStream(file.body()), "changeit".toCharArray());
        return store;
    }

    /// What programs are to trust is as those tools leave it that make the bundles anew.
    @Test
    void bundlesThatAreMadeAnewFindNothingToChange() throws Exception {
        var own = create();
        var keys = keystore(own);
        assertThat(keys.size()).as("the roots of the system and the two authorities").isGreaterThan(100);
        assertThat(((java.security.cert.X509Certificate) keys.getCertificate("debian:redoma.pem")).getSubjectX500Principal().getName()).isEqualTo("CN=Redoma egress authority");
        assertThat(keys.getCertificate("debian:redoma-1.pem")).isNotNull();
        var anew = run(own, "root", "ls -l /etc/ssl/certs | grep -c redoma; update-ca-certificates 2>&1 | tail -n 3");
        assertThat(anew.out()).startsWith("3\n").contains("0 added, 0 removed");
        server.delete("/v1/sandboxes/" + own.id());
    }
}
