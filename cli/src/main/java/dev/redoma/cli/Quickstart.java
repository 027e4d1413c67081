// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.Profile;
import dev.redoma.client.RedomaApiException;
import dev.redoma.client.RedomaClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// From a built checkout to a real task's result; what is there already is used as it is.
@Command(name = "quickstart", description = {
    "Start the server if it is not running, build the 'base' template if it is not there, and do a real task in a sandbox.",
    "It uploads examples/todo-app, runs its tests, and shows output, exit code, use, changes, artifacts and the audit trail."})
final class Quickstart extends Verb {
    @Mixin
    ServerFlags flags = new ServerFlags();

    Quickstart(Io io) {
        super(io);
    }

    @Override
    public Integer call() throws Exception {
        var server = new ServerProcess(flags);
        var running = server.running();
        step("server");
        if (running.isEmpty()) {
            running = java.util.Optional.of(server.detached(io));
        }
        io.err().println("  serves at " + running.get().url() + " (process " + running.get().pid() + ", data in " + flags.data + ")");
        int code = super.call();
        io.err().println();
        io.err().println("The server goes on at " + running.get().url() + "; the operator's key is in " + Profile.place() + " (only you can read it).");
        io.err().println("Next: ./redoma run -- echo hello   ·   ./redoma list   ·   ./redoma audit tail   ·   " + flags.down());
        return code;
    }

    private void step(String what) {
        io.err().println("== " + what);
    }

    @Override
    int run(RedomaClient client) throws IOException, InterruptedException {
        template(client);
        return new QuickstartTask(io, client, json).run(app(), flags.data.toAbsolutePath().resolve("quickstart"));
    }

    private void template(RedomaClient client) throws IOException, InterruptedException {
        step("template 'base'");
        try {
            var base = client.templates().get("base");
            io.err().println("  there already: " + base.digest() + ", " + Text.size(base.sizeBytes()));
        } catch (RedomaApiException e) {
            if (!e.code().equals("template-not-found")) {
                throw e;
            }
            var made = new TemplateBuild(io).build(client, "base", flags.data.resolve("tmp"));
            io.err().println("  built and imported: " + made.digest() + ", " + Text.size(made.sizeBytes()));
        }
    }

    private static Path app() {
        var home = System.getProperty("redoma.home", ".");
        var app = Path.of(home, "examples", "todo-app");
        if (!Files.isDirectory(app)) {
            throw new Failed(Exit.FAILURE, app + " is not there.", "Call ./redoma quickstart in a checkout.");
        }
        return app;
    }
}
