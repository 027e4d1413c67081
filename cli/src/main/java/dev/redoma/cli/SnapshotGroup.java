// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaClient;
import dev.redoma.model.wire.Snapshot;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Saved disk states.
@Command(name = "snapshot", description = "Save the disk of a sandbox, to start others from it.", subcommands = {
    SnapshotGroup.Make.class, SnapshotGroup.All.class, SnapshotGroup.One.class, SnapshotGroup.Delete.class})
final class SnapshotGroup {
    @Option(names = {"-h", "--help"}, usageHelp = true)
    boolean help;

    @Command(name = "create", description = "Save the disk of a sandbox as it is now.")
    static final class Make extends Verb {
        @Option(names = "--name", description = "A name to start others by.")
        @Nullable String name;

        @Parameters(index = "0", paramLabel = "SANDBOX")
        String sandbox = "";

        Make(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) {
            var made = client.sandbox(sandbox).snapshot(name);
            if (json) {
                print(made);
            } else {
                io.line(made.id());
            }
            return Exit.OK;
        }
    }

    @Command(name = "list", description = "List snapshots, of one sandbox or of all.")
    static final class All extends Verb {
        @Parameters(index = "0", arity = "0..1", paramLabel = "SANDBOX")
        @Nullable String sandbox;

        All(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) {
            var all = client.snapshots().list(sandbox);
            if (json) {
                print(Map.of("items", all));
                return Exit.OK;
            }
            var rows = new ArrayList<List<String>>();
            for (Snapshot s : all) {
                rows.add(List.of(s.id(), Text.or(s.name()), s.sandbox(), s.template().name(), Text.ago(s.createdAt())));
            }
            io.bytes(Text.table(List.of("ID", "NAME", "SANDBOX", "TEMPLATE", "CREATED"), rows).getBytes(StandardCharsets.UTF_8));
            return Exit.OK;
        }
    }

    @Command(name = "show", description = "Show a snapshot.")
    static final class One extends Verb {
        @Parameters(index = "0", paramLabel = "SNAPSHOT")
        String snapshot = "";

        One(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) {
            var s = client.snapshots().get(snapshot);
            if (json) {
                print(s);
            } else {
                io.bytes(new Facts().line("id", s.id()).line("name", s.name()).line("sandbox", s.sandbox())
                        .line("template", s.template().name() + " " + s.template().digest()).line("digest", s.digest())
                        .line("created", s.createdAt()).text().getBytes(StandardCharsets.UTF_8));
            }
            return Exit.OK;
        }
    }

    @Command(name = "delete", description = "Delete a snapshot; sandboxes made from it go on.")
    static final class Delete extends Verb {
        @Parameters(index = "0", paramLabel = "SNAPSHOT")
        String snapshot = "";

        Delete(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) {
            client.snapshots().delete(snapshot);
            return Exit.OK;
        }
    }
}
