// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaClient;
import dev.redoma.model.Amounts;
import dev.redoma.model.Problem;
import dev.redoma.model.TemplateReference;
import dev.redoma.model.wire.Template;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Templates.
@Command(name = "template", description = "Templates: the disks that sandboxes start from.", subcommands = {
    TemplateBuildVerb.class, TemplateGroup.Import.class, TemplatePull.class, TemplateGroup.All.class, TemplateGroup.One.class, TemplateGroup.Tag.class,
    TemplateGroup.Untag.class, TemplateGroup.Delete.class})
final class TemplateGroup {
    @Option(names = {"-h", "--help"}, usageHelp = true)
    boolean help;

    static void said(Verb verb, Template template) {
        if (verb.json) {
            verb.print(template);
        } else {
            verb.io.line(template.name() + " " + template.digest() + " " + template.state() + " " + Text.size(template.sizeBytes()));
            var out = template.leftOut();
            if (out != null) {
                verb.io.err().println("redoma: left out: " + Amounts.count(out.devices(), "device node") + ", " + out.capabilities() + " file capabilities (or parts of them), " + out.attributes() + " other attributes");
            }
        }
    }

    @Command(name = "import", description = "Import a root file system or the archive of an image as a new version of NAME.")
    static final class Import extends Verb {
        @Parameters(index = "0", paramLabel = "NAME")
        String name = "";

        @Parameters(index = "1", paramLabel = "FILE", description = "A tar (plain, gzip or zstd) of a root file system or an OCI layout, or what docker save writes.")
        Path file = Path.of("");

        Import(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) {
            try (var progress = Progress.onTerminal(io, "import of " + name)) {
                said(this, client.templates().importTar(name, Local.there(file), progress::at));
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
            io.bytes(TemplateText.table(all).getBytes(StandardCharsets.UTF_8));
            return Exit.OK;
        }
    }

    @Command(name = "show", description = "Show a template version: its layers (the top one first), configuration, tags and who stands on it.")
    static final class One extends Verb {
        @Parameters(index = "0", paramLabel = "TEMPLATE", description = TemplateText.REFERENCE)
        String template = "";

        One(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) {
            var one = client.templates().get(template);
            if (json) {
                print(one);
            } else {
                io.bytes(TemplateText.of(one).getBytes(StandardCharsets.UTF_8));
            }
            return Exit.OK;
        }
    }

    @Command(name = "tag", description = "Let a tag point at a version; it may have pointed at another.")
    static final class Tag extends Verb {
        @Parameters(index = "0", paramLabel = "TEMPLATE", description = "NAME@DIGEST, NAME:TAG or NAME.")
        String template = "";

        @Parameters(index = "1", paramLabel = "TAG")
        String tag = "";

        Tag(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) {
            var wanted = TemplateReference.parse("TEMPLATE", template);
            if (wanted.name() == null) {
                throw Problem.field("TEMPLATE", "names no template, and tags are of a name", "NAME@DIGEST, NAME:TAG or NAME");
            }
            said(this, client.templates().tag(wanted.name(), tag, template));
            return Exit.OK;
        }
    }

    @Command(name = "untag", description = "Take a tag away; the version stays.")
    static final class Untag extends UntagVerb {
        Untag(Io io) {
            super(io);
        }

        @Override
        void untag(RedomaClient client, String name, String tag) {
            client.templates().untag(name, tag);
        }
    }

    @Command(name = "delete", description = "Delete a name with all its versions, one version by its digest, or a tag with its version if that has no other tag.")
    static final class Delete extends Verb {
        @Parameters(index = "0", paramLabel = "TEMPLATE", description = TemplateText.REFERENCE)
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
