// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.Command;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// What `run` and `exec` say about the command.
final class CommandFlags {
    @Option(names = "--timeout", paramLabel = "TIME", description = "End the command after this long (exit code 124).")
    @Nullable String timeout;

    @Option(names = {"-e", "--env"}, paramLabel = "NAME=VALUE", description = "Set an environment variable; repeatable.")
    Map<String, String> env = Map.of();

    @Option(names = {"-u", "--user"}, description = "Run as this user of the sandbox.")
    @Nullable String user;

    @Option(names = {"-w", "--cwd"}, paramLabel = "DIR", description = "Run in this directory.")
    @Nullable String cwd;

    @Option(names = {"-i", "--stdin"}, description = "Forward stdin; without it stdin is empty.")
    boolean stdin;

    @Option(names = {"-t", "--tty"}, description = "Give the command a terminal.")
    boolean tty;

    @Option(names = "--output-limit", paramLabel = "SIZE", description = "Keep at most this much output; the rest is counted and dropped.")
    @Nullable String outputLimit;

    Command command(List<String> words) {
        var command = Command.of(words);
        if (timeout != null) {
            command = command.timeout(Durations.parse("--timeout", timeout));
        }
        if (!env.isEmpty()) {
            command = command.env(env);
        }
        if (user != null) {
            command = command.user(user);
        }
        if (cwd != null) {
            command = command.cwd(cwd);
        }
        if (outputLimit != null) {
            command = command.outputLimit(dev.redoma.model.Bytes.parse("--output-limit", outputLimit).value());
        }
        return command;
    }
}
