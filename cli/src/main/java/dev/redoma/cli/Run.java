// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.NewSandbox;
import dev.redoma.client.RedomaClient;
import dev.redoma.client.SandboxHandle;
import dev.redoma.model.wire.Exec;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// Creates a sandbox, runs one command in it, says what it changed, and ends it.
@Command(name = "run", description = {
    "Create a sandbox, run one command in it, print its output as it comes, and end the sandbox.",
    "The exit code is the command's own; 124: ended for time; 125: a failure of ours.",
    "With --json stdout carries one event a line: started, stdout, stderr, exited, refused, changes."})
final class Run extends Verb {
    @Option(names = "--workspace", paramLabel = "DIR|git:URL#REF", description = "Copy this folder (or have this cloned) to 'workspace' in the user's home and run the command there.")
    @Nullable String workspace;

    @Option(names = "--gitignore", description = "Leave out of the workspace what its .gitignore files name.")
    boolean gitignore;

    @Option(names = "--keep", description = "Leave the sandbox alive and print its id.")
    boolean keep;

    @Option(names = {"-q", "--quiet"}, description = "No summary of refusals and changes.")
    boolean quiet;

    @Mixin
    NewFlags what = new NewFlags();

    @Mixin
    CommandFlags how = new CommandFlags();

    @Parameters(index = "0..*", arity = "1..*", paramLabel = "CMD", description = "The command and its arguments; never a shell string.")
    List<String> words = List.of();

    Run(Io io) {
        super(io);
    }

    @Override
    boolean carriesExitCode() {
        return true;
    }

    @Override
    int run(RedomaClient client) throws Exception {
        outliveCommand();
        if (workspace != null && !cloned()) {
            Local.there(workspace);
        }
        var command = how.command(words);
        var made = new CompletableFuture<SandboxHandle>();
        try (var interrupted = OnInterrupt.of(made, this::kill)) {
            return in(create(client, made), command);
        }
    }

    private SandboxHandle create(RedomaClient client, CompletableFuture<SandboxHandle> made) {
        try {
            var box = client.create(new NewSandbox(what.request(null, null, cloned() ? workspace : null)));
            made.complete(box);
            return box;
        } catch (RuntimeException refused) {
            made.completeExceptionally(refused);
            throw refused;
        }
    }

    private int in(SandboxHandle box, dev.redoma.client.Command command) throws IOException {
        try {
            int code = inside(box, command);
            if (keep) {
                io.err().println("redoma: sandbox " + box.id() + " is kept");
            }
            return code;
        } finally {
            kill(box);
        }
    }

    /// A command may take as long as it was given, whatever the default lifetime of a sandbox.
    private void outliveCommand() {
        if (how.timeout != null && what.limits.lifetime == null) {
            var least = Durations.parse("--timeout", how.timeout).plusMinutes(5);
            what.limits.lifetime = least.compareTo(Duration.ofHours(1)) > 0 ? least.toSeconds() + "s" : null;
        }
    }

    private boolean cloned() {
        return workspace != null && workspace.startsWith("git:");
    }

    private void kill(SandboxHandle box) {
        if (!keep) {
            box.kill();
        }
    }

    private int inside(SandboxHandle box, dev.redoma.client.Command command) throws IOException {
        var work = workspace == null ? null : cloned() ? Workspace.cloned(box) : Workspace.upload(box, Path.of(workspace), gitignore, io);
        var there = work == null || how.cwd != null ? command : command.cwd(work.path());
        var id = new AtomicReference<String>();
        Exec exec;
        try (var interrupted = new OnInterrupt(() -> endExec(box, id))) {
            exec = new Foreground(io, box, json, started -> id.set(started.id()), new ApprovalWait(io, ApprovalWait.UNTIL_DECIDED)).run(there, how.stdin, how.tty);
        }
        int code = Outcome.told(exec, box, io, json);
        if (!quiet) {
            RefusedSummary.of(box).print(io, json);
            new ChangeSummary(io, json).print(box, work);
        }
        return code;
    }

    /// With `--keep` only the command is ended.
    private void endExec(SandboxHandle box, AtomicReference<@Nullable String> id) {
        var exec = id.get();
        if (keep && exec != null) {
            box.execs().get(exec).kill();
        }
    }
}
