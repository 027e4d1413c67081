// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaClient;
import java.nio.charset.StandardCharsets;
import picocli.AutoComplete;
import picocli.CommandLine.Command;

/// The completion script.
@Command(name = "completion", description = "Print the completion script for bash and zsh: source <(redoma completion)")
final class Completion extends Verb {
    Completion(Io io) {
        super(io);
    }

    @Override
    public Integer call() {
        io.bytes(AutoComplete.bash("redoma", Cli.line(new String[0], io)).getBytes(StandardCharsets.UTF_8));
        return Exit.OK;
    }

    @Override
    int run(RedomaClient client) {
        return Exit.OK;
    }
}
