// SPDX-License-Identifier: Apache-2.0
import dev.redoma.client.Command;
import dev.redoma.client.NewSandbox;
import dev.redoma.client.OutputSink;
import dev.redoma.client.RedomaClient;
import java.nio.file.Files;
import java.nio.file.Path;

/// Creates a sandbox, streams a command, takes a folder there and back, forks, and ends both sandboxes.
public final class Example {
    public static void main(String[] args) throws Exception {
        var folder = Path.of(args[0]);
        try (var client = RedomaClient.fromProfile(); var box = client.create(NewSandbox.from("base").label("example", "java"))) {
            var exec = box.execs().run(Command.of("sh", "-c", "id; nproc; echo 'no such thing' >&2; exit 7"), OutputSink.to(System.out, System.err));
            System.out.println("exit code " + exec.exitCode() + " after " + exec.wallMs() + " ms");

            box.files().folders().upload(folder, "work", done -> System.out.println(done + " bytes up"));
            box.execs().run(Command.of("sh", "-c", "find work -type f | sort | xargs sha256sum > work/SUMS"), OutputSink.NONE);
            var back = Files.createTempDirectory("redoma-example-");
            var got = box.files().folders().download("work", back, done -> {});
            System.out.println(got.files() + " files back in " + back);

            try (var fork = box.fork()) {
                var sums = fork.execs().capture(Command.of("cat", "work/SUMS"), 1 << 20);
                System.out.print("the fork " + fork.id() + " has the same disk:\n" + sums.stdoutText());
            }
        }
    }
}
