// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// What Ctrl-C and a closed pipe do to the command at the other end.
@ExtendWith(LabExtension.class)
class InterruptTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    private final Lab lab;
    private final Redoma redoma;
    @TempDir Path scratch;

    InterruptTest(Lab lab) {
        this.lab = lab;
        this.redoma = Redoma.of(lab);
    }

    /// A shell starts what runs in its background with interrupts ignored, which is inherited; a terminal does not.
    private Process start(String... args) throws IOException {
        var command = new java.util.ArrayList<>(List.of("env", "--default-signal=INT"));
        command.addAll(redoma.command(args));
        return redoma.builder(command).redirectOutput(scratch.resolve("out").toFile()).redirectError(scratch.resolve("err").toFile()).start();
    }

    private void untilSaid(String text) {
        await().atMost(LONG).until(() -> Files.readString(scratch.resolve("out")).contains(text));
    }

    private static int interrupted(Process process) throws Exception {
        assertThat(new ProcessBuilder("kill", "-INT", String.valueOf(process.pid())).start().waitFor()).isZero();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }

    private List<String> sandboxes() throws Exception {
        return redoma.call("list", "--json").text().lines().filter(line -> line.contains("\"id\"")).toList();
    }

    @Test
    void ctrlCEndsTheCommandOfExecAndLeavesTheSandbox() throws Exception {
        try (var box = lab.tiny()) {
            var exec = start("exec", box.id(), "--", "sh", "-c", "echo begun; sleep 987");
            untilSaid("begun");
            assertThat(interrupted(exec)).isEqualTo(130);
            await().atMost(LONG).until(() -> box.sh("cat /proc/[0-9]*/comm | grep -cx sleep").text().strip().equals("0"));
            assertThat(box.state()).isEqualTo("running");
        }
    }

    @Test
    void ctrlCLeavesTheCommandOfAttachRunning() throws Exception {
        try (var box = lab.tiny()) {
            var id = redoma.call("exec", "-d", box.id(), "--", "sh", "-c", "echo begun; sleep 987").text().strip();
            var attached = start("attach", box.id(), id);
            untilSaid("begun");
            assertThat(interrupted(attached)).isEqualTo(130);
            assertThat(box.api().get(box.path("/execs/" + id)).expect(200).json().get("state").asString()).isEqualTo("running");
        }
    }

    @Test
    void ctrlCEndsTheSandboxOfRun() throws Exception {
        var before = sandboxes();
        var run = start("run", "--template", "tiny", "--", "sh", "-c", "echo begun; sleep 987");
        untilSaid("begun");
        assertThat(interrupted(run)).isEqualTo(130);
        await().atMost(LONG).untilAsserted(() -> assertThat(sandboxes()).hasSameSizeAs(before));
    }

    @Test
    void ctrlCAtAnyMomentOfCreateLeavesNoSandboxWhoseIdNobodyWasTold() throws Exception {
        var before = sandboxes();
        for (int i = 0; i < 6; i++) {
            var create = start("create", "--template", "tiny");
            await().atMost(LONG).until(() -> !create.isAlive() || Files.readString(Path.of("/proc/" + create.pid() + "/maps")).contains("libnio"));
            Thread.sleep(40 * i);
            interrupted(create);
            var told = Files.readString(scratch.resolve("out")).strip();
            if (!told.isEmpty()) {
                redoma.call("kill", told);
            }
        }
        await().atMost(LONG).untilAsserted(() -> assertThat(sandboxes()).hasSameSizeAs(before));
    }

    @Test
    void aClosedPipeEndsTheCommandOfExecAsSigpipeWould() throws Exception {
        try (var box = lab.tiny()) {
            var command = String.join(" ", redoma.command("exec", box.id(), "--", "yes"));
            var result = Redoma.run(redoma.builder(List.of("bash", "-c", command + " | head -n 1; echo ${PIPESTATUS[0]}")));
            assertThat(result.text()).isEqualTo("y\n141\n");
            assertThat(result.err()).isEmpty();
            await().atMost(LONG).until(() -> box.sh("cat /proc/[0-9]*/comm | grep -cx yes").text().strip().equals("0"));
        }
    }

    @Test
    void bytesThatAreNoTextAreRefused() throws Exception {
        try (var box = lab.tiny()) {
            var command = String.join(" ", redoma.command("exec", box.id(), "--", "echo")) + " $'a\\xff'";
            var result = Redoma.run(redoma.builder(List.of("bash", "-c", command)));
            assertThat(result.code()).isEqualTo(125);
            assertThat(result.err()).contains("Argument 5").contains("UTF-8");
        }
    }
}
