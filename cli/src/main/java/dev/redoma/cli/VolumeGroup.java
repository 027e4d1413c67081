// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaClient;
import dev.redoma.model.Bytes;
import dev.redoma.model.wire.CreateVolume;
import dev.redoma.model.wire.Volume;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Volumes.
@Command(name = "volume", description = "Keep files across sandboxes; their paths are volume/NAME:PATH for ls, cp and the other file verbs.", subcommands = {
    VolumeGroup.Make.class, VolumeGroup.All.class, VolumeGroup.One.class, VolumeGroup.Resize.class, VolumeGroup.Remove.class})
final class VolumeGroup {
    @Option(names = {"-h", "--help"}, usageHelp = true)
    boolean help;

    /// A verb about one volume.
    abstract static class OfOne extends Verb {
        @Parameters(index = "0", paramLabel = "VOLUME", description = "Its name or id.")
        String volume = "";

        OfOne(Io io) {
            super(io);
        }

        int shown(Volume v) {
            if (json) {
                print(v);
            } else {
                io.bytes(facts(v).getBytes(StandardCharsets.UTF_8));
            }
            return Exit.OK;
        }

        private static String facts(Volume v) {
            var facts = new Facts().line("id", v.id()).line("name", v.name()).line("tenant", v.tenant()).line("state", v.state())
                    .line("used", Text.size(v.usedBytes())).line("quota", Text.size(v.sizeBytes())).line("writers", v.shared() ? "several" : "one at a time")
                    .line("owner", v.owner()).line("labels", v.labels().isEmpty() ? null : v.labels()).line("created", v.createdAt());
            v.sandboxes().forEach(s -> facts.line("in " + s.sandbox(), s.path() + (s.readOnly() ? " (read-only)" : "") + ", " + s.state()));
            return facts.text();
        }
    }

    @Command(name = "create", description = "Make a volume.")
    static final class Make extends OfOne {
        @Option(names = "--size", paramLabel = "SIZE", description = "How much it may hold, such as 10GiB.")
        @Nullable String size;

        @Option(names = "--shared", description = "Several sandboxes may write to it at a time.")
        boolean shared;

        @Option(names = "--owner", paramLabel = "UID:GID", description = "Owner of its root directory, as seen inside (default: 1000:1000).")
        @Nullable String owner;

        @Option(names = "--label", paramLabel = "NAME=VALUE", description = "A label; repeatable.")
        Map<String, String> labels = Map.of();

        Make(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) {
            var made = client.volumes().create(new CreateVolume(volume, size == null ? null : Bytes.parse("--size", size).value(), shared, owner,
                    labels.isEmpty() ? null : labels));
            if (json) {
                print(made);
            } else {
                io.line(made.id());
            }
            return Exit.OK;
        }
    }

    @Command(name = "list", description = "List volumes.")
    static final class All extends Verb {
        @Option(names = "--label", paramLabel = "NAME=VALUE", description = "Only with this label; repeatable.")
        Map<String, String> labels = Map.of();

        All(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) {
            var all = client.volumes().list(labels);
            if (json) {
                print(Map.of("items", all));
                return Exit.OK;
            }
            var rows = new ArrayList<List<String>>();
            for (Volume v : all) {
                long live = v.sandboxes().stream().filter(Volume.Holder::live).count();
                rows.add(List.of(v.id(), v.name(), Text.size(v.usedBytes()), Text.size(v.sizeBytes()), v.sandboxes().size() + " (" + live + " live)", Text.ago(v.createdAt())));
            }
            io.bytes(Text.table(List.of("ID", "NAME", "USED", "QUOTA", "SANDBOXES", "CREATED"), rows).getBytes(StandardCharsets.UTF_8));
            return Exit.OK;
        }
    }

    @Command(name = "show", description = "Show a volume and the sandboxes that have it.")
    static final class One extends OfOne {
        One(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) {
            return shown(client.volumes().get(volume));
        }
    }

    @Command(name = "resize", description = "Give a volume another size, not below what it holds.")
    static final class Resize extends OfOne {
        @Parameters(index = "1", paramLabel = "SIZE")
        String size = "";

        Resize(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) {
            return shown(client.volumes().resize(volume, Bytes.parse("SIZE", size).value()));
        }
    }

    @Command(name = "rm", description = "Remove a volume with all that is on it; refused while a sandbox has it.")
    static final class Remove extends OfOne {
        Remove(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) {
            client.volumes().delete(volume);
            return Exit.OK;
        }
    }
}
