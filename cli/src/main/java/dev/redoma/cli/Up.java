// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.Profile;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// Starts the server.
@Command(name = "up", description = "Start the server of this host; it writes address and key to the profile of the user who starts it.")
final class Up extends HostVerb {
    @Option(names = {"-d", "--detach"}, description = "In the background; returns when it serves.")
    boolean detach;

    Up(Io io) {
        super(io);
    }

    @Override
    int act() throws Exception {
        var server = new ServerProcess(flags);
        var there = server.running();
        if (there.isPresent()) {
            return said(there.get(), "is running already");
        }
        return detach ? said(server.detached(io), "serves") : server.foreground();
    }

    private int said(ServerProcess.Running running, String how) {
        if (json) {
            print(Map.of("url", running.url(), "pid", running.pid(), "profile", Profile.place().toString()));
        } else {
            io.line("the server " + how + " at " + running.url() + " (process " + running.pid() + "); key in " + Profile.place());
        }
        return Exit.OK;
    }
}
