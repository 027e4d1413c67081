// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.SandboxFiles;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// Shows one file of a sandbox.
@Command(name = "stat", description = "Show a file of a sandbox.")
final class Stat extends FileVerb {
    @Option(names = {"-L", "--follow"}, description = "Show what a link points to.")
    boolean follow;

    Stat(Io io) {
        super(io);
    }

    @Override
    void act(SandboxFiles files, String path) {
        var file = files.stat(path, follow);
        if (json) {
            print(file);
            return;
        }
        var facts = new Facts().line("path", file.path()).line("type", file.type()).line("target", file.target()).line("size", file.size())
                .line("mode", file.mode()).line("owner", file.owner() + " (" + file.uid() + ")").line("group", file.group() + " (" + file.gid() + ")")
                .line("modified", file.modifiedAt()).line("links", file.links());
        var xattrs = file.xattrs();
        if (xattrs != null) {
            xattrs.forEach((name, value) -> facts.line(Text.safe(name), Text.safe(value)));
        }
        io.bytes(facts.text().getBytes(StandardCharsets.UTF_8));
    }
}
