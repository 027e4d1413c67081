// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaClient;
import dev.redoma.client.ServerUnreachableException;
import dev.redoma.client.json.Json;
import dev.redoma.model.wire.Finding;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// What this host offers.
@Command(name = "doctor", description = "What was tried on the server's host (without a server: on this one), what was chosen and why, and the fix for what is missing.")
final class Doctor extends Verb {
    private static final String CHECK = "dev.redoma.server.HostCheck";
    private static final String ENDING = "dev.redoma.server.Abandoned";

    @Option(names = "--local", description = "Look at this host also where a server answers.")
    boolean local;

    @Option(names = "--clean", paramLabel = "ID", description = {"End what this installation left on this host, though no server serves it: sandboxes, mounts, run files; its data directory stays.",
        "Doctor names them under 'leftovers'. Repeatable."})
    List<String> clean = List.of();

    Doctor(Io io) {
        super(io);
    }

    /// Where no server answers, the same is tried here and now.
    @Override
    public Integer call() throws Exception {
        if (!clean.isEmpty()) {
            return cleaned();
        }
        if (!local) {
            try (var client = io.client()) {
                return run(client);
            } catch (ServerUnreachableException silent) {
                io.err().println("redoma: no server answers; this host is looked at instead");
            } catch (Failed unknown) {
                if (unknown.code() != Exit.UNREACHABLE) {
                    throw unknown;
                }
                io.err().println("redoma: no server is known; this host is looked at instead");
            }
        }
        return told(Json.read(ServerProcess.answer(CHECK, List.of(System.getProperty("redoma.home", "."))), Findings.class).findings());
    }

    private int cleaned() throws Exception {
        var arguments = new ArrayList<>(List.of(System.getProperty("redoma.home", ".")));
        arguments.addAll(clean);
        var ended = Json.read(ServerProcess.answer(ENDING, arguments), Ended.class).ended();
        if (json) {
            print(Map.of("ended", ended));
        } else {
            ended.forEach(id -> io.line("nothing of " + id + " runs or is mounted any more"));
        }
        return Exit.OK;
    }

    /// What the ending prints.
    record Ended(List<String> ended) {}

    /// What the check prints.
    record Findings(List<Finding> findings) {}

    @Override
    int run(RedomaClient client) {
        return told(client.doctor());
    }

    private int told(List<Finding> findings) {
        if (json) {
            print(Map.of("findings", findings));
        } else {
            findings.forEach(this::show);
        }
        return code(findings);
    }

    private void show(Finding f) {
        io.line(String.format("%-8s %-10s %-28s %s", f.status(), f.area(), f.name(), Text.safe(f.detail())));
        var fix = f.fix();
        if (fix != null) {
            io.line("         fix: " + Text.safe(fix));
        }
    }

    private static int code(List<Finding> findings) {
        return findings.stream().anyMatch(f -> f.status().equals("missing")) ? Exit.FAILURE : Exit.OK;
    }
}
