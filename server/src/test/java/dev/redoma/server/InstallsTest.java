// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.redoma.policy.Addresses;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Real packages from the registries that this machine's own clients are configured for, as ordinary programs of the template `base` install them under `--policy internet`. What a client
/// reaches on the host has to work inside; what it does not reach there is skipped and says why. Where this machine's names lead to addresses that are not public, the server
/// is told so, as an operator would.
@Timeout(900)
class InstallsTest {
    /// What this host believes, for registries that are served by a mirror with an authority of its own.
    private static final Path AUTHORITIES = Path.of("/etc/ssl/certs/ca-certificates.crt");
    private static final Map<String, String> CLIENTS = new HashMap<>();
    @TempDir
    static Path dir;

    private static RealServer server;
    private static BaseBox box;

    @BeforeAll
    static void open() throws Exception {
        var environment = new HashMap<String, String>();
        var elsewhere = notPublic();
        if (!elsewhere.isEmpty()) {
            System.out.println("not public here, and told to the server as public: " + elsewhere);
            environment.put("REDOMA_UPSTREAM_PUBLIC_ADDRESSES", String.join(",", elsewhere));
        }
        if (Files.size(AUTHORITIES) < 320 << 10) {
            environment.put("REDOMA_UPSTREAM_CA", AUTHORITIES.toString());
        }
        environment.put("REDOMA_POOL_SIZE", "8GiB"); // a compiler and what it needs
        server = RealServer.start(environment);
        BaseBox.template(server, dir);
        box = BaseBox.of(server, "internet");
    }

    @AfterAll
    static void close() throws Exception {
        if (server != null) {
            server.close();
        }
    }

    /// The addresses of registries, as the host's own clients name them, that no policy takes for public.
    private static TreeSet<String> notPublic() throws Exception {
        told("PIP_INDEX_URL", "python3 -m pip config get global.index-url 2>/dev/null || python3 -c 'from pip._internal.models.index import PyPI; print(PyPI.simple_url)'");
        told("npm_config_registry", "npm config get registry");
        told("GOPROXY", "go env GOPROXY");
        var files = host("python3 -c 'from pip._internal.models.index import PyPI; print(\"https://\" + PyPI.file_storage_domain)'").out();
        var lists = host("apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages'").out();
        var found = new TreeSet<String>();
        for (String url : Stream.concat(CLIENTS.values().stream().flatMap(v -> Stream.of(v.split("[,|]"))), Stream.concat(files.lines(), lines(lists))).toList()) {
            String name = url.contains("://") ? URI.create(url.strip()).getHost() : null;
            if (name != null) {
                for (var address : addresses(name)) {
                    if (Addresses.kind(address).isPresent()) {
                        found.add(address.getHostAddress());
                    }
                }
            }
        }
        return found;
    }

    private static Stream<String> lines(String text) {
        return text.lines().distinct();
    }

    private static InetAddress[] addresses(String name) {
        try {
            return InetAddress.getAllByName(name);
        } catch (IOException unknown) {
            return new InetAddress[0];
        }
    }

    private static void told(String variable, String command) throws Exception {
        var told = host(command);
        if (told.code() == 0 && !told.out().isBlank()) {
            CLIENTS.put(variable, told.out().lines().reduce((a, b) -> b).orElseThrow().strip());
        }
    }

