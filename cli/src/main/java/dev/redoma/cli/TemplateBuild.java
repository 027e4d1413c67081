// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaClient;
import dev.redoma.model.wire.Template;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.regex.Pattern;

/// Builds a template by the script of its recipe (`template/NAME/build.sh OUT.tar.zst`) and imports it.
final class TemplateBuild {
    private static final Pattern STEP = Pattern.compile("progress (\\d{1,9}) (\\d{1,9}) (.*)");

    private final Io io;

    TemplateBuild(Io io) {
        this.io = io;
    }

    Template build(RedomaClient client, String name, Path scratch) throws IOException, InterruptedException {
        var tar = Files.createTempFile(Files.createDirectories(scratch), "template-", ".tar.zst");
        try {
            run(script(name), tar);
            try (var progress = Progress.always(io, "import of " + name)) {
                return client.templates().importTar(name, tar, progress::at);
            }
        } finally {
            Files.deleteIfExists(tar);
        }
    }

    static boolean isShipped(String name) {
        var home = System.getProperty("redoma.home");
        return name.matches("[a-z0-9][a-z0-9-]{0,60}") && (home == null || Files.isExecutable(Path.of(home, "template", name, "build.sh")));
    }

    private static Path script(String name) {
        var home = System.getProperty("redoma.home");
        if (!name.matches("[a-z0-9][a-z0-9-]{0,60}") || home == null || !Files.isExecutable(Path.of(home, "template", name, "build.sh"))) {
            throw new Failed(Exit.NOT_FOUND, "There is no recipe for a template '" + name + "'" + (home == null ? " (redoma.home is not set)" : " in " + home + "/template") + ".",
                    "Name one of the folders in template/, or import a tar with 'redoma template import'.");
        }
        return Path.of(home, "template", name, "build.sh");
    }

    private void run(Path script, Path tar) throws IOException, InterruptedException {
        var process = new ProcessBuilder(script.toString(), tar.toString()).redirectInput(Path.of("/dev/null").toFile())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
        var last = new ArrayDeque<String>();
        try (var interrupted = new OnInterrupt(process::destroy);
                var progress = Progress.always(io, "build");
                var lines = new BufferedReader(new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8))) {
            for (var line = lines.readLine(); line != null; line = lines.readLine()) {
                tell(line, last, progress);
            }
        }
        int code = process.waitFor();
        if (code != 0) {
            throw new Failed(Exit.FAILURE, script + " ended with " + code + ". Its last lines:\n    " + String.join("\n    ", last), "See what it says is missing; 'redoma setup' installs what is needed.");
        }
    }

    private static void tell(String line, ArrayDeque<String> last, Progress progress) {
        var step = STEP.matcher(line);
        if (step.matches()) {
            progress.what("build: " + step.group(3));
            progress.step(Long.parseLong(step.group(1)), Long.parseLong(step.group(2)));
            return;
        }
        last.addLast(Text.safe(line));
        if (last.size() > 20) {
            last.removeFirst();
        }
    }
}
