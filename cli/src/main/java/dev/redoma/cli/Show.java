// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaClient;
import dev.redoma.model.wire.Attachment;
import dev.redoma.model.wire.Exec;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Shows one sandbox.
@Command(name = "show", description = "Show a sandbox: state, isolation, limits, use and, with --execs, its commands.")
final class Show extends Verb {
    @Option(names = "--execs", description = "Its commands too.")
    boolean execs;

    @Parameters(index = "0", paramLabel = "SANDBOX")
    String sandbox = "";

    Show(Io io) {
        super(io);
    }

    @Override
    int run(RedomaClient client) {
        var handle = SandboxName.in(client, sandbox);
        var box = handle.state();
        var usage = box.state().equals("running") || box.state().equals("paused") ? handle.usage() : null;
        var attached = box.state().equals("ended") ? List.<Attachment>of() : handle.attaching().list().attachments();
        var commands = new ArrayList<Exec>();
        if (execs) {
            handle.execs().list().forEach(commands::add);
        }
        if (json) {
            var all = new LinkedHashMap<String, Object>();
            all.put("sandbox", box);
            if (usage != null) {
                all.put("usage", usage);
            }
            if (!attached.isEmpty()) {
                all.put("attached", attached);
            }
            if (execs) {
                all.put("execs", commands);
            }
            print(all);
        } else {
            io.bytes((Facts.of(box, usage) + (attached.isEmpty() ? "" : "\n" + AttachGrants.there(attached)) + (execs ? "\n" + table(commands) : "")).getBytes(StandardCharsets.UTF_8));
        }
        return Exit.OK;
    }

    private static String table(List<Exec> execs) {
        var rows = new ArrayList<List<String>>();
        for (var e : execs) {
            rows.add(List.of(e.id(), e.state(), Text.or(e.exitCode()), e.user(), Text.ago(e.startedAt()), Text.safe(String.join(" ", e.argv()))));
        }
        return Text.table(List.of("EXEC", "STATE", "CODE", "USER", "STARTED", "COMMAND"), rows);
    }
}