    private static BaseBox.Ran host(String command) throws Exception {
        var out = Files.createTempFile(dir, "host", ".out");
        var process = new ProcessBuilder("sh", "-c", "unset PIP_FIND_LINKS PIP_NO_INDEX; cd " + dir + "; " + command).redirectErrorStream(true).redirectOutput(out.toFile()).start();
        if (!process.waitFor(120, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            return new BaseBox.Ran(-1, "no end within 120 s");
        }
        return new BaseBox.Ran(process.exitValue(), Files.readString(out));
    }

    /// What the host itself does not reach cannot be told from what the gateway does not let through.
    private static void reached(String command) throws Exception {
        var told = host(command);
        assumeTrue(told.code() == 0, () -> "not reached by this host itself: " + command + ": " + told.out());
    }

    private static String inside(String user, String command) throws Exception {
        var ran = box.run(user, command, CLIENTS);
        assertThat(ran.code()).as(command + ": " + ran.out()).isZero();
        return ran.out();
    }

    /// The three at a time, for this is in the fast lane.
    @Test
    void pipNpmAndAptInstallAsOnAHost() throws Exception {
        reached("python3 -m pip download -q --no-deps --no-cache-dir -d pip six && npm view is-number version --cache npm && apt-get download -o Debug::NoLocking=1 hello");
        try (var all = Executors.newVirtualThreadPerTaskExecutor()) {
            var asked = all.invokeAll(List.<Callable<Boolean>>of(
                    () -> contains(inside("user", "pip install --no-cache-dir -q six 2>&1; python3 -c 'import six; print(six.__name__)'"), "six"),
                    () -> contains(inside("user", "mkdir -p /tmp/n && cd /tmp/n && npm install --no-audit --no-fund is-number 2>&1 && node -p 'require(\"is-number\")(5)'"), "true"),
                    () -> contains(inside("user", "sudo apt-get update -q -o APT::Update::Error-Mode=any 2>&1 && sudo apt-get install -qy --no-install-recommends hello 2>&1 && hello"), "Hello, world!")));
            for (var one : asked) {
                assertThat(one.get()).isTrue();
            }
        }
    }
    @Test
    @Tag("long")
    void uvHttpxAndRequestsReachWhatPipDoes() throws Exception {
        reached("python3 -m pip download -q --no-deps --no-cache-dir -d pip six");
        inside("user", "pip install --no-cache-dir -q uv httpx requests 2>&1");
        String get = "import os, sys; print(len(%s.get(os.environ['PIP_INDEX_URL'] + '/six/', headers={'Accept': 'application/json, text/html'}).text))";
        assertThat(inside("user", "python3 -c \"" + get.replace("%s", "__import__('httpx')") + "\" && python3 -c \"" + get.replace("%s", "__import__('requests')") + "\"").lines()
                .allMatch(n -> Integer.parseInt(n) > 100)).isTrue();
        assertThat(inside("user", "python3 -m venv /tmp/v && UV_DEFAULT_INDEX=$PIP_INDEX_URL UV_INDEX_URL=$PIP_INDEX_URL python3 -m uv pip install --no-cache --python /tmp/v/bin/python idna 2>&1 && /tmp/v/bin/python -c 'import idna; print(idna.__name__)'"))
                .contains("idna");
    }

    @Test
    @Tag("long")
    void pnpmInstalls() throws Exception {
        reached("npm view is-number version --cache npm");
        assertThat(inside("user", "mkdir -p /tmp/p && cd /tmp/p && npm install --no-audit --no-fund pnpm 2>&1 && mkdir -p /tmp/pn && cd /tmp/pn && echo '{}' > package.json && /tmp/p/node_modules/.bin/pnpm add --store-dir /tmp/ps is-odd 2>&1 && node -p 'require(\"is-odd\")(5)'")).contains("true");
    }

    @Test
    @Tag("long")
    void cargoGoAndMavenBuildWithWhatTheyFetch() throws Exception {
        reached("apt-get download -o Debug::NoLocking=1 hello");
        inside("user", "sudo apt-get update -q 2>&1 && sudo apt-get install -qq --no-install-recommends cargo-web golang-go maven default-jre-headless > /tmp/apt 2>&1 || { tail -n 5 /tmp/apt; false; }");
        String crate = "mkdir -p %1$s/src && cd %1$s && printf '[package]\\nname=\"c\"\\nversion=\"0.1.0\"\\nedition=\"2021\"\\n[dependencies]\\nitoa=\"1\"\\n' > Cargo.toml && echo 'fn main() { println!(\"{}\", itoa::Buffer::new().format(7)); }' > src/main.rs && CARGO_HOME=%1$s/home cargo %2$s 2>&1";
        String module = "mkdir -p %1$s && cd %1$s && export HOME=%1$s GOPATH=%1$s/path GOCACHE=%1$s/cache GOTOOLCHAIN=local GOSUMDB=off && rm -f go.mod && go mod init example.com/g 2>&1 && go get golang.org/x/text@v0.3.8 2>&1 && %2$s 2>&1";
        String artifact = "mkdir -p %1$s && cd %1$s && printf '<project><modelVersion>4.0.0</modelVersion><groupId>t</groupId><artifactId>t</artifactId><version>1</version><dependencies><dependency><groupId>org.apiguardian</groupId><artifactId>apiguardian-api</artifactId><version>1.1.2</version></dependency></dependencies></project>' > pom.xml && mvn -q -B -Dmaven.repo.local=%1$s/m2 %2$s 2>&1";
        reached(crate.formatted("c", "fetch"));
        reached(module.formatted(dir + "/g", "go version"));
        reached(artifact.formatted(dir + "/m", "dependency:copy-dependencies"));
        assertThat(inside("user", crate.formatted("/tmp/c", "run"))).endsWith("7\n");
        inside("user", module.formatted("/tmp/g", "printf 'package main\\nimport \"golang.org/x/text/language\"\\nfunc main() { print(language.English.String()) }' > g.go && go run ."));
        assertThat(inside("user", artifact.formatted("/tmp/m", "dependency:copy-dependencies") + " && ls /tmp/m/target/dependency")).contains("apiguardian-api-1.1.2.jar");
    }

    private static boolean contains(String out, String wanted) {
        assertThat(out).contains(wanted);
        return true;
    }
}
