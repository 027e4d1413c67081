// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Amounts;
import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.model.Scope;
import dev.redoma.model.wire.Exec;
import dev.redoma.model.wire.ExecSpec;
import dev.redoma.model.wire.Workspace;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Fills the workspace of a new sandbox before it is handed out: git, in the sandbox, by arguments alone, as the user of commands. A sandbox
/// whose workspace cannot be filled is ended.
final class Workspaces {
    /// What comes with the rest of a create, beside the time that git has.
    private static final Duration AROUND = Duration.ofMinutes(2);
    /// Nothing asks anybody for a name or password, no helper of the template gives one away, and a server that has fallen silent is given up.
    private static final List<String> QUIETLY = List.of("-c", "credential.helper=", "-c", "http.lowSpeedLimit=1", "-c", "http.lowSpeedTime=60");
    private static final Map<String, String> ENVIRONMENT = Map.of("GIT_TERMINAL_PROMPT", "0", "GIT_ASKPASS", "");
    private static final Duration LOOK = Duration.ofMillis(50);
    private static final Duration STEP = Duration.ofSeconds(20);
    private static final int SHOWN = 2000;
    private static final Pattern COMMIT = Pattern.compile("[0-9a-f]{40}|[0-9a-f]{64}");

    private final Core core;
    private final Execs execs;
    private final Ending ending;
    private final ReviewClosing reviews;

    Workspaces(Core core, Execs execs, Ending ending, ReviewClosing reviews) {
        this.reviews = reviews;
        this.core = core;
        this.execs = execs;
        this.ending = ending;
    }

    SandboxRow filled(Caller caller, SandboxRow row) {
        var wanted = row.workspace();
        if (wanted == null) {
            return row;
        }
        Faults.at("workspace.begun");
        try {
            // Part of the create, whatever else its caller may do.
            return clone(new Caller(caller.key(), row.tenant(), Set.of(Scope.EXEC)), row, wanted);
        } catch (RuntimeException | Error failed) {
            end(row, "Its workspace could not be filled: " + RequestRules.shown(String.valueOf(failed.getMessage())));
            throw failed;
        }
    }

    /// When whoever made it has filled it: nobody is handed half a clone. Empty of one that was ended instead. It waits no longer than
    /// filling may take.
    Optional<SandboxRow> settled(SandboxRow seen) {
        long end = System.nanoTime() + core.config().times().workspace().plus(AROUND).toNanos();
        SandboxRow row = seen;
        while (row.state() != State.ENDED && row.workspace() != null && row.workspace().commit() == null) {
            if (System.nanoTime() > end) {
                throw Problem.of(Code.SETUP_FAILED, "The workspace of '" + row.name() + "' is still being filled.", "Ask again, or kill that sandbox.").raise();
            }
            pause();
            row = core.store().read(tx -> SandboxRows.get(tx, seen.id()));
        }
        return row.state() == State.ENDED ? Optional.empty() : Optional.of(row);
    }

    private static void pause() {
        try {
            Thread.sleep(LOOK);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Problem.of(Code.STOPPING, "The server is stopping.", "Try again.").raise(e);
        }
    }

    private SandboxRow clone(Caller caller, SandboxRow row, Workspace wanted) {
        var source = GitSource.of(wanted.from());
        var git = new Git(caller, row, source, System.nanoTime() + core.config().times().workspace().toNanos());
        git.run(List.of("clone", "--quiet", "--no-checkout", "--", source.url(), wanted.path()));
        var checkout = new ArrayList<>(List.of("-C", wanted.path(), "checkout", "--quiet"));
        source.ref().ifPresent(checkout::add);
        checkout.add("--");
        git.run(checkout);
        var said = git.run(List.of("-C", wanted.path(), "rev-parse", "--show-toplevel", "HEAD")).strip().split("\n");
        if (said.length != 2 || !COMMIT.matcher(said[1]).matches()) {
            throw Problem.of(Code.SETUP_FAILED, "git told no commit.", "See that the repository has one.").raise();
        }
        var made = new Workspace(wanted.from(), said[0].length() > 4095 ? wanted.path() : said[0], said[1]);
        core.boxes().find(row.id()).ifPresent(box -> core.boxes().locked(box, () -> reviews.mark(box, Records.ENGINE, made.path())));
        return core.store().write(tx -> {
            new RowChange().workspace(made).apply(tx, row.id());
            core.records().workspace(tx, row, made);
            return SandboxRows.get(tx, row.id());
        });
    }

    /// git in one sandbox, until a time by which all of it has to be done.
    private final class Git {
        private final Caller caller;
        private final SandboxRow row;
        private final GitSource source;
        private final long end;

