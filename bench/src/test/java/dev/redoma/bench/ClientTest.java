// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.redoma.client.Command;
import dev.redoma.client.NewSandbox;
import dev.redoma.client.OutputSink;
import dev.redoma.client.RedomaClient;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/// The Java client against a real server.
@ExtendWith(LabExtension.class)
class ClientTest {
    private final Lab lab;

    ClientTest(Lab lab) {
        this.lab = lab;
    }

    @Test
    void ex11OutputThroughThreeCutsIsWholeAndOnce() throws Exception {
        var expected = IntStream.rangeClosed(1, 300_000).mapToObj(i -> i + "\n").collect(Collectors.joining()).getBytes(StandardCharsets.US_ASCII);
        try (var relay = new CuttingRelay(URI.create(lab.rig().url()), 300_007, 3);
                var client = RedomaClient.connect(relay.address(), lab.rig().key());
                var box = client.create(NewSandbox.from("tiny"))) {
            var out = new ByteArrayOutputStream();
            var exec = box.execs().run(Command.of("seq", "1", "300000"), OutputSink.to(out, out));
            assertThat(out.size()).isEqualTo(expected.length);
            assertThat(java.util.Arrays.mismatch(out.toByteArray(), expected)).as("first byte that differs").isEqualTo(-1);
            assertThat(exec.exitCode()).isZero();
            assertThat(relay.cutsLeft()).isZero();
        }
    }

    @Test
    void whatRunsTheEnvironmentAndAttributesAreTold() throws Exception {
        try (var client = RedomaClient.connect(URI.create(lab.rig().url()), lab.rig().key());
                var box = client.create(NewSandbox.from("tiny").env("GIVEN", "a=b"))) {
            var running = box.execs().start(Command.of("sleep", "300"));
            box.execs().run(Command.of("true"), OutputSink.to(java.io.OutputStream.nullOutputStream(), java.io.OutputStream.nullOutputStream()));
            assertThat(box.execs().running()).extracting(e -> e.id()).containsExactly(running.id());
            assertThat(box.env()).containsExactly(java.util.Map.entry("GIVEN", "a=b"));
            box.files().write("/tmp/marked", new byte[] {1}, "0600", java.util.Map.of("user.mark", "x=y"));
            var info = box.files().stat("/tmp/marked", true);
            assertThat(info.xattrs()).containsEntry("user.mark", "x=y");
            assertThat(info.mode()).isEqualTo("0600");
            var redoma = Redoma.of(lab);
            assertThat(redoma.call("ps", box.id()).text()).contains(running.id(), "sleep 300").doesNotContain("true");
            assertThat(redoma.call("ps", "--all", box.id()).text()).contains("true");
            assertThat(redoma.call("env", box.id()).text()).isEqualTo("GIVEN=a=b\n");
            assertThat(redoma.call("stat", box.id() + ":/tmp/marked").text()).contains("user.mark");
            running.kill();
            assertThat(box.execs().running()).isEmpty();
        }
    }

    @Test
    void theExampleRuns(@TempDir Path scratch) throws Exception {
        lab.base().close();
        var home = Path.of(System.getProperty("redoma.root"));
        var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        var alone = place(RedomaClient.class) + File.pathSeparator + place(dev.redoma.model.wire.Sandbox.class);
        var work = Files.createDirectory(scratch.resolve("work"));
        Files.writeString(work.resolve("a"), "a");
        var r = Redoma.run(Redoma.of(lab).builder(List.of(java, "-cp", alone, home.resolve("examples/java-client/Example.java").toString(), work.toString())));
        assertThat(r.code()).as(r.err() + r.text()).isZero();
        assertThat(r.text()).contains("exit code 7").contains("2 files back").contains("has the same disk").contains("work/a");
    }

    private static Path place(Class<?> type) throws Exception {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    }

    @Test
    void aClosedHandleEndsItsSandboxUnlessKept() {
        var client = lab.rig().client();
        var box = client.create(NewSandbox.from("tiny"));
        box.close();
        assertThat(box.state().state()).isEqualTo("ended");
        var kept = client.create(NewSandbox.from("tiny")).keep();
        kept.close();
        assertThat(kept.state().state()).isEqualTo("running");
        kept.kill();
    }

    @Test
    void aWatchTellsWhatHappens() throws Exception {
        try (var box = lab.rig().client().create(NewSandbox.from("tiny")); var watch = box.files().watch("/tmp", true)) {
            box.files().write("/tmp/new", "x".getBytes(StandardCharsets.UTF_8), null);
            var event = watch.next();
            while (event != null && !event.path().contains("new")) {
                event = watch.next();
            }
            assertThat(event).isNotNull();
        }
    }
}
