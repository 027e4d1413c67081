// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.SandboxFiles;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/// Moves a file of a sandbox.
@Command(name = "mv", description = "Move a file or folder within a sandbox.")
final class Mv extends FileVerb {
    @Parameters(index = "1", paramLabel = "PATH", description = "Its new path in the same sandbox.")
    String to = "";

    Mv(Io io) {
        super(io);
    }

    @Override
    void act(SandboxFiles files, String path) {
        var there = RemotePath.of(to);
        if (there != null && !there.equals(RemotePath.required(place, FIRST).with(there.path()))) {
            throw new Failed(Exit.USAGE, "A file is moved within one sandbox.", "Use 'redoma cp' twice to take it to another.");
        }
        files.move(path, there == null ? to : there.path());
    }
}
