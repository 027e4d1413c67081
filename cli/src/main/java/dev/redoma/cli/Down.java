// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.model.Amounts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// Stops the server.
@Command(name = "down", description = {
    "Stop the server of this host; sandboxes live on and are there again after 'redoma up'.",
    "With --all they are ended first, and what was mounted is unmounted."})
final class Down extends HostVerb {
    @Option(names = "--all", description = "End all sandboxes and unmount the pool.")
    boolean all;

    Down(Io io) {
        super(io);
    }

    @Override
    int act() throws Exception {
        var running = new ServerProcess(flags).running();
        long ended = 0;
        if (running.isPresent()) {
            ended = all ? endSandboxes() : 0;
            ServerProcess.handle(running.get().pid()).ifPresent(ServerProcess::end);
        } else if (all) {
            io.err().println("redoma: no server runs on " + flags.data + ": its sandboxes cannot be ended in good order");
        }
        int unmounted = all ? unmount() : 0;
        said(running.isPresent(), ended, unmounted);
        if (running.isEmpty()) {
            elsewhere();
        }
        return Exit.OK;
    }

    private long endSandboxes() throws IOException {
        try (var client = io.client()) {
            return client.killAll(null);
        }
    }

    /// Whoever forgot the flags meant the server that the profile names.
    private void elsewhere() throws IOException {
        var profile = io.profiles().load();
        if (profile.isPresent()) {
            var url = profile.get().url();
            ServerProcess.at(url).ifPresent(it -> io.err().println("redoma: the server of your profile, " + url + ", runs on " + it.data + "; to end it: " + it.down()));
        }
    }

    private void said(boolean stopped, long ended, int unmounted) {
        if (json) {
            print(Map.of("stopped", stopped, "ended", ended, "unmounted", unmounted));
        } else {
            io.line((stopped ? "the server was stopped" : "no server was running on " + flags.data) + (all ? "; " + (ended == 1 ? "1 sandbox" : ended + " sandboxes") + " ended, " + Amounts.count(unmounted, "mount") + " undone" : ""));
        }
    }

    /// Everything mounted below the data and run directories, the innermost first.
    private int unmount() throws IOException, InterruptedException {
        var ours = List.of(flags.data.toAbsolutePath() + "/", flags.runDirectory() + "/");
        var points = Files.readAllLines(Path.of("/proc/self/mountinfo")).stream().map(line -> line.split(" ")[4].replace("\\040", " "))
                .filter(point -> ours.stream().anyMatch(point::startsWith)).toList().reversed();
        int done = 0;
        for (var point : points) {
            if (new ProcessBuilder("umount", point).inheritIO().redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor() != 0) {
                throw new Failed(Exit.FAILURE, point + " cannot be unmounted.", "See what uses it (fuser -vm " + point + ") and call again.");
            }
            done++;
        }
        return done;
    }
}
