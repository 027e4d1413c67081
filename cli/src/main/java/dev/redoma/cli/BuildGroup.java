// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaClient;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Builds of templates.
@Command(name = "build", description = "Builds of templates; 'redoma template build' begins one.", subcommands = {
    BuildGroup.All.class, BuildGroup.One.class, BuildGroup.Log.class, BuildGroup.Cancel.class})
final class BuildGroup {
    @Option(names = {"-h", "--help"}, usageHelp = true)
    boolean help;

    @Command(name = "list", description = "The newest builds.")
    static final class All extends Verb {
        All(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) {
            var all = client.builds().list();
            if (json) {
                print(Map.of("items", all));
                return Exit.OK;
            }
            var rows = new ArrayList<List<String>>();
            all.forEach(b -> rows.add(List.of(b.id(), b.template(), b.state(), b.step() + "/" + b.steps(), String.valueOf(b.cached()), Text.ago(b.createdAt()))));
            io.bytes(Text.table(List.of("ID", "TEMPLATE", "STATE", "STEP", "CACHED", "CREATED"), rows).getBytes(StandardCharsets.UTF_8));
            return Exit.OK;
        }
    }

    /// One build.
    abstract static class OfOne extends Verb {
        @Parameters(index = "0", paramLabel = "BUILD")
        String build = "";

        OfOne(Io io) {
            super(io);
        }
    }

    @Command(name = "show", description = "Show a build, and why it failed.")
    static final class One extends OfOne {
        One(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) {
            var b = client.builds().get(build);
            if (json) {
                print(b);
                return Exit.OK;
            }
            var error = b.error();
            io.bytes(new Facts().line("id", b.id()).line("template", b.template()).line("tag", b.tag()).line("state", b.state())
                    .line("step", b.step() + " of " + b.steps() + ", " + b.cached() + " cached").line("digest", b.digest())
                    .line("error", error == null ? null : Text.safe(error.detail())).line("created", b.createdAt()).line("ended", b.endedAt())
                    .text().getBytes(StandardCharsets.UTF_8));
            return Exit.OK;
        }
    }

    @Command(name = "log", description = "Show a build's log, to its end.")
    static final class Log extends OfOne {
        Log(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) throws IOException {
            client.builds().follow(build, io.out());
            return Exit.OK;
        }
    }

    @Command(name = "cancel", description = "End a build that has not ended.")
    static final class Cancel extends OfOne {
        Cancel(Io io) {
            super(io);
        }

        @Override
        int run(RedomaClient client) {
            new BuildFollow(this).said(client.builds().cancel(build));
            return Exit.OK;
        }
    }
}
