// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What is wrong with a call is told by its own words, before the server is asked.
class UsageTest {
    @TempDir Path dir;

    private String none() {
        return dir.resolve("none").toString();
    }

    @Test
    void aLocalFileThatIsNotThereIsUsageInEveryVerb() throws IOException {
        try (var server = new FakeServer()) {
            for (var verb : List.of(List.of("cp", none(), "box:"), List.of("import", none(), "box:/x"), List.of("audit", "verify", none()), List.of("policy", "check", none()),
                    List.of("policy", "set", "box", none()), List.of("template", "build", none()), List.of("template", "import", "x", none()))) {
                var called = Called.with(server.address(), verb.toArray(String[]::new));
                assertThat(called.code()).as(verb + called.err()).isEqualTo(2);
                assertThat(called.err()).as(verb.toString()).contains(none()).contains("what to do");
            }
            var run = Called.with(server.address(), "run", "--workspace", none(), "--", "true");
            assertThat(run.code()).isEqualTo(125);
            assertThat(run.err()).contains(none());
            assertThat(server.asked).isEmpty();
        }
    }

    @Test
    void whichArgumentIsThePathOfTheSandboxIsSaid() throws IOException {
        try (var server = new FakeServer()) {
            assertThat(Called.with(server.address(), "chmod", "999", "box:/tmp/p").err()).contains("'999'").contains("SANDBOX:PATH comes first");
            assertThat(Called.with(server.address(), "export", "out.tar", "box:/tmp/p").err()).contains("SANDBOX:PATH comes first");
            assertThat(Called.with(server.address(), "import", "box:/tmp/p", "in.tar").err()).contains("FILE comes first");
        }
    }

    @Test
    void aPairWithoutItsValueIsNamedOnce() {
        var exec = Called.withoutServer("exec", "-e", "BAD", "box", "--", "env");
        assertThat(exec.code()).isEqualTo(125);
        assertThat(exec.err()).contains("--env: 'BAD' is not of the form NAME=VALUE").doesNotContain("option option");
        assertThat(Called.withoutServer("list", "--label", "BAD").err()).contains("--label").contains("BAD").doesNotContain("option option");
    }

    @Test
    void theNameOfABuildTakesATagAndOnlyOne() throws IOException {
        Files.writeString(dir.resolve("Dockerfile"), "FROM base\n");
        try (var server = new FakeServer()) {
            var two = Called.with(server.address(), "template", "build", dir.toString(), "--name", "web:v1", "--tag", "v2");
            assertThat(two.code()).isEqualTo(2);
            assertThat(two.err()).contains("--tag");
            var digest = Called.with(server.address(), "template", "build", dir.toString(), "--name", "web@sha256:" + "0".repeat(64));
            assertThat(digest.code()).isEqualTo(2);
            assertThat(digest.err()).contains("NAME:TAG");
            assertThat(server.asked).isEmpty();
            Called.with(server.address(), "template", "build", dir.toString(), "--name", "web:v1");
            assertThat(server.asked).anyMatch(asked -> asked.contains("web") && !asked.contains("web:v1") && !asked.contains("web%3A"));
        }
    }

    @Test
    void whatIsNoExportSaysSo() throws IOException {
        var readme = Files.writeString(dir.resolve("README.md"), "# Not a record\n");
        var called = Called.withoutServer("audit", "verify", readme.toString());
        assertThat(called.code()).isEqualTo(1);
        assertThat(called.text()).contains("not an exported record (line 1)").doesNotContain("null").doesNotContain("first bad");
    }

    @Test
    void aServerIsEndedByTheFlagsItWasStartedWith() {
        var flags = ServerProcess.flags(List.of("java", "-cp", "x", "dev.redoma.server.Main", "--data", "/srv/a", "--profile", "/p", "--run", "/srv/r")).orElseThrow();
        assertThat(flags.down()).isEqualTo("./redoma down --data /srv/a --run /srv/r");
        assertThat(ServerProcess.flags(List.of("java", "dev.redoma.server.Main"))).isEmpty();
    }
}
