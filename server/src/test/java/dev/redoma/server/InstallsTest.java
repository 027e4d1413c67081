// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Real packages from the registries that this machine's own clients are configured for, as ordinary programs of the template `base` install them under `--policy internet`. What a client
/// reaches on the host has to work inside; what it does not reach there is skipped and says why. Where this machine's names lead to addresses that are not public, and where it has
/// authorities of its own, the server is told so, as an operator would.
@Timeout(900)
class InstallsTest {
    @TempDir
    static Path dir;

    private static HostClients host;
    private static HashMap<String, String> environment;
    private static RealServer server;
    private static BaseBox box;

    @BeforeAll
    static void open() throws Exception {
        host = HostClients.look(dir);
        environment = new HashMap<>();
        environment.put("REDOMA_POOL_SIZE", "8GiB"); // a compiler and what it needs
        var elsewhere = host.notPublic();
        if (!elsewhere.isEmpty()) {
            environment.put("REDOMA_UPSTREAM_PUBLIC_ADDRESSES", String.join(",", elsewhere));
        }
        host.authorities().ifPresent(file -> environment.put("REDOMA_UPSTREAM_CA", file.toString()));
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

    private static String inside(String command) throws Exception {
        return inside(box, command);
    }

    private static String inside(BaseBox in, String command) throws Exception {
        var ran = in.run("user", command, host.variables());
        assertThat(ran.code()).as(command + ": " + ran.out()).isZero();
        return ran.out();
    }

    /// The three at a time, for this is in the fast lane.
    @Test
    void pipNpmAndAptInstallAsOnAHost() throws Exception {
        host.reached("python3 -m pip download -q --no-deps --no-cache-dir -d pip six && npm view is-number version --cache npm && apt-get download -o Debug::NoLocking=1 hello");
        try (var all = Executors.newVirtualThreadPerTaskExecutor()) {
            var asked = all.invokeAll(List.<Callable<String>>of(
                    () -> inside("pip install --no-cache-dir -q six 2>&1; python3 -c 'import six; print(six.__name__)'"),
                    () -> inside("mkdir -p /tmp/n && cd /tmp/n && npm install --no-audit --no-fund is-number 2>&1 && node -p 'require(\"is-number\")(5)'"),
                    () -> inside("sudo apt-get update -q -o APT::Update::Error-Mode=any 2>&1 && sudo apt-get install -qy --no-install-recommends hello 2>&1 && hello")));
            assertThat(asked.get(0).get()).contains("six");
            assertThat(asked.get(1).get()).contains("true");
            assertThat(asked.get(2).get()).contains("Hello, world!");
        }
    }

    @Test
    @Tag("long")
    void uvHttpxAndRequestsReachWhatPipDoes() throws Exception {
        host.reached("python3 -m pip download -q --no-deps --no-cache-dir -d pip six");
        inside("pip install --no-cache-dir -q uv httpx requests 2>&1");
        String get = "python3 -c \"import os; print(len(__import__('%s').get(os.environ['PIP_INDEX_URL'] + '/six/', headers={'Accept': 'application/json, text/html'}).text))\"";
        assertThat(inside(get.formatted("httpx") + " && " + get.formatted("requests")).lines().allMatch(n -> Integer.parseInt(n) > 100)).isTrue();
        assertThat(inside("python3 -m venv /tmp/v && UV_DEFAULT_INDEX=$PIP_INDEX_URL python3 -m uv pip install --no-cache --python /tmp/v/bin/python idna 2>&1 && /tmp/v/bin/python -c 'import idna; print(idna.__name__)'")).contains("idna");
    }

    @Test
    @Tag("long")
    void pnpmInstalls() throws Exception {
        host.reached("npm view is-number version --cache npm");
        assertThat(inside("mkdir -p /tmp/p && cd /tmp/p && npm install --no-audit --no-fund pnpm 2>&1 && mkdir -p /tmp/pn && cd /tmp/pn && echo '{}' > package.json && /tmp/p/node_modules/.bin/pnpm add --store-dir /tmp/ps is-odd 2>&1 && node -p 'require(\"is-odd\")(5)'"))
                .contains("true");
    }

    @Test
    @Tag("long")
    void cargoAndGoBuildWithWhatTheyFetch() throws Exception {
        host.reached("apt-get download -o Debug::NoLocking=1 hello");
        inside("sudo apt-get update -q 2>&1 && sudo apt-get install -qq --no-install-recommends cargo-web golang-go > /tmp/apt 2>&1 || { tail -n 5 /tmp/apt; false; }");
        String crate = "mkdir -p %1$s/src && cd %1$s && printf '[package]\\nname=\"c\"\\nversion=\"0.1.0\"\\nedition=\"2021\"\\n[dependencies]\\nitoa=\"1\"\\n' > Cargo.toml && echo 'fn main() { println!(\"{}\", itoa::Buffer::new().format(7)); }' > src/main.rs && CARGO_HOME=%1$s/home cargo %2$s 2>&1";
        String module = "mkdir -p %1$s && cd %1$s && export HOME=%1$s GOPATH=%1$s/path GOCACHE=%1$s/cache GOTOOLCHAIN=local GOSUMDB=off GOFLAGS=-modcacherw && rm -f go.mod && go mod init example.com/g 2>&1 && go get golang.org/x/text@v0.3.8 2>&1 && %2$s 2>&1";
        host.reached(crate.formatted(dir + "/c", "fetch"));
        host.reached(module.formatted(dir + "/g", "go version"));
        assertThat(inside(crate.formatted("/tmp/c", "run"))).endsWith("7\n");
        inside(module.formatted("/tmp/g", "printf 'package main\\nimport \"golang.org/x/text/language\"\\nfunc main() { print(language.English.String()) }' > g.go && go run ."));
    }

    /// A distribution's Java knows the authorities that are handed over by the file that it looks at.
    @Test
    @Tag("long")
    void mavenFetchesWhatItDoesOnTheHost() throws Exception {
        String get = "mvn -B -ntp -Dmaven.repo.local=%s org.apache.maven.plugins:maven-dependency-plugin:3.6.0:get -Dartifact=junit:junit:4.13.2 -Dtransitive=false 2>&1";
        host.reached(get.formatted(dir + "/m2"));
        inside("sudo apt-get update -q 2>&1 && sudo apt-get install -qq --no-install-recommends default-jre-headless maven > /tmp/apt 2>&1 || { tail -n 5 /tmp/apt; false; }");
        assertThat(inside(get.formatted("/tmp/m2"))).contains("BUILD SUCCESS");
    }

    /// As behind a company's proxy, which is one of the test's own and leads to where the registries are.
    @Test
    @Tag("long")
    void installsWorkThroughAProxyThatIsAskedForAddressesAlone() throws Exception {
        host.reached("python3 -m pip download -q --no-deps --no-cache-dir -d pip six && apt-get download -o Debug::NoLocking=1 hello");
        var credentials = Files.writeString(dir.resolve("credentials"), "agent:secret");
        Files.setPosixFilePermissions(credentials, PosixFilePermissions.fromString("rw-------"));
        var behind = new HashMap<>(environment);
        try (var proxy = new LocalProxy()) {
            proxy.wants("agent:secret");
            behind.put("REDOMA_UPSTREAM_PROXY", "http://127.0.0.1:" + proxy.port());
            behind.put("REDOMA_UPSTREAM_PROXY_CREDENTIALS", credentials.toString());
            try (var other = RealServer.start(behind)) {
                BaseBox.template(other, dir);
                var in = BaseBox.of(other, "internet");
                inside(in, "pip install --no-cache-dir -q six 2>&1 && sudo apt-get update -q -o APT::Update::Error-Mode=any 2>&1");
            }
            assertThat(proxy.targets()).isNotEmpty().allMatch(t -> t.matches("[0-9.]+:(443|80)|\\[[0-9a-f:]+]:(443|80)"));
        }
    }
}
