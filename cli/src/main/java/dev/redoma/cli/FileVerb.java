// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaClient;
import dev.redoma.client.SandboxFiles;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// A verb about one path of a sandbox.
abstract class FileVerb extends Verb {
    static final String FIRST = "SANDBOX:PATH comes first";

    @Option(names = {"-u", "--user"}, description = "As this user of the sandbox.")
    @Nullable String user;

    @Parameters(index = "0", paramLabel = "SANDBOX:PATH", description = "Or volume/NAME:PATH. Relative paths begin at the user's home, or at the volume's root.")
    String place = "";

    FileVerb(Io io) {
        super(io);
    }

    abstract void act(SandboxFiles files, String path) throws IOException;

    @Override
    int run(RedomaClient client) throws IOException {
        var remote = RemotePath.required(place, FIRST);
        act(remote.files(client).as(user), remote.path());
        return Exit.OK;
    }
}
