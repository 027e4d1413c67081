// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaClient;
import dev.redoma.model.Amounts;
import dev.redoma.model.Problem;
import dev.redoma.model.TemplateReference;
import dev.redoma.model.wire.CreateSnapshot;
import dev.redoma.model.wire.KeepSnapshots;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Saved disk states.
@Command(name = "snapshot", description = "Save the disk of a sandbox, to start others from it.", subcommands = {
    SnapshotGroup.Make.class, SnapshotGroup.All.class, SnapshotGroup.One.class, SnapshotGroup.Tag.class,
    SnapshotGroup.Untag.class, SnapshotGroup.Delete.class})
final class SnapshotGroup {
    @Option(names = {"-h", "--help"}, usageHelp = true)
    boolean help;

    @Command(name = "create", description = "Save the disk of a sandbox as it is now.")
    static final class Make extends Verb {
        @Option(names = "--name", paramLabel = "NAME[:TAG]", description = "A name to start others by; a second snapshot of a name needs a tag.")
        @Nullable String name;

        @Option(names = "--label", paramLabel = "NAME=VALUE", description = "A label; repeatable.")
        Map<String, String> labels = Map.of();

        @Option(names = "--contents", paramLabel = "CLASS=ORDER", description = "What to do about a class of contents: keep, scrub or refuse; repeatable. "
                + "Classes: packages caches history browser temporary credentials logs other.")
        Map<String, String> contents = Map.of();

        @Option(names = "--keep", paramLabel = "N", description = "Keep the newest N of this name (without a name: of this sandbox); 0: all.")
        @Nullable Integer keep;

        @Option(names = "--keep-for", paramLabel = "TIME", description = "Delete it after this time; 0s: never.")
        @Nullable String keepFor;

        @Parameters(index = "0", paramLabel = "SANDBOX")
        String sandbox = "";

        Make(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) {
            var called = name == null ? null : TemplateReference.parse("--name", name);
            if (called != null && (called.name() == null || called.digest() != null)) {
                throw Problem.field("--name", "a digest comes of itself", "NAME or NAME:TAG");
            }
            var keeping = keep == null && keepFor == null ? null : new KeepSnapshots(keep, keepFor == null ? null : (Long) Durations.parse("--keep-for", keepFor).toMillis());
            var made = SandboxName.in(client, sandbox).save(new CreateSnapshot(called == null ? null : called.name(), called == null ? null : called.tag(),
                    labels.isEmpty() ? null : labels, contents.isEmpty() ? null : contents, keeping));
            if (json) {
                print(made);
            } else {
                io.line(made.id());
                made.scrubbed().forEach((of, what) -> io.err().println("redoma: scrubbed: " + of + ", " + Amounts.count(what.files(), "file")));
            }
            return Exit.OK;
        }
    }

    @Command(name = "list", description = "List snapshots, of one sandbox or of all.")
    static final class All extends Verb {
        @Option(names = "--name", description = "Only of this name.")
        @Nullable String name;

        @Option(names = "--label", paramLabel = "NAME=VALUE", description = "Only with this label; repeatable, all must match.")
        Map<String, String> labels = Map.of();

        @Parameters(index = "0", arity = "0..1", paramLabel = "SANDBOX")
        @Nullable String sandbox;

        All(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) {
            var all = client.snapshots().list(sandbox, name, labels);
            if (json) {
                print(Map.of("items", all));
                return Exit.OK;
            }
            io.bytes(SnapshotText.table(all).getBytes(StandardCharsets.UTF_8));
            return Exit.OK;
        }
    }

    @Command(name = "show", description = "Show a snapshot and what is in it, by class.")
    static final class One extends Verb {
        @Parameters(index = "0", paramLabel = "SNAPSHOT")
        String snapshot = "";

        One(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) {
            var s = client.snapshots().get(snapshot);
            var in = client.snapshots().contents(snapshot);
            if (json) {
                print(Map.of("snapshot", s, "contents", in));
            } else {
                io.bytes(SnapshotText.of(s, in).getBytes(StandardCharsets.UTF_8));
            }
            return Exit.OK;
        }
    }

    @Command(name = "tag", description = "Let a tag of its name point at a snapshot; it may have pointed at another.")
    static final class Tag extends Verb {
        @Parameters(index = "0", paramLabel = "SNAPSHOT")
        String snapshot = "";

        @Parameters(index = "1", paramLabel = "TAG")
        String tag = "";

        Tag(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) {
            var tagged = client.snapshots().tag(snapshot, tag);
            if (json) {
                print(tagged);
            } else {
                io.line(tagged.id());
            }
            return Exit.OK;
        }
    }

    @Command(name = "untag", description = "Take a tag away; the snapshot stays.")
    static final class Untag extends UntagVerb {
        Untag(Io io) {
            super(io);
        }

        @Override
        void untag(RedomaClient client, String name, String tag) {
            client.snapshots().untag(name, tag);
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
