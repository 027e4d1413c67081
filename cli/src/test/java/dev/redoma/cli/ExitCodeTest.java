// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExitCodeTest {

    @ParameterizedTest
    @CsvSource({
        "404,sandbox-not-found,3", "410,sandbox-ended,3", "404,file-not-found,3", "401,unauthenticated,4", "403,forbidden,4", "403,policy-refused,4",
        "429,quota-exceeded,5", "429,rate-limited,5", "503,no-capacity,5", "507,disk-full,5", "413,payload-too-large,5", "400,invalid-field,2",
        "409,wrong-state,1", "500,internal,1", "501,not-enforceable,4", "501,not-offered,4"})
    void eachProblemHasItsCode(int status, String code, int exit) throws IOException {
        try (var server = new FakeServer()) {
            server.on("GET /v1/sandboxes/x", x -> FakeServer.json(x, status, FakeServer.problem(status, code)));
            var called = Called.with(server.address(), "show", "x");
            assertThat(called.code()).isEqualTo(exit);
            assertThat(called.err()).contains("what is wrong").contains(code).contains("what to do");
            assertThat(called.out()).isEmpty();
        }
    }

    @Test
    void outputThatNobodyReadsIsWhatShellsShowForSigpipe() throws IOException {
        try (var server = new FakeServer()) {
            server.runs(FakeServer.exec("exited", 0), "text".getBytes(), new byte[0]);
            for (var verb : new String[][] {{"exec", FakeServer.BOX, "--", "cmd"}, {"run", "--", "cmd"}}) {
                var err = new java.io.ByteArrayOutputStream();
                var full = new java.io.OutputStream() {
                    @Override
                    public void write(int b) throws IOException {
                        throw new IOException("Broken pipe");
                    }
                };
                var io = new Io(java.io.InputStream.nullInputStream(), full, new java.io.PrintStream(err, true),
                        () -> java.util.Optional.of(new dev.redoma.client.Profile(server.address().toString(), "e2b_key", null)));
                assertThat(Cli.run(verb, io)).as(verb[0]).isEqualTo(141);
                assertThat(err.toString()).as(verb[0]).doesNotContain("Exception");
            }
        }
    }

    @Test
    void whatIsNoSandboxNamesItselfAndAsksNobody() throws IOException {
        try (var server = new FakeServer()) {
            for (var name : new String[] {"../x", "a/b", "", "a b"}) {
                var called = Called.with(server.address(), "show", name);
                assertThat(called.code()).as(name).isEqualTo(2);
                assertThat(called.err()).contains("'" + name + "'").contains("redoma list");
            }
            assertThat(server.asked).isEmpty();
        }
    }

    @Test
    void aKeyWithALineBreakIsNamedAndNotShown() throws IOException {
        var err = new java.io.ByteArrayOutputStream();
        var io = new Io(java.io.InputStream.nullInputStream(), java.io.OutputStream.nullOutputStream(), new java.io.PrintStream(err, true),
                () -> java.util.Optional.of(new dev.redoma.client.Profile("http://127.0.0.1:9", "e2b_secret\n", null)));
        assertThat(Cli.run(new String[] {"list"}, io)).isEqualTo(2);
        assertThat(err.toString()).contains("REDOMA_KEY").contains("line break").doesNotContain("secret");
    }

    @Test
    void httpsToAPlainPortSaysWhatToSet() throws IOException {
        try (var server = new FakeServer()) {
            var called = Called.with(URI.create(server.address().toString().replace("http:", "https:")), "list");
            assertThat(called.code()).isEqualTo(6);
            assertThat(called.err()).contains("set REDOMA_URL to http://" + server.address().getAuthority());
        }
    }

    @Test
    void httpToAPortThatSpeaksTlsSaysSo() throws Exception {
        try (var tls = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var answering = Thread.ofVirtual().start(() -> {
                try (var socket = tls.accept()) {
                    socket.getInputStream().readNBytes(4);
                    socket.getOutputStream().write(new byte[] {0x15, 3, 1, 0, 2, 2, 22, '\n'}); // an alert, as OpenSSL answers
                    socket.shutdownOutput();
                    socket.getInputStream().readAllBytes();
                } catch (IOException gone) {
                    // the client has what it needs
                }
            });
            var called = Called.with(URI.create("http://127.0.0.1:" + tls.getLocalPort()), "list");
            assertThat(called.code()).isNotZero();
            assertThat(called.err()).contains("https://");
            answering.join(30_000);
        }
    }

    @Test
    void bytesThatAreNoTextAreRefusedByTheirPlace() {
        var io = new Io(java.io.InputStream.nullInputStream(), java.io.OutputStream.nullOutputStream(), new java.io.PrintStream(new java.io.ByteArrayOutputStream()),
                java.util.Optional::empty);
        var bad = "java\0-cp\0x\0Main\0exec\0box\0--\0echo\0a\u00ff\0".getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);
        var err = new java.io.ByteArrayOutputStream();
        var told = new Io(io.in(), io.out(), new java.io.PrintStream(err, true), io.profiles());
        assertThat(Cli.run(new String[] {"exec", "box", "--", "echo", "a\ufffd"}, told, bad)).isEqualTo(125);
        assertThat(err.toString()).contains("Argument 5").contains("a\\xff").contains("UTF-8");
        assertThat(Cli.run(new String[] {"show", "a\ufffd"}, told, "java\0show\0a\u00ff\0".getBytes(java.nio.charset.StandardCharsets.ISO_8859_1))).isEqualTo(2);
        // The same letter given as such is text.
        assertThat(Cli.run(new String[] {"show", "\ufffd"}, told, "java\0show\0\ufffd\0".getBytes(java.nio.charset.StandardCharsets.UTF_8))).isEqualTo(6);
    }

    @Test
    void nobodyListeningIsSix() throws IOException {
        int port;
        try (var free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        var called = Called.with(URI.create("http://127.0.0.1:" + port), "list");
        assertThat(called.code()).isEqualTo(6);
        assertThat(called.err()).contains("127.0.0.1:" + port).contains("redoma up");
    }

    @Test
    void noProfileIsSix() {
        assertThat(Called.withoutServer("list").code()).isEqualTo(6);
    }

    @Test
    void wrongUsageIsTwo() {
        assertThat(Called.withoutServer("frobnicate").code()).isEqualTo(2);
        assertThat(Called.withoutServer("show").code()).isEqualTo(2);
        assertThat(Called.withoutServer("list", "--no-such").code()).isEqualTo(2);
        assertThat(Called.withoutServer("audit").code()).isEqualTo(2);
        assertThat(Called.withoutServer().code()).isEqualTo(2);
    }

    @Test
    void aVerbThatIsNotThereIsNamed() {
        assertThat(Called.withoutServer("frobnicate").err()).contains("no verb 'frobnicate'").contains("redoma --help");
        assertThat(Called.withoutServer("list", "--frobnicate", "--json").text()).contains("\"problem\"").contains("\"code\":\"usage\"");
        assertThat(Called.withoutServer("list", "--frobnicate").text()).isEmpty();
    }

    @Test
    void theBenchHasHelpToo() {
        var called = Called.withoutServer("bench", "--help");
        assertThat(called.code()).isZero();
        assertThat(called.text()).contains("redoma bench");
    }

    @Test
    void malformedPathsDurationsAndSizesAreUsage() throws IOException {
        try (var server = new FakeServer()) {
            assertThat(Called.with(server.address(), "ls", "no-colon").code()).isEqualTo(2);
            assertThat(Called.with(server.address(), "set-timeout", "x", "soon").code()).isEqualTo(2);
            assertThat(Called.with(server.address(), "create", "--memory", "lots").code()).isEqualTo(2);
            assertThat(Called.with(server.address(), "kill").code()).isEqualTo(2);
            assertThat(Called.with(server.address(), "cp", "a", "b").code()).isEqualTo(2);
        }
    }

    @Test
    void helpIsZeroForEveryVerb() {
        assertThat(Called.withoutServer("--help").text()).contains(Verbs.NAMES);
        for (var verb : Verbs.NAMES) {
            var called = verb.equals("bench") ? Called.withoutServer("list", "--help") : Called.withoutServer(verb, "--help");
            assertThat(called.code()).as(verb).isZero();
            assertThat(called.text()).as(verb).contains("Usage: redoma ");
        }
    }

    @Test
    void completionKnowsEveryVerb() {
        var called = Called.withoutServer("completion");
        assertThat(called.code()).isZero();
        assertThat(called.text()).contains(Verbs.NAMES);
    }
}
