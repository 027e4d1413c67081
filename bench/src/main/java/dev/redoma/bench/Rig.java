// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import dev.redoma.client.RedomaClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.json.JsonMapper;

/// A server of our own as a child process, with data of its own, that can be stopped, killed and started again. Closing it ends its
/// sandboxes and removes the data.
public final class Rig implements AutoCloseable {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final Duration READY = Duration.ofSeconds(60);

    private final RigPlace place;
    private RigOptions options;
    private final Thread atExit = Thread.ofPlatform().name("rig-exit").unstarted(this::abandon);
    private Up up;

    private Rig(RigPlace place, RigOptions options) {
        this.place = place;
        this.options = options;
        this.up = launch(place, options);
        Runtime.getRuntime().addShutdownHook(atExit);
    }

    /// The JVM ends before it was closed.
    private void abandon() {
        System.err.println("rig: " + place.dir() + " was not closed; its server, sandboxes, mounts and files are removed");
        up.server.destroyForcibly().onExit().join();
        place.clear();
    }

    /// The running server.
    private record Up(Process server, RedomaClient client, String url, String key) {}

    static Rig start(String name, RigOptions options) {
        RigGuard.sweep();
        return new Rig(RigPlace.make(name), options);
    }

    /// Starts the server and returns when it answers.
    void startAgain() {
        up = launch(place, options);
    }

    /// The same with another configuration, from now on.
    void startAgain(RigOptions other) {
        options = other;
        startAgain();
    }

    private static Up launch(RigPlace place, RigOptions options) {
        try {
            Files.deleteIfExists(place.profile());
            if (!options.file().isEmpty()) {
                Files.writeString(place.config(), options.file());
            }
            var builder = new ProcessBuilder(place.serverCommand());
            builder.environment().putAll(options.variables());
            builder.environment().put("AWS_SECRET_ACCESS_KEY", "canary");
            builder.redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.appendTo(place.log().toFile()));
            var server = builder.start();
            server.getOutputStream().close();
            return awaitReady(place, server);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Up awaitReady(RigPlace place, Process server) throws IOException {
        long end = System.nanoTime() + READY.toNanos();
        while (!Files.exists(place.profile()) || !Files.exists(place.running())) {
            if (!server.isAlive() || System.nanoTime() > end) {
                throw new IllegalStateException("the server did not get ready:\n" + Files.readString(place.log()));
            }
            pause(5);
        }
        var profile = JSON.readTree(Files.readAllBytes(place.profile()));
        var url = profile.get("url").asString();
        var key = profile.get("key").asString();
        var client = RedomaClient.connect(URI.create(url), key);
        place.installation(client.info().installation());
        return new Up(server, client, url, key);
    }

    static void pause(long ms) {
        try {
            TimeUnit.MILLISECONDS.sleep(ms);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    RedomaClient client() {
        return up.client;
    }

    String url() {
        return up.url;
    }

    /// Where the router to ports of sandboxes listens.
    String router() {
        try {
            return JSON.readTree(Files.readAllBytes(place.running())).get("router").stringValue();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String key() {
        return up.key;
    }

    RigPlace place() {
        return place;
    }

    Floors floors() {
        return new Floors(place.binaries());
    }

    void importTiny() throws IOException {
        var tar = TinyTemplate.tar(place.dir(), place.binaries().resolve("noop"));
        up.client.templates().importTar("tiny", tar, (done, total) -> {});
        Files.delete(tar);
    }

    /// SIGTERM, and waits.
    void stop() {
        up.server.destroy();
        awaitExit();
    }

    /// SIGKILL, and waits.
    void kill() {
        up.server.destroyForcibly();
        awaitExit();
    }

    private void awaitExit() {
        try {
            if (!up.server.waitFor(30, TimeUnit.SECONDS)) {
                up.server.destroyForcibly();
                throw new IllegalStateException("the server did not stop within 30 s");
            }
            up.client.close();
            Files.deleteIfExists(place.running());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    /// What a reboot leaves: no process, no mount, no run directory.
    void reboot() {
        kill();
        place.endProcesses();
        place.unmount();
        place.clearRun();
        startAgain();
    }

    long serverRss() {
        return ProcFiles.rssBytes(up.server.pid());
    }

    long serverFds() {
        return ProcFiles.fds(up.server.pid());
    }

    long serverThreads() {
        return ProcFiles.threads(up.server.pid());
    }

    long cgroups() {
        return place.cgroups().size();
    }

    long processes() {
        return place.processes().size();
    }

    long subvolumes() {
        return Commands.output("btrfs", "subvolume", "list", place.pool().toString()).lines().count();
    }

    long runFiles() throws IOException {
        try (var all = Files.walk(place.run())) {
            return all.count();
        }
    }

    /// Waits until the warm pool is as full as it gets: the number of cgroups stands still.
    void awaitWarm() {
        long last = -1;
        int still = 0;
        for (int i = 0; i < 200 && still < 6; i++) {
            long now = processes();
            still = now == last ? still + 1 : 0;
            last = now;
            pause(15);
        }
    }

    /// An empty directory on the pool's file system.
    Path poolScratch(String name) throws IOException {
        return Files.createDirectories(place.pool().resolve("bench-scratch").resolve(name));
    }

    /// A bare `btrfs subvolume snapshot -r` of a sandbox's disk, in milliseconds; removed again.
    /// Where a sandbox's disk lies on the host.
    Path disk(String sandbox) throws IOException {
        return place.find(sandbox);
    }

    double bareSnapshot(String sandbox) throws IOException {
        var disk = place.find(sandbox);
        var target = place.pool().resolve("bench-snapshot");
        try {
            return Commands.once("btrfs", "subvolume", "snapshot", "-r", disk.toString(), target.toString());
        } finally {
            Commands.quiet("btrfs", "subvolume", "delete", target.toString());
        }
    }

    /// Wall times of our command line against this up.server.
    Samples cliTimes(int count, String... args) {
        var command = new ArrayList<String>(List.of("env", "REDOMA_URL=" + up.url, "REDOMA_KEY=" + up.key));
        command.addAll(place.cliCommand());
        command.addAll(List.of(args));
        return Commands.times(count, command.toArray(String[]::new));
    }

    /// What is still there of this installation.
    List<String> leftovers() {
        return place.leftovers();
    }

    @Override
    public void close() {
        if (up.server.isAlive()) {
            up.client.killAll(null);
            stop();
        }
        place.clear();
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException already) {
            // the JVM is ending
        }
    }
}
