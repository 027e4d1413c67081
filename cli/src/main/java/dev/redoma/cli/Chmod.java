// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.SandboxFiles;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Changes mode or owner of a file of a sandbox.
@Command(name = "chmod", description = "Change the mode, or with --owner the owner, of a file of a sandbox.")
final class Chmod extends FileVerb {
    @Option(names = "--owner", paramLabel = "USER[:GROUP]", description = "The new owner.")
    @Nullable String owner;

    @Option(names = {"-R", "--recursive"}, description = "All below a folder too.")
    boolean recursive;

    @Parameters(index = "1", arity = "0..1", paramLabel = "MODE", description = "Octal, such as 0644.")
    @Nullable String mode;

    Chmod(Io io) {
        super(io);
    }

    @Override
    void act(SandboxFiles files, String path) {
        if (mode == null && owner == null) {
            throw new Failed(Exit.USAGE, "Neither a mode nor --owner is given.", "See 'redoma chmod --help'.");
        }
        var after = files.attributes(path, mode, owner, recursive);
        if (json) {
            print(after);
        }
    }
}
