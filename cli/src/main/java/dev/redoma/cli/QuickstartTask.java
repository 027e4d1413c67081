// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.Audit;
import dev.redoma.client.Command;
import dev.redoma.client.NewSandbox;
import dev.redoma.client.RedomaClient;
import dev.redoma.client.SandboxHandle;
import dev.redoma.model.wire.Exec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.LinkedHashMap;

/// The real task of the quickstart: the tests and the report of a small project, in a sandbox.
final class QuickstartTask {
    private static final String TESTS = "python3 -m unittest -v";
    private static final String REPORT = "python3 build.py";

    private final Io io;
    private final RedomaClient client;
    private final boolean json;

    QuickstartTask(Io io, RedomaClient client, boolean json) {
        this.io = io;
        this.client = client;
        this.json = json;
    }

    /// 0 when everything went as it should; that one test of the project fails is part of it, and shown.
    /// `local` is where the artifacts go: below the server's data, so that they leave with it; those of an earlier run are replaced.
    int run(Path app, Path local) throws IOException {
        step("sandbox");
        try (var box = client.create(NewSandbox.from("base").label("made-by", "quickstart")); var interrupted = new OnInterrupt(box::kill)) {
            var state = box.state();
            io.err().println("  " + box.id() + ": " + state.isolation().tier() + " (" + state.isolation().runtime() + "), no network but loopback");
            var work = Workspace.upload(box, app, false, io);
            io.err().println("  uploaded " + app + " to " + work.path());
            var tests = command(box, work, TESTS);
            io.err().println("  (one test fails on purpose: the fault is the example's task)");
            var report = command(box, work, REPORT);
            changes(box, work);
            var artifacts = artifacts(box, work, local);
            audit(box);
            result(box, tests, report, artifacts);
            return report.exitCode() != null && report.exitCode() == 0 ? Exit.OK : Exit.FAILURE;
        }
    }

    private void step(String what) {
        io.err().println("== " + what);
    }

    private Exec command(SandboxHandle box, Workspace work, String line) {
        step(line);
        var exec = box.execs().run(Command.of(line.split(" ")).cwd(work.path()), new Events(io, json, started -> {}));
        io.err().println("  exit code " + exec.exitCode() + ", " + time(exec.wallMs()) + " (processor " + time(exec.cpuMs()) + ", memory peak "
                + Text.size(exec.peakMemoryBytes()) + "), " + Text.size(exec.outputBytes()) + " of output");
        return exec;
    }

    private static String time(@org.jspecify.annotations.Nullable Long millis) {
        return millis == null ? "-" : Durations.text(millis);
    }

    private void changes(SandboxHandle box, Workspace work) {
        step("change set");
        new ChangeSummary(io, json).print(box, work);
    }

    private Path artifacts(SandboxHandle box, Workspace work, Path local) throws IOException {
        step("artifacts");
        removed(local);
        Files.createDirectory(local, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        var report = work.path() + "/report";
        box.files().folders().download(report, local, done -> {});
        try (var files = Files.list(local)) {
            files.sorted().forEach(file -> io.err().println("  " + file));
        }
        return local;
    }

    private static void removed(Path folder) throws IOException {
        if (Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
            try (var all = Files.walk(folder)) {
                for (var path : all.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(path);
                }
            }
        }
    }

    private void audit(SandboxHandle box) {
        step("audit trail");
        for (var record : client.audit().read(new Audit.Filter(null, box.id(), null), 0, 200)) {
            io.err().println("  " + record.seq() + " " + record.at().truncatedTo(java.time.temporal.ChronoUnit.MILLIS) + " " + record.category() + "."
                    + record.action() + (record.exec() == null ? "" : " " + record.exec()));
        }
    }

    private void result(SandboxHandle box, Exec tests, Exec report, Path artifacts) {
        if (json) {
            var all = new LinkedHashMap<String, Object>();
            all.put("sandbox", box.state());
            all.put("tests", tests);
            all.put("report", report);
            all.put("artifacts", artifacts.toString());
            Events.line(io, "quickstart", all);
        }
    }
}
