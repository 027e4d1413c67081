// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.SandboxFiles;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// Removes a file of a sandbox.
@Command(name = "rm", description = "Remove a file or folder of a sandbox.")
final class Rm extends FileVerb {
    @Option(names = {"-r", "--recursive"}, description = "A folder with all that is in it.")
    boolean recursive;

    Rm(Io io) {
        super(io);
    }

    @Override
    void act(SandboxFiles files, String path) {
        files.remove(path, recursive);
    }
}
