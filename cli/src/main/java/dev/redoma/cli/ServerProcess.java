// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.Profile;
import dev.redoma.client.json.Json;
import dev.redoma.client.json.JsonException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.Optional;

/// The server of a data directory: started by us with the flags of the launcher, found again by the file it keeps there while it serves.
final class ServerProcess {
    private static final String MAIN = "dev.redoma.server.Main";
    private static final Duration READY = Duration.ofMinutes(2);
    private static final String FLAGS = "--enable-native-access=ALL-UNNAMED --add-exports=java.base/sun.nio.ch=ALL-UNNAMED -XX:+UseSerialGC -Xmx512m";

    private final ServerFlags flags;

    ServerProcess(ServerFlags flags) {
        this.flags = flags;
    }

    /// Content of `server.json` in the data directory.
    record Running(long pid, String url) {}

    /// Only while the process that wrote the file lives.
    Optional<Running> running() throws IOException {
        var file = flags.data.resolve("server.json");
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try {
            var said = Json.read(Files.readAllBytes(file), Running.class);
            return handle(said.pid()).isPresent() ? Optional.of(said) : Optional.empty();
        } catch (JsonException | java.nio.file.NoSuchFileException beingReplaced) {
            return Optional.empty();
        }
    }

    /// A process of that number that is a server of ours: numbers are given out again.
    static Optional<ProcessHandle> handle(long pid) {
        return ProcessHandle.of(pid).filter(ProcessHandle::isAlive).filter(p -> commandLine(pid).contains(MAIN));
    }

    private static String commandLine(long pid) {
        try {
            return Files.readString(Path.of("/proc/" + pid + "/cmdline"), java.nio.charset.StandardCharsets.ISO_8859_1);
        } catch (IOException gone) {
            return "";
        }
    }

    /// The flags of the server of this host that serves at `url`, as it was started.
    static Optional<ServerFlags> at(String url) throws IOException {
        for (var process : ProcessHandle.allProcesses().filter(p -> handle(p.pid()).isPresent()).toList()) {
            var flags = flags(List.of(commandLine(process.pid()).split("\0")));
            if (flags.isPresent() && new ServerProcess(flags.get()).running().filter(r -> r.pid() == process.pid() && r.url().equals(url)).isPresent()) {
                return flags;
            }
        }
        return Optional.empty();
    }

    /// Without `--data` it was not started by us, and its directories are not known.
    static Optional<ServerFlags> flags(List<String> words) {
        int data = words.indexOf("--data");
        int run = words.indexOf("--run");
        if (data < 0 || data + 1 >= words.size()) {
            return Optional.empty();
        }
        var flags = new ServerFlags();
        flags.data = Path.of(words.get(data + 1));
        flags.run = run < 0 || run + 1 >= words.size() ? null : Path.of(words.get(run + 1));
        return Optional.of(flags);
    }

    private List<String> command() {
        return command(MAIN, flags.arguments(Profile.place()));
    }

    private static List<String> command(String main, List<String> arguments) {
        var all = new ArrayList<String>();
        all.add(System.getProperty("java.home") + "/bin/java");
        all.addAll(List.of(System.getProperty("redoma.server.flags", FLAGS).strip().split("\\s+")));
        var home = System.getProperty("redoma.home");
        if (home != null) {
            all.add("-Dredoma.home=" + home);
        }
        all.addAll(List.of("-cp", System.getProperty("redoma.server.classpath", System.getProperty("java.class.path")), main));
        all.addAll(arguments);
        return all;
    }

    /// Another of the server's mains, to its end; its words go to stderr. Its exit code.
    int run(String main, List<String> arguments) throws IOException, InterruptedException {
        var process = new ProcessBuilder(command(main, arguments)).redirectInput(Path.of("/dev/null").toFile())
                .redirectErrorStream(true).start();
        try (var said = process.getInputStream()) {
            said.transferTo(System.err);
        }
        return process.waitFor();
    }

    /// What another of the server's mains prints; its refusal is ours.
    static byte[] answer(String main, List<String> arguments) throws IOException, InterruptedException {
        var process = new ProcessBuilder(command(main, arguments)).redirectInput(Path.of("/dev/null").toFile()).start();
        var words = new FutureTask<>(() -> {
            try (var err = process.getErrorStream()) {
                return new String(err.readAllBytes(), StandardCharsets.UTF_8).strip();
            }
        });
        Thread.ofVirtual().start(words);
        byte[] said;
        try (var out = process.getInputStream()) {
            said = out.readAllBytes();
        }
        int code = process.waitFor();
        String told;
        try {
            told = words.get();
        } catch (ExecutionException e) {
            throw new IOException(e.getCause());
        }
        if (code != 0) {
            var why = told.startsWith("redoma: ") ? told.substring("redoma: ".length()) : told;
            throw new Failed(code == Exit.USAGE ? Exit.USAGE : Exit.FAILURE, why.isEmpty() ? main + " ended with " + code + "." : why, "");
        }
        if (!told.isEmpty()) {
            System.err.println(told);
        }
        return said;
    }

    /// In front: its output is ours, and Ctrl-C reaches it too.
    int foreground() throws IOException, InterruptedException {
        var process = new ProcessBuilder(command()).inheritIO().start();
        try (var interrupted = new OnInterrupt(() -> end(process.toHandle()))) {
            return process.waitFor();
        }
    }

    /// In a session of its own. Returns when it serves, or says why it does not.
    Running detached(Io io) throws IOException, InterruptedException {
        Files.createDirectories(flags.data, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        var command = new ArrayList<>(List.of("setsid"));
        command.addAll(command());
        command.add(2, "-Dredoma.log.console=false"); // server.log has it, which is turned over
        var process = new ProcessBuilder(command).redirectInput(Path.of("/dev/null").toFile())
                .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.appendTo(output().toFile())).start();
        try (var progress = Progress.onTerminal(io, "starting the server")) {
            return ready(process.toHandle(), progress);
        }
    }

    private Path output() {
        return flags.data.resolve("server.out");
    }

    private Running ready(ProcessHandle process, Progress progress) throws IOException, InterruptedException {
        long end = System.nanoTime() + READY.toNanos();
        while (process.isAlive() && System.nanoTime() < end) {
            var running = running();
            if (running.isPresent() && running.get().pid() == process.pid()) {
                return running.get();
            }
            progress.step(0, -1);
            Thread.sleep(20);
        }
        if (process.isAlive()) {
            process.destroy();
            throw failed("The server was not ready within " + Durations.text(READY.toMillis()) + " and was ended.");
        }
        throw failed("The server ended before it was ready.");
    }

    private Failed failed(String what) throws IOException {
        var lines = Files.exists(output()) ? Files.readAllLines(output(), java.nio.charset.StandardCharsets.ISO_8859_1) : List.<String>of();
        var last = lines.subList(Math.max(0, lines.size() - 12), lines.size());
        return new Failed(Exit.FAILURE, what + " Its last words:\n    " + String.join("\n    ", last), "See " + output() + " and 'redoma doctor'.");
    }

    /// Asks it to end and waits; what it was asked last is answered first.
    static void end(ProcessHandle process) {
        process.destroy();
        try {
            process.onExit().get(60, java.util.concurrent.TimeUnit.SECONDS);
        } catch (java.util.concurrent.TimeoutException slow) {
            throw new Failed(Exit.FAILURE, "The server (process " + process.pid() + ") did not end within " + Durations.text(60_000) + ".", "Look at its log; kill -9 is safe: nothing is lost.");
        } catch (java.util.concurrent.ExecutionException | InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
