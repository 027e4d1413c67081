// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.ArchiveOptions;
import dev.redoma.client.RedomaClient;
import dev.redoma.client.WholeFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Files of sandboxes that are kept.
@Command(name = "artifacts", description = "Keep and fetch files of sandboxes, also after they ended.", subcommands = {
    ArtifactsGroup.All.class, ArtifactsGroup.Collect.class, ArtifactsGroup.Get.class, ArtifactsGroup.Pack.class, ArtifactsGroup.Forget.class})
final class ArtifactsGroup {
    @Option(names = {"-h", "--help"}, usageHelp = true)
    boolean help;

    @Command(name = "list", description = "List what is kept.")
    static final class All extends Verb {
        @Parameters(index = "0", paramLabel = "SANDBOX")
        String sandbox = "";

        All(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) {
            var all = SandboxName.in(client, sandbox).review().artifacts();
            if (json) {
                print(Map.of("items", all));
                return Exit.OK;
            }
            var rows = all.stream().map(a -> List.of(Text.safe(a.path()), Text.size(a.size()), a.digest().substring(0, 19), a.why(), Text.ago(a.collectedAt()))).toList();
            io.bytes(Text.table(List.of("PATH", "SIZE", "DIGEST", "WHY", "KEPT"), rows).getBytes(StandardCharsets.UTF_8));
            return Exit.OK;
        }
    }

    @Command(name = "collect", description = "Keep files as they are now: patterns of the workspace, such as 'reports/**' or '*.png'.")
    static final class Collect extends Verb {
        @Parameters(index = "0", paramLabel = "SANDBOX")
        String sandbox = "";

        @Parameters(index = "1..*", arity = "1..*", paramLabel = "PATTERN")
        List<String> patterns = List.of();

        Collect(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) {
            var made = SandboxName.in(client, sandbox).review().collect(patterns);
            if (json) {
                print(made);
            } else {
                made.items().forEach(a -> io.line(Text.safe(a.path())));
                made.leftOut().forEach(path -> io.err().println("redoma: not kept, there is no room: " + Text.safe(path)));
            }
            return made.more() == 0 ? Exit.OK : Exit.LIMIT;
        }
    }

    @Command(name = "get", description = "Fetch one, by its path or id.")
    static final class Get extends Verb {
        @Parameters(index = "0", paramLabel = "SANDBOX")
        String sandbox = "";

        @Parameters(index = "1", paramLabel = "ARTIFACT")
        String which = "";

        @Parameters(index = "2", paramLabel = "FILE", description = "'-' is stdout.")
        String to = "";

        Get(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) throws IOException {
            var review = SandboxName.in(client, sandbox).review();
            if (to.equals("-")) {
                review.artifact(which, io.out());
            } else {
                WholeFile.write(Path.of(to), out -> review.artifact(which, out));
            }
            return Exit.OK;
        }
    }

    @Command(name = "forget", description = "Remove now all that is kept of a sandbox that has ended: its files, change sets and artifacts (operators).")
    static final class Forget extends Verb {
        @Parameters(index = "0", paramLabel = "SANDBOX")
        String sandbox = "";

        Forget(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) {
            SandboxName.in(client, sandbox).review().forget();
            return Exit.OK;
        }
    }

    @Command(name = "export", description = "Fetch all, or those that match, as a tar or zip whose names are relative; in a zip they are safe on other systems too.")
    static final class Pack extends Verb {
        @Option(names = "--format", paramLabel = "FORMAT", description = "tar or zip (default: by the file's name, else tar).")
        @Nullable String format;

        @Option(names = "--include", paramLabel = "PATTERN", description = "Only what matches; repeatable.")
        List<String> include = List.of();

        @Parameters(index = "0", paramLabel = "SANDBOX")
        String sandbox = "";

        @Parameters(index = "1", paramLabel = "FILE", description = "'-' is stdout.")
        String to = "";

        Pack(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) throws IOException {
            var options = new ArchiveOptions(format == null ? to.endsWith(".zip") ? "zip" : "tar" : format, include);
            var review = SandboxName.in(client, sandbox).review();
            if (to.equals("-")) {
                review.exportArtifacts(options, io.out());
            } else {
                WholeFile.write(Path.of(to), out -> review.exportArtifacts(options, out));
            }
            return Exit.OK;
        }
    }
}
