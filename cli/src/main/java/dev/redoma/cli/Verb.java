// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaClient;
import dev.redoma.client.json.Json;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// What all verbs have in common: `--json`, `--help`, streams and a way to the server.
@Command(mixinStandardHelpOptions = false, sortOptions = false, usageHelpAutoWidth = true)
abstract class Verb implements Callable<Integer> {
    final Io io;

    @Option(names = "--json", description = "Write JSON instead of text.")
    boolean json;

    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this help.")
    boolean help;

    Verb(Io io) {
        this.io = io;
    }

    /// Verbs whose exit code is that of a command in a sandbox: failures of ours are 125.
    boolean carriesExitCode() {
        return false;
    }

    void print(@Nullable Object value) {
        io.line(Json.write(value));
    }

    /// The verb's work; its exit code.
    @Override
    public Integer call() throws Exception {
        try (var client = io.client()) {
            return run(client);
        }
    }

    abstract int run(RedomaClient client) throws Exception;
}
