// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/// Section 2 of the behaviours: terminals. A session is a shell in a terminal that outlives its clients.
@ExtendWith(LabExtension.class)
@Timeout(120)
class ShellBehavioursTest {
    private static final Map<String, Object> TTY = Map.of("cols", 80, "rows", 24);
    private static Box box;

    @BeforeAll
    static void sandbox(Lab lab) {
        box = lab.base();
    }

    @AfterAll
    static void end() {
        box.close();
    }

    private static String shell() {
        return box.start(List.of("bash", "--norc"), "tty", TTY, "env", Map.of("PS1", "$ "));
    }

    @Test
    void sh01_sh07_aSessionSurvivesAnInterruptAndKeepsDirectoryAndVariables() {
        var exec = shell();
        try (var term = new Term(box, exec, 0)) {
            term.type("cd /tmp; export A=1; sh -c 'echo slee''ping; sleep 60'\n");
            term.await("sleeping", 30_000); // what the terminal echoes is there before it runs, and a shell that just starts a program keeps the interrupt
            term.type("\u0003");
            term.type("echo here $(pwd) $A.\n");
            term.await("here /tmp 1.", 30_000);
        }
        try (var again = new Term(box, exec, 0)) {
            again.type("echo again $(pwd) $A.\n");
            again.await("again /tmp 1.", 30_000);
        }
        box.killExec(exec);
    }

    @Test
    void sh02_nothingPagesAndAnEditorlessCommitEnds() {
        var exec = shell();
        try (var term = new Term(box, exec, 0)) {
            term.type("cd /tmp && rm -rf r && git init -q r && cd r && git config user.email a@example.com && git config user.name a; "
                    + "for i in $(seq 60); do echo $i >> f; git add f; git commit -qm c$i; done; git log | tail -1; git diff HEAD~50 | tail -1; echo done-$((1+1))\n");
            term.await("done-2", 60_000);
        }
        box.killExec(exec);
    }

    @Test
    void sh03_silenceIsNotTheEnd(Lab lab) {
        int silent = lab.isLong() ? 40 : 4;
        var exec = box.start(Box.shell("sleep " + silent + "; echo DONE"));
        assertThat(box.await(exec, 1000).get("state").asString()).isEqualTo("running");
        var result = box.output(exec, 0, true, false);
        assertThat(result.text()).isEqualTo("DONE\n");
        assertThat(result.code()).isZero();
    }

    @Test
    void sh05_tenKilledCommandsLeaveTheSandboxAnswering() {
        for (int i = 0; i < 10; i++) {
            var exec = box.start(List.of("sleep", "100"));
            assertThat(box.killExec(exec)).isTrue();
            assertThat(box.sh("echo hi").text()).isEqualTo("hi\n");
        }
    }

    @Test
    @Tag("long")
    @Timeout(200)
    void sh11_anIdleTerminalIsNotCut() throws Exception {
        var exec = shell();
        try (var term = new Term(box, exec, 0)) {
            Thread.sleep(130_000);
            term.type("echo alive-$((2+3))\n");
            term.await("alive-5", 30_000);
        }
        box.killExec(exec);
    }

    @Test
    void sh13_aSecondAttachTellsTheFirstAndAnAbsurdSizeChangesNothing() throws Exception {
        var exec = shell();
        try (var first = new Term(box, exec, 0)) {
            first.type("stty size\n");
            first.await("24 80", 30_000);
            try (var second = new Term(box, exec, 0)) {
                assertThat(first.closeCode(30_000)).isEqualTo(4001);
                assertThat(box.api().post(box.path("/execs/" + exec + "/resize"), Map.of("cols", 0, "rows", 0)).status()).isEqualTo(400);
                second.type("echo s-$(stty size)\n");
                second.await("s-24 80", 30_000);
                box.api().post(box.path("/execs/" + exec + "/resize"), Map.of("cols", 100, "rows", 30)).expect(204);
                second.type("echo t-$(stty size)\n");
                second.await("t-30 100", 30_000);
                second.type("exit 7\n");
                assertThat(second.closeCode(30_000)).isEqualTo(1000);
                assertThat(second.reason()).contains("7");
            }
        }
    }

    @Test
    void sh14_abortedConnectsLeaveNoShells() {
        var execs = new ArrayList<String>();
        for (int i = 0; i < 20; i++) {
            var exec = shell();
            new Term(box, exec, 0).cut();
            execs.add(exec);
        }
        execs.forEach(box::killExec);
        await().atMost(Duration.ofSeconds(15)).until(() -> box.sh("ps -e -o comm | grep -c '^bash' || true").text().equals("0\n"));
    }

    @Test
    void sh15_aCutSocketKillsNothingAndTheOutputIsReplayed() {
        var exec = shell();
        try (var term = new Term(box, exec, 0)) {
            term.type("echo before-$((3+4)); sleep 500\n");
            term.await("before-7", 30_000);
            term.cut();
        }
        assertThat(box.exec(exec).get("state").asString()).isEqualTo("running");
        try (var again = new Term(box, exec, 0)) {
            again.await("before-7", 30_000);
        }
        box.killExec(exec);
    }
}
