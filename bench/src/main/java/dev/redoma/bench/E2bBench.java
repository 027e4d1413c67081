// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import dev.redoma.client.Command;
import dev.redoma.client.NewSandbox;
import dev.redoma.client.OutputSink;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// `Sandbox.create` and a first command by E2B's published SDK of a language, beside the same by our own client in turns. The packages are those of `E2bSdkTest`.
record E2bBench(String language) implements Bench {
    private static final String NEWEST_PYTHON = "2.63.0";
    private static final int WARM_UP = 30;
    private static final int ROUNDS = 40;

    @Override
    public String name() {
        return "e2b." + language;
    }

    @Override
    public List<Figure> run(Rig rig) throws Exception {
        importSdk(rig);
        try (var sdk = Sdk.start(rig, language)) {
            var ours = new double[ROUNDS];
            var floor = new double[ROUNDS];
            for (int i = -WARM_UP; i < ROUNDS; i++) {
                rig.awaitWarm();
                double own = own(rig);
                rig.awaitWarm();
                double theirs = sdk.once();
                if (i >= 0) {
                    floor[i] = own;
                    ours[i] = theirs;
                }
            }
            return List.of(new Figure(name(), "ms", new Samples(ours), "our Java client", new Samples(floor).p50(), new Bar.AtMost(3)));
        }
    }

    private static void importSdk(Rig rig) throws IOException {
        var tar = TinyTemplate.forSdks(rig.place().dir(), rig.place().binaries().resolve("noop"));
        rig.client().templates().importTar("sdk", tar, (done, total) -> {});
        Files.delete(tar);
    }

    /// What the SDK asks for, by our client.
    private static double own(Rig rig) {
        long start = System.nanoTime();
        try (var box = rig.client().create(NewSandbox.from("sdk"))) {
            var exec = box.execs().run(Command.of("/bin/bash", "-l", "-c", "echo x").user("user"), OutputSink.NONE);
            double took = (System.nanoTime() - start) / 1e6;
            if (!Integer.valueOf(0).equals(exec.exitCode())) {
                throw new IllegalStateException("exit code " + exec.exitCode());
            }
            return took;
        }
    }

    /// A program that does it once for each line.
    private record Sdk(Process process, BufferedReader answers) implements AutoCloseable {

        static Sdk start(Rig rig, String language) throws IOException {
            var scripts = RigPlace.checkout().resolve("bench/src/test/resources/e2b");
            if (!Files.exists(scripts.resolve("speed.mjs")) || !SdkPlace.offered()) {
                throw new IOException("it needs a checkout, node with npm, and python3 with venv");
            }
            var place = new SdkPlace(scripts);
            var builder = language.equals("js") ? node(rig, place) : new ProcessBuilder(place.python(NEWEST_PYTHON).toString(), scripts.resolve("speed.py").toString());
            builder.environment().keySet().removeIf(name -> name.startsWith("E2B_"));
            builder.environment().putAll(Map.of("E2B_API_URL", rig.url(), "E2B_SANDBOX_URL", rig.router(), "E2B_API_KEY", rig.key(), "PYTHONDONTWRITEBYTECODE", "1"));
            var process = builder.redirectError(ProcessBuilder.Redirect.appendTo(rig.place().log().toFile())).start();
            return new Sdk(process, new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)));
        }

        private static ProcessBuilder node(Rig rig, SdkPlace place) {
            Path scripts = place.node(rig.place().dir());
            return new ProcessBuilder("node", "speed.mjs", "e2b-new").directory(scripts.toFile());
        }

        double once() throws IOException {
            process.outputWriter(StandardCharsets.UTF_8).append('\n').flush();
            for (var line = answers.readLine(); line != null; line = answers.readLine()) {
                if (line.startsWith("took ")) {
                    return Double.parseDouble(line.substring(5));
                }
            }
            throw new IOException("the SDK's program ended; see the rig's log");
        }

        @Override
        public void close() throws IOException {
            process.getOutputStream().close();
            try {
                process.waitFor(10, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                process.destroyForcibly();
            }
        }
    }
}
