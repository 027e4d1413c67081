// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// A service as people make one, built on the real `base`: packages by pip and npm (from files that come along: steps have no network),
/// files of its own, a user, a start command and its port.
@Timeout(300)
@ExtendWith(LabExtension.class)
class BaseRecipeTest {
    private static final String SAYS = "from pip 1.0\nfrom npm\n";

    private final Lab lab;

    @TempDir
    private Path dir;

    BaseRecipeTest(Lab lab) {
        this.lab = lab;
    }

    @BeforeEach
    void build() throws Exception {
        lab.base().close();
        wheel(Files.createDirectories(dir.resolve("dist")).resolve("hello-1.0-py3-none-any.whl"));
        put("js/package.json", "{\"name\": \"greeting\", \"version\": \"1.0.0\", \"main\": \"index.js\"}");
        put("js/index.js", "module.exports = () => 'from npm';\n");
        put("app/server.py", """
                import http.server, subprocess, hello
                class Handler(http.server.BaseHTTPRequestHandler):
                    def do_GET(self):
                        node = subprocess.run(['node', '-p', 'require("greeting")()'], capture_output=True, text=True).stdout
                        body = (hello.SAYS + '\\n' + node).encode()
                        self.send_response(200)
                        self.send_header('Content-Length', str(len(body)))
                        self.end_headers()
                        self.wfile.write(body)
                http.server.HTTPServer(('127.0.0.1', 8080), Handler).serve_forever()
                """);
        put("recipe.yaml", """
                from: base
                user: root
                workdir: /srv/app
                env: {VIRTUAL_ENV: /srv/venv, PATH: '/srv/venv/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'}
                steps:
                  - copy: {from: dist, to: /tmp/dist/}
                  - run: python3 -m venv /srv/venv && pip install --no-index --find-links /tmp/dist hello && rm -r /tmp/dist
                  - copy: {from: js, to: /srv/js/}
                  - run: npm install --offline --no-audit --no-fund --install-links /srv/js
                  - copy: {from: app, to: ./, owner: 'user:user'}
                  - run: date > /marker
                  - user: user
                start:
                  command: [python3, server.py]
                  ready: {port: 8080, timeout: 60s}
                """);
        var built = Redoma.of(lab).call("template", "build", dir.toString(), "--name", "service");
        assertThat(built.code()).as(built.err() + built.text()).isZero();
    }

    @AfterEach
    void remove() {
        lab.api().delete("/v1/snapshots/served");
        lab.api().delete("/v1/templates/service");
    }

    private void put(String name, String content) throws IOException {
        var file = dir.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, content);
    }

    /// A package as pip takes it, made by hand.
    private static void wheel(Path file) throws IOException {
        try (var zip = new ZipOutputStream(Files.newOutputStream(file))) {
            for (var member : Map.of("hello/__init__.py", "SAYS = 'from pip 1.0'\n", "hello-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: hello\nVersion: 1.0\n",
                    "hello-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
                    "hello-1.0.dist-info/RECORD", "hello/__init__.py,,\nhello-1.0.dist-info/METADATA,,\nhello-1.0.dist-info/WHEEL,,\nhello-1.0.dist-info/RECORD,,\n").entrySet()) {
                zip.putNextEntry(new ZipEntry(member.getKey()));
                zip.write(member.getValue().getBytes(UTF_8));
            }
        }
    }

    private static void serves(Box box) {
        var said = box.run(java.util.List.of("curl", "-sS", "--max-time", "20", "http://127.0.0.1:8080/"));
        assertThat(said.text()).as(said.errText()).isEqualTo(SAYS);
        assertThat(box.sh("id -un; stat -c %U server.py").text()).isEqualTo("user\nuser\n");
    }

    @Test
    void aServiceBuiltOnTheRealBaseIsHandedOutReady() {
        try (var box = Box.create(lab.api(), Map.of("template", "service"))) {
            serves(box);
            box.verb("pause");
            box.verb("resume");
            serves(box);
            lab.api().post(box.path("/snapshots"), Map.of("name", "served")).expect(201);
        }
        try (var box = Box.create(lab.api(), Map.of("template", "served"))) {
            serves(box);
        }
    }

    @Test
    @Tag("long")
    @Timeout(900)
    void lc31_theFilesOfAStepAreThereAtOnceAfterFiveMinutesAndAfterARestart() throws Exception {
        String marker;
        try (var box = Box.create(lab.api(), Map.of("template", "service"))) {
            marker = box.sh("cat /marker").text();
            assertThat(marker).isNotBlank();
            Thread.sleep(java.time.Duration.ofMinutes(5));
            assertThat(box.sh("cat /marker").text()).isEqualTo(marker);
            serves(box);
        }
        try (var box = Box.create(lab.api(), Map.of("template", "service"))) {
            assertThat(box.sh("cat /marker").text()).isEqualTo(marker);
        }
        lab.stopServer();
        lab.startServer();
        try (var box = Box.create(lab.api(), Map.of("template", "service"))) {
            assertThat(box.sh("cat /marker").text()).isEqualTo(marker);
            serves(box);
        }
    }
}
