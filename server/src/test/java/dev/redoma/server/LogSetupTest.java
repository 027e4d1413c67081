// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The server's own log, into which others make it write.
class LogSetupTest {
    @TempDir
    private Path dir;

    private final LoggerContext context = new LoggerContext();

    @BeforeEach
    void open() {
        System.setProperty(LogSetup.DIRECTORY, dir.toString());
        System.setProperty(LogSetup.CONSOLE, "false");
        context.setMDCAdapter(new LogbackMDCAdapter());
        new LogSetup().configure(context);
    }

    @AfterEach
    void close() {
        context.stop();
        System.clearProperty(LogSetup.DIRECTORY);
        System.clearProperty(LogSetup.CONSOLE);
    }

    private String log() throws Exception {
        return Files.readString(dir.resolve("server.log"));
    }

    @Test
    void whatIsSaidAgainAndAgainIsBoundedAndOthersAreHeard() throws Exception {
        var log = context.getLogger("Noisy");
        for (int i = 0; i < 10_000; i++) {
            log.warn("refused {}", i);
        }
        log.warn("something else");
        assertThat(log().lines().filter(l -> l.contains("refused"))).hasSize(50);
        assertThat(log()).contains("something else");
    }

    @Test
    void theNextThatIsLetThroughTellsHowManyWereNot() throws Exception {
        var budget = new LogBudget(2, Duration.ofMillis(300));
        var kind = context.getLogger("Kind");
        for (int i = 0; i < 12; i++) {
            budget.decide(null, kind, ch.qos.logback.classic.Level.WARN, "said {}", new Object[] {i}, null);
        }
        Thread.sleep(400);
        assertThat(budget.decide(null, kind, ch.qos.logback.classic.Level.WARN, "said {}", null, null)).isEqualTo(ch.qos.logback.core.spi.FilterReply.NEUTRAL);
        assertThat(budget.leftOut("Kind", "said {}")).isEqualTo(10);
        assertThat(budget.leftOut("Kind", "said {}")).isZero();
    }

    @Test
    void aMessageIsOneLineAndActsOnNoTerminal() throws Exception {
        context.getLogger("Told").warn("name {}", "a\r\n2026-01-01T00:00:00.000Z INFO Admin key revoked\u009b31m\u202e\u0007\u001b]0;x\u2028end", new IllegalStateException("with its stack"));
        assertThat(log().lines().filter(l -> !l.startsWith("\t"))).hasSize(2).last().asString().contains("IllegalStateException: with its stack");
        assertThat(log()).contains("name a / 2026-01-01", "\\u009b31m", "\\u202e", "\\u0007", "\\u001b]0;x / end").doesNotContain("\u009b").doesNotContain("\u001b").doesNotContain("\u202e");
    }

    /// The parser of HTTP would repeat what it was sent.
    @Test
    void whatIsNoHttpIsNoNews() throws Exception {
        context.getLogger("org.eclipse.jetty.http.HttpParser").warn("sent by anybody");
        context.getLogger("org.eclipse.jetty.util.HostPort").warn("sent by anybody");
        assertThat(log()).doesNotContain("sent by anybody");
    }
}
