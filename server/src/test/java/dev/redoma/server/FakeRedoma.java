// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import dev.redoma.engine.Builds;
import dev.redoma.engine.Caches;
import dev.redoma.engine.Execs;
import dev.redoma.engine.Files;
import dev.redoma.engine.Redoma;
import dev.redoma.engine.Sandboxes;
import dev.redoma.engine.Templates;
import dev.redoma.engine.Volumes;
import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.SandboxId;
import dev.redoma.model.wire.CreateSandbox;
import dev.redoma.model.wire.CreateSnapshot;
import dev.redoma.model.wire.ForkSandbox;
import dev.redoma.model.wire.Isolation;
import dev.redoma.model.wire.Limits;
import dev.redoma.model.wire.Page;
import dev.redoma.model.wire.Redact;
import dev.redoma.model.wire.Redacted;
import dev.redoma.model.wire.Sandbox;
import dev.redoma.model.wire.Snapshot;
import dev.redoma.model.wire.SnapshotContents;
import dev.redoma.model.wire.Template;
import dev.redoma.model.wire.TemplateSummary;
import dev.redoma.model.wire.TemplateUse;
import dev.redoma.model.wire.TemplateRef;
import dev.redoma.model.wire.Usage;
import dev.redoma.pool.Pool;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Stands in for the engine where only the semantics of HTTP are of interest: sandboxes are rows in memory.
final class FakeRedoma implements Redoma, Sandboxes {
    static final String DIGEST = "sha256:" + "0".repeat(64);

    final Map<String, Sandbox> rows = new ConcurrentHashMap<>();
    final FakeExecs execs = new FakeExecs(this);
    final FakeFiles files = new FakeFiles(this);
    final AtomicLong imported = new AtomicLong();

    @Override
    public Sandboxes sandboxes() {
        return this;
    }

    @Override
    public Execs execs() {
        return execs;
    }

    @Override
    public Files files() {
        return files;
    }

    @Override
    public dev.redoma.engine.Policies policies() {
        return new FakePolicies(this);
    }

    @Override
    public Builds builds() {
        return new FakeBuilds();
    }

    @Override
    public Templates templates() {
        return new FakeTemplates();
    }

    private static Sandbox row(Caller caller, @Nullable String name, String state) {
        return new Sandbox(SandboxId.mint().value(), name, caller.tenant().value(), state, null, new TemplateRef("base", DIGEST), Map.of(),
                new Isolation("container", "shared", "fake", "0", List.of()), "sudo", "none", "creator", "kill", Limits.DEFAULTS, Instant.now(), Instant.now(),
                null, null, 1, null, false, null, caller.key(), List.of(), null);
    }

    private static Sandbox in(String state, Sandbox s) {
        return new Sandbox(s.id(), s.name(), s.tenant(), state, s.reason(), s.template(), s.labels(), s.isolation(), s.privileges(), s.policy(), s.reopen(),
                s.onTimeout(), s.limits(), s.createdAt(), s.startedAt(), s.endsAt(), s.endedAt(), s.starts(), s.reused(), s.warm(), s.forkedFrom(), s.createdBy(), s.volumes(), s.workspace());
    }

    @Override
    public Sandbox create(Caller caller, CreateSandbox request, @Nullable String idempotencyKey) {
        if ("nope".equals(request.template())) {
            throw Problem.of(Code.TEMPLATE_NOT_FOUND, "There is no template nope.", "List them.").raise();
        }
        var made = row(caller, request.name(), "running");
        rows.put(made.id(), made);
        return made;
    }

    @Override
    public Sandbox get(Caller caller, String sandbox) {
        return rows.values().stream().filter(s -> s.id().equals(sandbox) || sandbox.equals(s.name()))
                .filter(s -> caller.operator() || s.tenant().equals(caller.tenant().value())).findFirst()
                .orElseThrow(() -> Problem.of(Code.SANDBOX_NOT_FOUND, "There is no such sandbox.", "List them: GET /v1/sandboxes.").raise());
    }

    @Override
    public Page<Sandbox> list(Caller caller, Query query) {
        return new Page<>(rows.values().stream().filter(s -> caller.operator() || s.tenant().equals(caller.tenant().value())).toList(), null);
    }

    private Sandbox move(Caller caller, String sandbox, String state) {
        var moved = in(state, get(caller, sandbox));
        rows.put(moved.id(), moved);
        return moved;
    }

    @Override
    public Sandbox pause(Caller caller, String sandbox) {
        return move(caller, sandbox, "paused");
    }

    @Override
    public Sandbox resume(Caller caller, String sandbox) {
        return move(caller, sandbox, "running");
    }

    @Override
    public Sandbox stop(Caller caller, String sandbox) {
        return move(caller, sandbox, "stopped");
    }

    @Override
    public Sandbox start(Caller caller, String sandbox) {
        return move(caller, sandbox, "running");
    }

    @Override
    public Sandbox reset(Caller caller, String sandbox) {
        return move(caller, sandbox, "running");
    }

    @Override
    public Sandbox kill(Caller caller, String sandbox) {
        return move(caller, sandbox, "ended");
    }

    @Override
    public Sandbox quarantine(Caller caller, String sandbox, @Nullable String why) {
        return move(caller, sandbox, "paused");
    }

    @Override
    public int killAll(Caller caller, @Nullable String tenant, @Nullable String why) {
        return 0;
    }

