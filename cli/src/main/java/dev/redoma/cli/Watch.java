// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.SandboxFiles;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// Prints what happens to files of a sandbox.
@Command(name = "watch", description = "Print what happens below a folder of a sandbox, one event a line, until it is gone or Ctrl-C.")
final class Watch extends FileVerb {
    @Option(names = "--flat", description = "The folder itself only, not what is below.")
    boolean flat;

    Watch(Io io) {
        super(io);
    }

    @Override
    void act(SandboxFiles files, String path) throws IOException {
        try (var watch = files.watch(path, !flat)) {
            io.err().println("redoma: watching " + place);
            for (var event = watch.next(); event != null; event = watch.next()) {
                if (json) {
                    print(event);
                } else {
                    var from = event.from();
                    io.line(event.kind() + " " + (from == null ? "" : Text.safe(from) + " -> ") + Text.safe(event.path()));
                }
            }
        }
    }
}
