// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.SandboxFiles;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// Makes a folder in a sandbox.
@Command(name = "mkdir", description = "Make a folder in a sandbox, with the folders above it.")
final class Mkdir extends FileVerb {
    @Option(names = {"-m", "--mode"}, paramLabel = "OCTAL", description = "Such as 0755.")
    @Nullable String mode;

    Mkdir(Io io) {
        super(io);
    }

    @Override
    void act(SandboxFiles files, String path) {
        var made = files.mkdir(path, mode);
        if (json) {
            print(made);
        }
    }
}