    @Override
    public Sandbox setLifetime(Caller caller, String sandbox, Duration lifetime) {
        return get(caller, sandbox);
    }

    @Override
    public Redacted redact(Caller caller, String sandbox, Redact more) {
        get(caller, sandbox);
        return new Redacted(List.copyOf(more.values().keySet()));
    }

    @Override
    public Map<String, String> env(Caller caller, String sandbox) {
        get(caller, sandbox);
        return Map.of();
    }

    @Override
    public Usage usage(Caller caller, String sandbox) {
        get(caller, sandbox);
        return new Usage(1, 2, 1, 3, 4, 5, 6, 7, 8, 9);
    }

    @Override
    public List<String> systemLog(Caller caller, String sandbox) {
        get(caller, sandbox);
        return List.of("made");
    }

    @Override
    public Snapshot snapshot(Caller caller, String sandbox, CreateSnapshot request) {
        get(caller, sandbox);
        throw noSnapshot();
    }

    @Override
    public List<Snapshot> listSnapshots(Caller caller, SnapshotQuery query) {
        if (query.sandbox() != null) {
            get(caller, query.sandbox());
        }
        return List.of();
    }

    @Override
    public SnapshotContents snapshotContents(Caller caller, String snapshot) {
        throw noSnapshot();
    }

    @Override
    public Snapshot tagSnapshot(Caller caller, String snapshot, String tag) {
        throw noSnapshot();
    }

    @Override
    public void untagSnapshot(Caller caller, String name, String tag) {
        throw noSnapshot();
    }

    @Override
    public Snapshot getSnapshot(Caller caller, String snapshot) {
        throw noSnapshot();
    }

    @Override
    public void deleteSnapshot(Caller caller, String snapshot) {
        throw noSnapshot();
    }

    private static RuntimeException noSnapshot() {
        return Problem.of(Code.SNAPSHOT_NOT_FOUND, "There is no such snapshot.", "List them.").raise();
    }

    @Override
    public Sandbox fork(Caller caller, String sandbox, ForkSandbox request, @Nullable String idempotencyKey) {
        get(caller, sandbox);
        return create(caller, new CreateSandbox(null, request.name(), null, null, null, null, null, null, null, null, null, null), idempotencyKey);
    }

    @Override
    public dev.redoma.engine.Attachments attachments() {
        return new FakeAttachments(this);
    }

    @Override
    public dev.redoma.engine.Approvals approvals() {
        return new FakeApprovals();
    }

    @Override
    public dev.redoma.engine.Exposures exposures() {
        return new FakeExposures(this);
    }

    @Override
    public dev.redoma.engine.Evidence evidence() {
        return new dev.redoma.engine.Evidence() {
            @Override
            public void note(String sandbox) {}

            @Override
            public void exporting(Caller caller, @Nullable String tenant) {}

            @Override
            public dev.redoma.model.wire.Scanned scan(Caller caller, @Nullable String tenant) {
                return new dev.redoma.model.wire.Scanned("clean", 0, 0, 0, 0, 0, java.util.List.of());
            }

            @Override
            public dev.redoma.model.wire.Erased erase(Caller caller, String sandbox) {
                return new dev.redoma.model.wire.Erased(get(caller, sandbox).id(), caller.tenant().value(), 0);
            }
        };
    }

    @Override
    public Caches caches() {
        return new FakeCaches();
    }

    @Override
    public Files volumeFiles() {
        return files;
    }

    @Override
    public dev.redoma.engine.Reviews reviews() {
        return new FakeReviews(this);
    }

    @Override
    public dev.redoma.engine.Ports ports() {
        return new dev.redoma.engine.Ports() {
            @Override
            public java.nio.channels.SocketChannel connect(Caller caller, String sandbox, int port) {
                get(caller, sandbox);
                throw Problem.of(Code.NOTHING_LISTENS, "Nothing listens.", "Start it.").raise();
            }

            @Override
            public void awake(Caller caller, String sandbox) {
                get(caller, sandbox);
            }

            @Override
            public java.util.Optional<Seen> seen(String sandbox) {
                return java.util.Optional.empty();
            }
        };
    }

    @Override
    public Volumes volumes() {
        return new FakeVolumes();
    }

    private final class FakeTemplates implements Templates {
        @Override
        public Template get(Caller caller, String template) {
            throw Problem.of(Code.TEMPLATE_NOT_FOUND, "There is no such template.", "List them.").raise();
        }

        @Override
        public List<Template> list(Caller caller) {
            return List.of();
        }

        @Override
        public Template importTar(Caller caller, String name, InputStream tar, Consumer<Pool.Progress> progress) {
            try {
                imported.set(tar.transferTo(java.io.OutputStream.nullOutputStream()));
            } catch (IOException gone) {
                throw new UncheckedIOException(gone);
            }
            return new Template(name, DIGEST, List.of("latest"), "tar", "ready", Instant.now(), imported.get(), null,
                    new TemplateSummary(null, null, List.of(), List.of(), List.of(), List.of(), Map.of(), null), List.of(), new TemplateUse(0, 0, List.of(), List.of()), null);
        }

        @Override
        public Template tag(Caller caller, String name, String tag, String version) {
            return get(caller, name);
        }

        @Override
        public void untag(Caller caller, String name, String tag) {
            get(caller, name);
        }

        @Override
        public void delete(Caller caller, String template) {
            throw Problem.of(Code.TEMPLATE_NOT_FOUND, "There is no such template.", "List them.").raise();
        }
    }
}
