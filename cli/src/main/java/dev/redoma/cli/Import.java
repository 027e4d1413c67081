// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Unpacks an archive in a sandbox or volume; whether it is a tar or zip is told by its bytes.
@Command(name = "import", description = {
    "Unpack a tar (plain, gzip, zstd) or zip below a path of a sandbox or volume.",
    "It is looked through first: one bad member, and nothing is written; the error names it."})
final class Import extends Verb {
    @Option(names = {"-u", "--user"}, description = "As this user of the sandbox.")
    @Nullable String user;

    @Parameters(index = "0", paramLabel = "FILE", description = "'-' is stdin.")
    String from = "";

    @Parameters(index = "1", paramLabel = "SANDBOX:PATH")
    String to = "";

    Import(Io io) {
        super(io);
    }

    @Override
    int run(RedomaClient client) throws IOException {
        var remote = RemotePath.required(to, "FILE comes first, SANDBOX:PATH after it");
        if (!from.equals("-")) {
            Local.there(from);
        }
        var folders = remote.files(client).as(user).folders();
        if (from.equals("-")) {
            folders.unpack(io.in()::transferTo, remote.path());
        } else {
            try (var progress = Progress.onTerminal(io, "upload")) {
                folders.unpack(Path.of(from), remote.path(), progress::at);
            }
        }
        if (json) {
            print(Map.of("path", remote.path()));
        }
        return Exit.OK;
    }
}
