// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaClient;
import dev.redoma.model.wire.Template;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Templates.
@Command(name = "template", description = "Templates: the disks that sandboxes start from.", subcommands = {
    TemplateGroup.Build.class, TemplateGroup.Import.class, TemplateGroup.All.class, TemplateGroup.One.class, TemplateGroup.Delete.class})
final class TemplateGroup {
    @Option(names = {"-h", "--help"}, usageHelp = true)
    boolean help;

    static void said(Verb verb, Template template) {
        if (verb.json) {
            verb.print(template);
        } else {
            verb.io.line(template.name() + " " + template.digest() + " " + template.state() + " " + Text.size(template.sizeBytes()));
        }
    }

    @Command(name = "build", description = "Build a template by its recipe in template/NAME and import it.")
    static final class Build extends Verb {
        @Parameters(index = "0", paramLabel = "NAME", description = "base")
        String name = "";

        Build(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) throws IOException, InterruptedException {
            said(this, new TemplateBuild(io).build(client, name, Path.of(System.getProperty("java.io.tmpdir"))));
            return Exit.OK;
        }
    }

    @Command(name = "import", description = "Import a root file system as a new version of NAME.")
    static final class Import extends Verb {
        @Parameters(index = "0", paramLabel = "NAME")
        String name = "";

        @Parameters(index = "1", paramLabel = "FILE", description = "A tar, plain or compressed with gzip or zstd.")
        Path file = Path.of("");

        Import(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) {
            try (var progress = Progress.onTerminal(io, "import of " + name)) {
                said(this, client.templates().importTar(name, file, progress::at));
            }
            return Exit.OK;
        }
    }

    @Command(name = "list", description = "List template versions.")
    static final class All extends Verb {
        All(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) {
            var all = client.templates().list();
            if (json) {
                print(Map.of("items", all));
                return Exit.OK;
            }
            var rows = new ArrayList<List<String>>();
            for (Template t : all) {
                rows.add(List.of(t.name(), t.state(), t.source(), Text.size(t.sizeBytes()), Text.ago(t.createdAt()), t.digest()));
            }
            io.bytes(Text.table(List.of("NAME", "STATE", "SOURCE", "SIZE", "CREATED", "DIGEST"), rows).getBytes(StandardCharsets.UTF_8));
            return Exit.OK;
        }
    }

    @Command(name = "show", description = "Show a template: its newest version, or the one of a digest.")
    static final class One extends Verb {
        @Parameters(index = "0", paramLabel = "TEMPLATE")
        String template = "";

        One(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) {
            said(this, client.templates().get(template));
            return Exit.OK;
        }
    }

    @Command(name = "delete", description = "Delete a name with all its versions, or one version by its digest.")
    static final class Delete extends Verb {
        @Parameters(index = "0", paramLabel = "TEMPLATE")
        String template = "";

        Delete(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) {
            client.templates().delete(template);
            return Exit.OK;
        }
    }
}
