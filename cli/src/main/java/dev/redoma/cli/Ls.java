// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.SandboxFiles;
import dev.redoma.model.wire.FileInfo;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// Lists a folder of a sandbox.
@Command(name = "ls", description = "List a folder of a sandbox.")
final class Ls extends FileVerb {
    @Option(names = "--depth", description = "Levels to list (default: ${DEFAULT-VALUE}).", defaultValue = "1")
    int depth;

    Ls(Io io) {
        super(io);
    }

    @Override
    void act(SandboxFiles files, String path) {
        var all = files.list(path, depth);
        if (json) {
            print(Map.of("items", all));
            return;
        }
        var rows = new ArrayList<List<String>>();
        for (var file : all) {
            rows.add(row(file));
        }
        io.bytes(Text.table(List.of("MODE", "OWNER", "GROUP", "SIZE", "MODIFIED", "PATH"), rows).getBytes(StandardCharsets.UTF_8));
    }

    static List<String> row(FileInfo file) {
        var target = file.target();
        return List.of(letter(file.type()) + file.mode(), file.owner(), file.group(), Long.toString(file.size()),
                file.modifiedAt().truncatedTo(java.time.temporal.ChronoUnit.SECONDS).toString(),
                Text.safe(file.path()) + (target == null ? "" : " -> " + Text.safe(target)));
    }

    private static String letter(String type) {
        return switch (type) {
            case "directory" -> "d ";
            case "symlink" -> "l ";
            case "file" -> "- ";
            default -> type.charAt(0) + " ";
        };
    }
}
