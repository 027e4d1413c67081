// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// All verbs by name. One is made only when it is asked for: that is most of a fast start.
final class Verbs {
    static final List<String> NAMES = List.of(
            "quickstart", "up", "down", "uninstall", "status", "doctor",
            "run", "create", "list", "show", "ps", "env", "exec", "attach", "shell", "logs",
            "cp", "ls", "stat", "rm", "mv", "mkdir", "chmod", "watch", "diff", "artifacts", "apply", "export", "import",
            "pause", "resume", "stop", "start", "reset", "set-timeout", "fork", "kill", "quarantine", "redact", "expose", "ports", "unexpose",
            "snapshot", "template", "build", "volume", "cache", "policy", "tls", "keys", "users", "approvals", "audit", "bench", "completion");

    private Verbs() {}

    static @Nullable Object make(String name, Io io) {
        return switch (name) {
            case "quickstart" -> new Quickstart(io);
            case "up" -> new Up(io);
            case "down" -> new Down(io);
            case "uninstall" -> new Uninstall(io);
            case "status" -> new Status(io);
            case "doctor" -> new Doctor(io);
            case "run" -> new Run(io);
            case "create" -> new Create(io);
            case "list" -> new ListSandboxes(io);
            case "show" -> new Show(io);
            case "exec" -> new ExecVerb(io);
            case "attach" -> new Attach(io);
            case "shell" -> new Shell(io);
            case "logs" -> new Logs(io);
            case "cp" -> new Cp(io);
            case "ps" -> new Ps(io);
            case "env" -> new Env(io);
            default -> makeFileVerb(name, io);
        };
    }

    private static @Nullable Object makeFileVerb(String name, Io io) {
        return switch (name) {
            case "ls" -> new Ls(io);
            case "stat" -> new Stat(io);
            case "rm" -> new Rm(io);
            case "mv" -> new Mv(io);
            case "mkdir" -> new Mkdir(io);
            case "chmod" -> new Chmod(io);
            case "watch" -> new Watch(io);
            case "diff" -> new Diff(io);
            case "apply" -> new Apply(io);
            case "artifacts" -> new ArtifactsGroup();
            case "export" -> new Export(io);
            case "import" -> new Import(io);
            default -> makeLifeVerb(name, io);
        };
    }

    private static @Nullable Object makeLifeVerb(String name, Io io) {
        return switch (name) {
            case "pause" -> new Pause(io);
            case "resume" -> new Resume(io);
            case "stop" -> new Stop(io);
            case "start" -> new Start(io);
            case "reset" -> new Reset(io);
            case "quarantine" -> new Quarantine(io);
            case "redact" -> new RedactMore(io);
            case "set-timeout" -> new SetTimeout(io);
            case "fork" -> new Fork(io);
            case "kill" -> new Kill(io);
            case "expose" -> new Expose(io);
            case "ports" -> new Exposed(io);
            case "unexpose" -> new Unexpose(io);
            default -> makeGroup(name, io);
        };
    }

    private static @Nullable Object makeGroup(String name, Io io) {
        return switch (name) {
            case "snapshot" -> new SnapshotGroup();
            case "template" -> new TemplateGroup();
            case "cache" -> new CacheGroup();
            case "policy" -> new PolicyGroup();
            case "tls" -> new TlsGroup();
            case "build" -> new BuildGroup();
            case "volume" -> new VolumeGroup();
            case "keys" -> new KeysGroup();
            case "users" -> new UsersGroup();
            case "approvals" -> new ApprovalsGroup();
            case "audit" -> new AuditGroup();
            case "bench" -> new Bench(io);
            case "completion" -> new Completion(io);
            default -> null;
        };
    }
}
