// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.Profile;
import dev.redoma.client.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// Takes everything of an installation off this host.
@Command(name = "uninstall", description = {
    "End all sandboxes, stop the server, unmount, and remove the data and run directories with everything kept in them.",
    "That is disks, snapshots, templates, output and the audit record: export the record first (redoma audit export) if it is to stay."})
final class Uninstall extends HostVerb {
    @Option(names = "--yes", description = "Do not ask.")
    boolean yes;

    Uninstall(Io io) {
        super(io);
    }

    @Override
    int act() throws Exception {
        var server = new ServerProcess(flags);
        if (!Files.exists(flags.data.resolve("redoma.db")) && !Files.exists(flags.runDirectory())) {
            throw new Failed(Exit.NOT_FOUND, "Nothing of Redoma is in " + flags.data + ".", "Name its directories with --data and --run.");
        }
        if (!yes && !confirmed()) {
            throw new Failed(Exit.FAILURE, "Nothing was removed.", "Answer 'yes', or say --yes.");
        }
        var running = server.running();
        running.map(ServerProcess.Running::pid).flatMap(ServerProcess::handle).ifPresent(ServerProcess::end);
        int code = server.run("dev.redoma.server.Uninstall", flags.arguments(flags.data.resolve("operator.json").toAbsolutePath()));
        if (code == Exit.OK) {
            if (running.isPresent()) {
                forgetProfile(running.get().url());
            }
            said();
        }
        return code;
    }

    private boolean confirmed() throws IOException {
        io.err().print("This ends all sandboxes and removes " + flags.data.toAbsolutePath() + " and " + flags.runDirectory() + " for good. Type 'yes': ");
        io.err().flush();
        var line = new StringBuilder();
        for (int b = io.in().read(); b >= 0 && b != '\n' && line.length() < 100; b = io.in().read()) {
            line.append((char) b);
        }
        return line.toString().strip().equals("yes");
    }

    /// The profile of the server that is gone; one of another server stays.
    private static void forgetProfile(String url) throws IOException {
        var place = Profile.place();
        if (Files.exists(place) && Json.read(Files.readString(place).getBytes(StandardCharsets.UTF_8), Profile.class).url().equals(url)) {
            Files.delete(place);
        }
    }

    private void said() {
        if (json) {
            print(Map.of("removed", flags.data.toAbsolutePath().toString()));
        } else {
            io.line("nothing of " + flags.data.toAbsolutePath() + " and " + flags.runDirectory() + " is left");
        }
    }
}
