// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Tools that are not in the template `base`, installed into it and used while TLS is intercepted, towards the registries that this machine's own clients are configured for, as user and under `sudo`:
/// nobody tells them of the sandbox's authority. What is in the template is in `InterceptClientsTest`.
@Tag("long")
@Timeout(900)
class ToolsTrustTest {
    private static final String EVERYTHING_SEEN = "privileges: sudo\negress:\n  web:\n    - {hosts: ['*'], ports: [80, 443], methods: [GET, HEAD, POST]}\n";
    private static final String TOOLS = "cargo-web golang-go default-jdk-headless maven chromium";
    /// Installed into the user's own home.
    private static final Set<String> OF_THE_USER = Set.of("uv", "requests", "httpx");
    @TempDir
    static Path dir;

    /// By which Java asks for an address: `http` or `url`.
    private static final String JAVA = """
            import java.net.*;
            import java.net.http.*;
            class Ask {
                public static void main(String[] words) throws Exception {
                    var at = URI.create(words[1]);
                    System.out.println(words[0].equals("url") ? ((HttpURLConnection) at.toURL().openConnection()).getResponseCode()
                            : HttpClient.newHttpClient().send(HttpRequest.newBuilder(at).build(), HttpResponse.BodyHandlers.discarding()).statusCode());
                }
            }
            """;

    private static HostClients host;
    private static RealServer server;
    private static BaseBox box;

    @BeforeAll
    static void open() throws Exception {
        host = HostClients.look(dir);
        host.reached("python3 -m pip download -q --no-deps --no-cache-dir -d pip six && npm view is-number version --cache npm && apt-get download -o Debug::NoLocking=1 hello");
        var environment = new HashMap<String, String>();
        environment.put("REDOMA_POOL_SIZE", "10GiB");
        var elsewhere = host.notPublic();
        if (!elsewhere.isEmpty()) {
            environment.put("REDOMA_UPSTREAM_PUBLIC_ADDRESSES", String.join(",", elsewhere));
        }
        server = RealServer.start(environment);
        BaseBox.template(server, dir);
        box = BaseBox.of(server, EVERYTHING_SEEN);
        ran("user", "pip install -q --no-cache-dir uv httpx requests > /tmp/log 2>&1 || { tail -n 5 /tmp/log; false; }");
        ran("user", "mkdir -p /tmp/pnpm && cd /tmp/pnpm && npm install --no-audit --no-fund pnpm > /tmp/log 2>&1 || { tail -n 5 /tmp/log; false; }");
        ran("user", "{ sudo apt-get update -q && sudo apt-get install -qq --no-install-recommends " + TOOLS + "; } > /tmp/log 2>&1 || { tail -n 5 /tmp/log; false; }");
        ran("user", "cat > /tmp/Ask.java <<'J'\n" + JAVA + "J");
        ran("user", "mkdir -p /tmp/crate/src && printf '[package]\\nname=\"c\"\\nversion=\"0.1.0\"\\nedition=\"2021\"\\n[dependencies]\\nitoa=\"1\"\\n' > /tmp/crate/Cargo.toml && echo 'fn main() {}' > /tmp/crate/src/main.rs");
    }

    @AfterAll
    static void close() throws Exception {
        if (server != null) {
            server.close();
        }
    }

