// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.ArchiveOptions;
import dev.redoma.client.RedomaClient;
import dev.redoma.client.WholeFile;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Fetches a folder, a part of it, or what a sandbox changed, as one archive. It is not unpacked.
@Command(name = "export", description = {
    "Fetch a folder of a sandbox or volume as a tar or zip, or with --changes what a sandbox changed.",
    "Modes, links, empty folders, names and times are kept. The archive is as hostile as what made it: look before you unpack it elsewhere than with 'redoma cp'."})
final class Export extends Verb {
    private static final String ORDER = "SANDBOX:PATH comes first, FILE after it";

    @Option(names = "--format", paramLabel = "FORMAT", description = "tar or zip (default: by the file's name, else tar).")
    @Nullable String format;

    @Option(names = "--include", paramLabel = "PATTERN", description = "Only what matches, such as 'reports/**' or '*.png'; repeatable.")
    List<String> include = List.of();

    @Option(names = "--changes", description = "What the sandbox changed, also after it ended; SANDBOX without a path.")
    boolean changes;

    @Option(names = "--scope", paramLabel = "SCOPE", description = "With --changes: template, or workspace: since its start (default where that was kept).")
    @Nullable String scope;

    @Option(names = {"-u", "--user"}, description = "As this user of the sandbox.")
    @Nullable String user;

    @Parameters(index = "0", paramLabel = "SANDBOX:PATH")
    String from = "";

    @Parameters(index = "1", paramLabel = "FILE", description = "'-' is stdout.")
    String to = "";

    Export(Io io) {
        super(io);
    }

    @Override
    int run(RedomaClient client) throws IOException {
        var options = new ArchiveOptions(format == null ? to.endsWith(".zip") ? "zip" : "tar" : format, include);
        if (!changes) {
            RemotePath.required(from, ORDER);
        }
        if (to.equals("-")) {
            fetch(client, options, io.out());
            return Exit.OK;
        }
        WholeFile.write(Path.of(to), out -> fetch(client, options, out));
        if (json) {
            print(Map.of("path", to));
        }
        return Exit.OK;
    }

    private void fetch(RedomaClient client, ArchiveOptions options, OutputStream out) throws IOException {
        if (changes) {
            SandboxName.in(client, from).review().export(scope, options, out);
            return;
        }
        var remote = RemotePath.required(from, ORDER);
        remote.files(client).as(user).folders().export(remote.path(), options, out);
    }
}
