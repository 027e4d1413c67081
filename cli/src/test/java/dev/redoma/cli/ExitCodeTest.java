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
        "409,wrong-state,1", "500,internal,1", "501,not-enforceable,1"})
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