    private static String ran(String user, String command) throws Exception {
        var ran = box.run(user, command, host.variables());
        assertThat(ran.code()).as(user + ": " + command + ": " + ran.out()).isZero();
        return ran.out();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "curl | curl -sS -o /dev/null -w '%{http_code}' $npm_config_registry | 200",
        "uv | rm -rf DIR && python3 -m venv DIR && UV_DEFAULT_INDEX=$PIP_INDEX_URL python3 -m uv pip install -q --no-cache --python DIR/bin/python idna 2>&1 && DIR/bin/python -c 'import idna; print(idna.__name__)' | idna",
        "requests | python3 -c 'import os, requests; print(requests.get(os.environ[\"PIP_INDEX_URL\"] + \"/six/\").status_code)' | 200",
        "httpx | python3 -c 'import os, httpx; print(httpx.get(os.environ[\"PIP_INDEX_URL\"] + \"/six/\", follow_redirects=True).status_code)' | 200",
        "npm | npm view is-number name --cache DIR | is-number",
        "pnpm | rm -rf DIR && mkdir DIR && cd DIR && echo '{}' > package.json && /tmp/pnpm/node_modules/.bin/pnpm add --store-dir DIR/store is-odd 2>&1 && node -p 'require(\"is-odd\")(5)' | true",
        "fetch | node -e 'fetch(process.env.npm_config_registry).then(r => console.log(r.status))' | 200",
        "cargo | rm -rf DIR && cp -r /tmp/crate DIR && cd DIR && CARGO_HOME=DIR/home cargo fetch 2>&1 && ls DIR/home/registry/cache/* | itoa",
        "java.net.http | java /tmp/Ask.java http $npm_config_registry | 200",
        "URLConnection | java /tmp/Ask.java url $npm_config_registry | 200",
        "mvn | env -u MAVEN_OPTS mvn -B -ntp -Dmaven.repo.local=DIR org.apache.maven.plugins:maven-dependency-plugin:3.6.0:get -Dartifact=junit:junit:4.13.2 -Dtransitive=false 2>&1 | BUILD SUCCESS",
        "go | rm -rf DIR && mkdir DIR && cd DIR && export HOME=DIR GOPATH=DIR/path GOCACHE=DIR/cache GOTOOLCHAIN=local GOSUMDB=off GOFLAGS=-modcacherw && go mod init example.com/g 2>&1 && go get golang.org/x/text@v0.3.8 2>&1 && ls path/pkg/mod/cache/download | golang.org"})
    void aToolTrustsTheSandboxesAuthorityAsUserAndUnderSudo(String tool, String command, String wanted) throws Exception {
        for (String how : OF_THE_USER.contains(tool) ? List.of("user") : List.of("user", "sudo")) {
            String line = command.replace("DIR", "/tmp/as-" + how + "-" + tool);
            String whole = how.equals("user") ? line : "sudo --preserve-env=PIP_INDEX_URL,npm_config_registry,GOPROXY sh -c '" + line.replace("'", "'\\''") + "'";
            assertThat(ran("user", whole)).as(how).contains(wanted);
        }
    }

    /// No proxy stands between: a browser has nothing to be told. (NSS, which other builds look at, is not written.)
    @ParameterizedTest
    @ValueSource(strings = {"", "sudo --preserve-env=npm_config_registry "})
    void nw17ABrowserLoadsWhatIsAllowedAndShowsWhyNotWhatIsRefused(String how) throws Exception {
        String browse = how + "sh -c 'timeout 100 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir=$(mktemp -d) --dump-dom %s 2>/dev/null'";
        assertThat(ran("user", browse.formatted("${npm_config_registry%/}/is-number"))).contains("\"is-number\"");
        change(EVERYTHING_SEEN + "    - {hosts: [" + java.net.URI.create(host.variables().get("npm_config_registry")).getHost() + "], paths: [/is-number]}\n");
        try {
            assertThat(box.run("user", browse.formatted("${npm_config_registry%/}/is-odd"), host.variables()).out()).contains("egress_refused", "request.web[1]");
        } finally {
            change(EVERYTHING_SEEN);
        }
    }

    private static void change(String policy) throws Exception {
        var answer = server.send("PUT", "/v1/sandboxes/" + box.box().id() + "/policy", java.net.http.HttpRequest.BodyPublishers.ofByteArray(dev.redoma.http.Json.bytes(java.util.Map.of("policy", policy))), "Content-Type", "application/json");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    }

    @Test
    void theyWereShownTheSandboxesOwnAuthority() throws Exception {
        assertThat(ran("user", "curl -sSv $npm_config_registry 2>&1 >/dev/null | grep issuer")).contains("Redoma egress authority");
        assertThat(server.get("/v1/audit?sandbox=" + box.box().id() + "&category=egress&newest=50").body()).contains("\"action\":\"request\"");
    }
}
