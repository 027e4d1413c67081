// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaClient;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// An interactive shell on a terminal.
@Command(name = "shell", description = "Open an interactive shell in a sandbox. It survives a broken connection; its exit code is ours.")
final class Shell extends Verb {
    private static final List<String> LOGIN = List.of("sh", "-c", "if command -v bash >/dev/null; then exec bash -l; else exec sh -l; fi");

    @Option(names = {"-u", "--user"}, description = "As this user of the sandbox.")
    @Nullable String user;

    @Option(names = {"-w", "--cwd"}, paramLabel = "DIR", description = "In this directory.")
    @Nullable String cwd;

    @Parameters(index = "0", paramLabel = "SANDBOX")
    String sandbox = "";

    Shell(Io io) {
        super(io);
    }

    @Override
    boolean carriesExitCode() {
        return true;
    }

    @Override
    int run(RedomaClient client) throws Exception {
        var box = SandboxName.in(client, sandbox);
        var command = dev.redoma.client.Command.of(LOGIN).label("shell");
        command = user == null ? command : command.user(user);
        command = cwd == null ? command : command.cwd(cwd);
        var exec = new Foreground(io, box, json, started -> {}).run(command, true, true);
        return Outcome.code(exec, box, io);
    }
}
