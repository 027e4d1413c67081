// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Section 1 of the behaviours: processes and their output, over the wire, in real sandboxes.
@ExtendWith(LabExtension.class)
@Timeout(120)
class ExecBehavioursTest {
    private static Box box;
    private static Box base;

    @BeforeAll
    static void sandbox(Lab lab) {
        box = lab.tiny();
        base = lab.base();
    }

    @AfterAll
    static void end() {
        box.close();
        base.close();
    }

    @Test
    void ex01_aTimeoutEndsTheCommandAndItsProcessesAndSaysSo() {
        long start = System.nanoTime();
        var result = box.run(List.of("sleep", "311"), "timeoutMs", 1000);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(3));
        assertThat(result.exec().get("timedOut").asBoolean()).as("%s", result.exec()).isTrue();
        assertThat(result.code()).isNotZero();
        assertThat(box.sh("ps | grep '[s]leep 311' | wc -l; echo ok").text()).isEqualTo("0\nok\n");
    }

    @Test
    void ex02_killingABackgroundCommandKillsItsChildrenForGood() {
        var exec = box.start(Box.shell("sleep 312 & sleep 313 & wait"));
        await().atMost(Duration.ofSeconds(30)).until(() -> sleeping("31[23]") == 2);
        assertThat(box.killExec(exec)).isTrue();
        assertThat(sleeping("31[23]")).isZero();
        assertThat(box.killExec(exec)).isFalse();
        box.verb("pause");
        box.verb("resume");
        assertThat(sleeping("31[23]")).isZero();
    }

    private static int sleeping(String pattern) {
        return Integer.parseInt(box.sh("ps | grep '[s]leep " + pattern + "$' | wc -l").text().strip());
    }

    @Test
    void ex03_aKillReachesTheLeafOfADeepTreeAndTheStateSaysKilled() throws Exception {
        var exec = box.start(Box.shell("sh -c 'sh -c \"while :; do printf x >> /tmp/t; sleep 0.1; done\" & wait' & wait"));
        await().atMost(Duration.ofSeconds(30)).until(() -> box.sh("cat /tmp/t 2>/dev/null").out().length > 1);
        box.killExec(exec);
        var size = box.stat("/tmp/t").get("size").asLong();
        Thread.sleep(1000);
        assertThat(box.stat("/tmp/t").get("size").asLong()).isEqualTo(size);
        var end = box.await(exec, 30_000);
        assertThat(end.get("killed").asBoolean()).as("%s", end).isTrue();
        assertThat(end.get("timedOut").asBoolean()).as("%s", end).isFalse();
    }

    @Test
    void ex05_whenTheGuestDiesTheCallerGetsAnErrorAndNeverAnExitCode(Lab lab) {
        try (var victim = lab.tiny()) {
            var exec = victim.start(Box.shell("sleep 60; exit 7"));
            lab.killInit(victim);
            await().atMost(Duration.ofSeconds(10)).until(() -> "lost".equals(victim.exec(exec).get("state").asString()));
            assertThat(victim.exec(exec).has("exitCode")).isFalse();
            await().atMost(Duration.ofSeconds(10)).until(() -> !"running".equals(victim.state()));
        }
    }

    @Test
    void ex06_aCutTransportIsNoExitAndTheStreamCanBeTakenUpAgain() throws Exception {
        var answer = box.api().open(box.api().json(box.path("/execs"), Box.spec(Box.shell("echo a; sleep 2; echo b; exit 5"))).header("Accept", Box.FRAMES).build());
        String exec;
        try (var frames = new java.io.DataInputStream(answer.body())) {
            assertThat(frames.readUnsignedByte()).as("the first frame is the exec as started").isEqualTo(3);
            exec = Api.JSON.readTree(frames.readNBytes(frames.readInt())).get("id").asString();
        }
        assertThat(box.exec(exec).get("state").asString()).isEqualTo("running");
        var again = box.output(exec, 0, true, false);
        assertThat(again.text()).isEqualTo("a\nb\n");
        assertThat(again.code()).isEqualTo(5);
    }

    @Test
    void ex06_outputFromAnOffsetIsExactlyTheRest() {
        var exec = box.start(Box.shell("printf 0123456789"));
        box.await(exec, 30_000);
        assertThat(box.output(exec, 4, false, false).text()).isEqualTo("456789");
    }

    @Test
    @Tag("long")
    @Timeout(400)
    void ex07_aCommandSilentForMinutesStillDeliversItsExitCode() {
        assertThat(box.sh("sleep 150; exit 7", "timeoutMs", 300_000).code()).isEqualTo(7);
    }

    @Test
    void ex09_aBackgroundServerOutlivesAnyForegroundDefault(Lab lab) throws Exception {
        var exec = base.start(List.of("python3", "-m", "http.server", "8000"));
        Thread.sleep(lab.isLong() ? 75_000 : 3_000);
        assertThat(base.exec(exec).get("state").asString()).isEqualTo("running");
        assertThat(base.sh("curl -sf -o /dev/null -w '%{http_code}' http://127.0.0.1:8000/").text()).isEqualTo("200");
        base.killExec(exec);
    }

    @Test
    void ex10_anotherClientAttachesByIdAndGetsTheRestAndTheExitCode() {
        var exec = box.start(Box.shell("for i in 1 2 3 4 5 6; do echo tick $i; sleep 0.3; done; exit 9"));
        var later = box.output(exec, 0, true, false);
        assertThat(later.text()).isEqualTo("tick 1\ntick 2\ntick 3\ntick 4\ntick 5\ntick 6\n");
        assertThat(later.code()).isEqualTo(9);
    }

    @Test
    void ex11_aStreamCutThreeTimesLosesAndDoublesNothing() throws Exception {
        var exec = box.start(List.of("seq", "1", "300000"));
        var whole = MessageDigest.getInstance("SHA-256");
        long at = 0;
        for (int part = 0; part < 3; part++) {
            at = takeSome(exec, at, 300_000, whole);
        }
        var rest = box.output(exec, at, true, false);
        whole.update(rest.out());
        var expected = MessageDigest.getInstance("SHA-256");
        for (int i = 1; i <= 300_000; i++) {
            expected.update((i + "\n").getBytes(UTF_8));
        }
        assertThat(HexFormat.of().formatHex(whole.digest())).isEqualTo(HexFormat.of().formatHex(expected.digest()));
    }

    /// Reads whole frames until at least so many bytes came, then drops the connection.
    private static long takeSome(String exec, long offset, int atLeast, MessageDigest into) throws Exception {
        var answer = box.api().open(box.api().request(box.path("/execs/" + exec + "/output?follow=true&offset=" + offset)).header("Accept", Box.FRAMES).GET().build());
        long at = offset;
        try (var in = new java.io.DataInputStream(answer.body())) {
            while (at - offset < atLeast) {
                int type = in.readUnsignedByte();
                var payload = in.readNBytes(in.readInt());
                if (type == 1) {
                    into.update(payload);
                    at += payload.length;
                }
            }
        }
        return at;
    }

    @Test
    void ex13_anUnknownCommandIs127AndOneThatCannotBeExecutedIs126() {
        var missing = box.run(List.of("no_such_cmd_xyz"));
        assertThat(missing.code()).isEqualTo(127);
        assertThat(missing.errText()).contains("not found");
        box.write("/tmp/plain", "text".getBytes(UTF_8), "mode", "0644");
        assertThat(box.run(List.of("/tmp/plain")).code()).isEqualTo(126);
    }

    @Test
    void ex14_aMissingWorkingDirectoryIsATypedErrorThatNamesIt() {
        var answer = box.tryStart(List.of("true"), "cwd", "/nope");
        assertThat(answer.status()).isEqualTo(422);
        assertThat(answer.code()).isEqualTo("no-such-directory");
        assertThat(answer.text()).contains("/nope");
        assertThat(box.sh("echo ok").text()).isEqualTo("ok\n");
    }

    @Test
    void ex15_deathBySignalIsToldApartFromAnExitCode() {
        var segv = box.sh("kill -SEGV $$");
        assertThat(segv.code()).isEqualTo(139);
        assertThat(segv.exec().get("signal").asInt()).isEqualTo(11);
        var killed = box.sh("kill -9 $$");
        assertThat(killed.code()).isEqualTo(137);
        assertThat(killed.exec().get("signal").asInt()).isEqualTo(9);
        assertThat(killed.exec().get("oomKilled").asBoolean()).as("%s", killed.exec()).isFalse();
        var plain = box.sh("exit 255");
        assertThat(plain.code()).isEqualTo(255);
        assertThat(plain.exec().has("signal") && plain.exec().get("signal").asInt() != 0).isFalse();
    }

    @Test
    void ex17_ex18_aTimedOutCommandKeepsWhatItPrintedAndIsNoSuccess() {
        var result = box.sh("echo A; sleep 60", "timeoutMs", 2000);
        assertThat(result.text()).isEqualTo("A\n");
        assertThat(result.exec().get("timedOut").asBoolean()).as("%s", result.exec()).isTrue();
        assertThat(result.code()).isNotZero();
    }

    @Test
    void ex19_stdinIsEmptyUnlessAskedFor() {
        assertThat(box.sh("cat; echo rc=$?", "timeoutMs", 30_000).text()).isEqualTo("rc=0\n");
        assertThat(box.sh("read x; echo rc=$?", "timeoutMs", 30_000).text()).isEqualTo("rc=1\n");
    }

    @Test
    void ex19_stdinAskedForArrivesByteExactAndCanBeClosed() {
        var bytes = new byte[300_000];
        new java.util.Random(7).nextBytes(bytes);
        var exec = box.start(List.of("cat"), "stdin", true);
        box.stdin(exec, bytes, false);
        box.stdin(exec, new byte[] {1, 2, 3}, true);
        var result = box.output(exec, 0, true, false);
        var expected = java.util.Arrays.copyOf(bytes, 300_003);
        System.arraycopy(new byte[] {1, 2, 3}, 0, expected, 300_000, 3);
        assertThat(result.out().length).isEqualTo(300_003);
        assertThat(java.util.Arrays.equals(result.out(), expected)).isTrue();
        assertThat(result.code()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {5, 513, 70_000})
    void ex21_heredocsOfAnySizeArriveWhole(int size) {
        var script = "cat > /tmp/f <<'E'\n" + "y".repeat(size - 1) + "\nE\nwc -c < /tmp/f; rm /tmp/f";
        assertThat(box.sh(script).text().strip()).isEqualTo(Integer.toString(size));
    }

    @Test
    void ex22_aCommandTooLongForTheKernelIsATypedErrorWithTheLimit() {
        var answer = box.tryStart(Box.shell(": " + "z".repeat(200 << 10) + "; echo END"));
        assertThat(answer.status()).isIn(400, 413);
        assertThat(answer.text()).contains("131071");
        var many = new ArrayList<>(List.of("sh", "-c", "echo END $#", "sh"));
        for (int i = 0; i < 10; i++) {
            many.add("z".repeat(100_000));
        }
        assertThat(box.run(many).text()).isEqualTo("END 10\n");
    }

    @Test
    void ex23_bytesAreNotTouchedOnTheWay() throws Exception {
        var cups = base.run(List.of("python3", "-c", "print('☕'*100000, end='')"));
        assertThat(cups.out().length).isEqualTo(300_000);
        assertThat(sha256(cups.out())).isEqualTo("b00ff68d5817b1e3c27917949b98a146f3c93ca8de3e1c19e9534fffc5fbb729");
        assertThat(box.sh("printf '\\342'; sleep 0.1; printf '\\211'; sleep 0.1; printf '\\244'").text()).isEqualTo("≤");
    }

    static String sha256(byte[] bytes) throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    }

    @Test
    void ex25_nobodyListeningDoesNotBlockAProcess() {
        var exec = box.start(Box.shell("yes | head -c 50000000; touch /tmp/done25"));
        await().atMost(Duration.ofSeconds(20)).until(() -> box.tryRead("/tmp/done25").status() == 200);
        assertThat(box.await(exec, 30_000).get("outputBytes").asLong()).isEqualTo(50_000_000);
    }

    @Test
    void ex26_absurdTimeoutsAreRefusedByName() {
        for (long bad : new long[] {-1, 0, Long.MAX_VALUE}) {
            var answer = box.tryStart(List.of("true"), "timeoutMs", bad);
            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.text()).contains("timeoutMs");
        }
    }

    @Test
    void ex26_endlessOutputIsCappedAndSaysWhatWasDropped() {
        var result = box.run(List.of("yes"), "timeoutMs", 4000, "outputLimitBytes", 1 << 20);
        assertThat(result.out().length).isEqualTo(1 << 20);
        var exec = result.exec();
        assertThat(exec.get("timedOut").asBoolean()).as("%s", exec).isTrue();
        assertThat(exec.get("droppedBytes").asLong()).isPositive();
        assertThat(exec.get("outputBytes").asLong()).isEqualTo(1 << 20);
    }

    @Test
    void ex27_outputIsCompleteWithAndWithoutATerminal() {
        assertThat(box.run(List.of("seq", "1", "100000")).text().endsWith("\n100000\n")).isTrue();
        var tty = box.run(List.of("seq", "1", "100000"), "tty", java.util.Map.of("cols", 80, "rows", 24));
        assertThat(tty.text().endsWith("\r\n100000\r\n")).isTrue();
        assertThat(tty.out().length).isEqualTo(688_895);
    }

    @Test
    void ex30_aBusySandboxStillAnswers() {
        var burn = box.start(Box.shell("for i in 1 2 3 4; do yes >/dev/null & done; wait"));
        long start = System.nanoTime();
        assertThat(box.sh("echo ok").text()).isEqualTo("ok\n");
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
        box.killExec(burn);
    }

    @Test
    void anExecEndsWithItsProcessThoughChildrenHoldThePipesAndTheyLiveOn() {
        var result = box.sh("(sleep 1; echo late; sleep 2; touch /tmp/lived) & echo soon");
        assertThat(result.text()).isEqualTo("soon\n");
        assertThat(result.code()).isZero();
        var all = box.output(result.exec().get("id").asString(), 0, true, true);
        assertThat(all.text()).isEqualTo("soon\nlate\n");
        await().atMost(Duration.ofSeconds(30)).until(() -> box.tryRead("/tmp/lived").status() == 200);
    }

    @Test
    void stdoutAndStderrAreKeptApart() {
        var result = box.sh("echo out; echo err >&2; exit 3");
        assertThat(result.text()).isEqualTo("out\n");
        assertThat(result.errText()).isEqualTo("err\n");
        assertThat(result.code()).isEqualTo(3);
    }

    @Test
    void anUnknownUserAndANulByteAreRefusedByName() {
        assertThat(box.tryStart(List.of("true"), "user", "nobody-here").code()).isEqualTo("no-such-user");
        assertThat(box.tryStart(List.of("a\0b")).status()).isEqualTo(400);
        assertThat(box.tryStart(List.of()).status()).isEqualTo(400);
        assertThat(box.tryStart(List.of("true"), "cwd", "relative").status()).isEqualTo(400);
    }

    @Test
    void manyConcurrentCommandsKeepTheirOutputApart() throws Exception {
        try (var pool = Executors.newVirtualThreadPerTaskExecutor()) {
            var calls = new ArrayList<Callable<String>>();
            for (int i = 0; i < 30; i++) {
                int n = i;
                calls.add(() -> box.sh("for k in 1 2 3; do echo " + n + "; done").text());
            }
            var results = pool.invokeAll(calls);
            for (int i = 0; i < 30; i++) {
                assertThat(results.get(i).get()).isEqualTo((i + "\n").repeat(3));
            }
        }
    }

}