        Git(Caller caller, SandboxRow row, GitSource source, long end) {
            this.caller = caller;
            this.row = row;
            this.source = source;
            this.end = end;
        }

        /// What it printed; an exit code other than 0 is SETUP_FAILED with the last of its words, or POLICY_REFUSED where the gateway kept it from its host.
        String run(List<String> arguments) {
            var argv = new ArrayList<>(List.of("git"));
            argv.addAll(QUIETLY);
            argv.addAll(arguments);
            long before = refused().map(Network.Refused::all).orElse(0L);
            long left = Math.max(1, (end - System.nanoTime()) / 1_000_000);
            String sandbox = row.id().value();
            Exec exec = execs.start(caller, sandbox, new ExecSpec(argv, null, ENVIRONMENT, null, null, null, left, 1L << 20, "workspace"));
            while (exec.endedAt() == null && !exec.state().equals("lost")) {
                exec = execs.await(caller, sandbox, exec.id(), STEP);
            }
            var said = output(caller, sandbox, exec.id());
            if (exec.exitCode() == null || exec.exitCode() != 0) {
                throw failed(verb(arguments), exec, said, before);
            }
            return said;
        }

        private RedomaException failed(String verb, Exec exec, String said, long before) {
            var last = (said.length() > SHOWN ? said.substring(said.length() - SHOWN) : said).strip().lines().map(GuestErrors::clean).collect(Collectors.joining("\n"));
            var refusal = refused().filter(now -> now.all() > before).map(Network.Refused::latest).filter(latest -> !"no-address".equals(latest.reason()) && meant(latest, said));
            if (refusal.isPresent() && source.remote().isPresent() && !exec.timedOut()) {
                var refused = GitReach.onTheWay(row.policy(), source.remote().get(), refusal.get());
                return refused.problem().with("output", last).raise();
            }
            var time = core.config().times().workspace();
            var problem = Problem.of(Code.SETUP_FAILED, "The workspace could not be filled: git " + verb + " "
                            + (exec.timedOut() ? "did not end within " + Amounts.time(time) + " (times.workspace)" : "ended with " + (exec.exitCode() == null ? exec.state() : "code " + exec.exitCode()))
                            + ": " + last.replace("\n", "; "), remedy()).with("output", last);
            return (exec.timedOut() ? problem.with("limit", "times.workspace").with("timeoutMs", time.toMillis()) : problem).raise();
        }

        /// Others in the sandbox may have been refused something meanwhile: the repository's host, or one that git speaks of.
        private boolean meant(Network.Refusal latest, String said) {
            return Stream.of(latest.host(), latest.address()).filter(Objects::nonNull).anyMatch(h -> said.contains(h) || source.remote().filter(r -> r.host().equalsIgnoreCase(h)).isPresent());
        }

        private String remedy() {
            return source.remote().map(r -> "See that the URL and ref exist, that " + r.host() + " answers and asks for no name or token, and that the template has git and trusts its certificate.")
                    .orElse("See that the URL and ref exist in the sandbox, and that its template has git.");
        }

        private Optional<Network.Refused> refused() {
            return core.uplink().refused(row.id());
        }
    }

    private static String verb(List<String> arguments) {
        return arguments.get(arguments.getFirst().equals("-C") ? 2 : 0);
    }

    private String output(Caller caller, String sandbox, String exec) {
        var all = new ByteArrayOutputStream();
        try (var output = execs.output(caller, sandbox, exec, 0, false, false)) {
            for (var chunk = output.next(STEP); chunk != null && all.size() < 1 << 20; chunk = output.next(STEP)) {
                all.writeBytes(chunk.copy());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Problem.of(Code.STOPPING, "The server is stopping.", "Try again.").raise();
        }
        return all.toString(StandardCharsets.UTF_8);
    }

    private void end(SandboxRow row, String why) {
        core.store().write(tx -> {
            Idempotency.forget(tx, row.id());
            return true;
        });
        core.boxes().find(row.id()).ifPresent(box -> {
            try {
                core.boxes().locked(box, () -> ending.kill(box, Records.ENGINE, core.reason("killed", null, why)));
            } catch (RedomaException later) {
                core.log().add(row.id(), "a sandbox without its workspace does not end yet: " + later.getMessage());
            }
        });
    }

    /// Sandboxes that a server was filling when it ended: nobody was told of them.
    void interrupted() {
        core.store().read(SandboxRows::notEnded).stream()
                .filter(row -> row.workspace() != null && row.workspace().commit() == null)
                .forEach(row -> end(row, "The server ended while its workspace was filled."));
    }
}
