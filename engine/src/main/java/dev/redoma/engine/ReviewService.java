// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.SandboxId;
import dev.redoma.model.Scope;
import dev.redoma.model.wire.ApplyChanges;
import dev.redoma.model.wire.ApplyGrant;
import dev.redoma.model.wire.ApplyResult;
import dev.redoma.model.wire.Artifact;
import dev.redoma.model.wire.ArtifactCollection;
import dev.redoma.model.wire.Change;
import dev.redoma.model.wire.ChangeSet;
import dev.redoma.model.wire.FilePatch;
import dev.redoma.model.wire.WorkspaceStart;
import dev.redoma.pool.Artifacts;
import dev.redoma.pool.Outgoing;
import dev.redoma.pool.Pool;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Reviews, each call authorised. None of them counts as activity. Thread-safe.
final class ReviewService implements Reviews {
    private final Core core;
    /// A sandbox can make its change set long work, and whoever sees it may ask at any time.
    private final Together<Wanted, ReviewReading.Read> together = new Together<>();
    private final ReviewReading reading;
    private final ReviewHome home;
    private final ReviewClosing closing;
    private final ArtifactKeeping keeping;
    private final ReviewRecords records;
    private final ApplyService applies;

    ReviewService(Core core, ReviewReading reading, ReviewHome home, ReviewClosing closing, ArtifactKeeping keeping, ReviewRecords records, ApplyService applies) {
        this.records = records;
        this.applies = applies;
        this.keeping = keeping;
        this.core = core;
        this.reading = reading;
        this.home = home;
        this.closing = closing;
    }

    @Override
    public ChangeSet changes(Caller caller, String sandbox, @Nullable String scope) {
        var row = visible(caller, sandbox);
        ReviewReading.checked(scope);
        return row.state() == State.ENDED ? last(row, scope).set() : read(row, scope).set();
    }

    @Override
    public List<FilePatch> patches(Caller caller, String sandbox, @Nullable String scope) {
        var row = visible(caller, sandbox);
        // Content of files, as the files themselves; but whoever is to decide whether it is applied has to see it.
        if (!caller.scopes().contains(Scope.APPROVE) || !core.approvals().desk().asksToApply(row.id())) {
            Access.mayUse(caller, row);
        }
        Access.notQuarantined(caller, row);
        ReviewReading.checked(scope);
        out(caller, row, "changes.read", scope == null ? Map.of() : Map.of("scope", scope), Map.of());
        return row.state() == State.ENDED ? last(row, scope).patches() : reading.patches(read(row, scope));
    }

    @Override
    public void changesOut(Caller caller, String sandbox, @Nullable String scope, Outgoing form, OutputStream to) throws IOException {
        var row = visible(caller, sandbox);
        Access.mayUse(caller, row);
        Access.notQuarantined(caller, row);
        ReviewReading.checked(scope);
        boolean ended = row.state() == State.ENDED;
        ChangeSet set = ended ? last(row, scope).set() : read(row, scope).set();
        Path upper = (ended ? core.pool().kept(row.id()) : core.pool().disk(row.id()).map(Pool.Disk::upper)).orElseThrow(() -> noFiles(row));
        set.items().stream().filter(c -> c.kind().equals("truncated")).findFirst().ifPresent(c -> {
            throw Problem.of(Code.FILE_REFUSED, "The change set is too large to be exported whole" + (c.path().isEmpty() ? "." : ", at " + c.path() + "."),
                            "Export the directories that matter by their paths.").with("path", c.path()).raise();
        });
        var paths = set.items().stream().filter(c -> !c.kind().equals("deleted")).map(Change::path).map(p -> p.startsWith("/") ? p.substring(1) : p).collect(Collectors.toSet());
        out(caller, row, "changes.export", Map.of("scope", set.scope(), "format", form.format().name().toLowerCase(Locale.ROOT)), Map.of("changes", set.digest()));
        form.changes(upper, set.root(), paths, to);
    }

    /// Durable before any of it goes out.
    private void out(Caller caller, SandboxRow row, String action, Map<String, Object> open, Map<String, Object> sealed) {
        core.store().write(tx -> {
            records.out(tx, row, caller.key(), action, open, sealed);
            return true;
        });
    }

    @Override
    public WorkspaceStart markStart(Caller caller, String sandbox, String path) {
        caller.need(Scope.EXEC);
        var row = core.store().read(tx -> Access.visible(tx, caller, sandbox));
        Access.mayUse(caller, row);
        Access.notQuarantined(caller, row);
        var box = core.boxes().find(row.id()).orElseThrow(() -> Access.ended(row));
        return core.background().call(() -> core.boxes().locked(box, () -> closing.mark(box, caller.key(), path)));
    }

    @Override
    public List<Artifact> artifacts(Caller caller, String sandbox) {
        var row = visible(caller, sandbox);
        ended(row);
        return core.store().read(tx -> ArtifactRows.of(tx, row.id()));
    }

    @Override
    public ArtifactCollection collect(Caller caller, String sandbox, List<String> patterns) {
        caller.need(Scope.EXEC);
        var row = core.store().read(tx -> Access.visible(tx, caller, sandbox));
        Access.mayUse(caller, row);
        Access.notQuarantined(caller, row);
        if (patterns.isEmpty()) {
            throw Problem.field("patterns", "is empty", "at least one pattern, such as reports/**");
        }
        Artifacts.checked(patterns);
        ended(row);
        var review = core.store().read(tx -> ReviewRows.find(tx, row.id()));
        Path upper = (row.state() == State.ENDED ? core.pool().kept(row.id()) : core.pool().disk(row.id()).map(Pool.Disk::upper)).orElseThrow(() -> noFiles(row));
        return core.background().call(() -> keeping.collect(row, upper, review.map(ReviewRow::root), patterns, "asked", caller.key()));
    }

    @Override
    public void artifact(Caller caller, String sandbox, String which, ArtifactHeader header) throws IOException {
        var row = content(caller, sandbox);
        Artifact found = core.store().read(tx -> ArtifactRows.find(tx, row.id(), which))
                .orElseThrow(() -> Problem.of(Code.FILE_NOT_FOUND, "No artifact '" + RequestRules.shown(which) + "'.", "List those that are, or collect it.").raise());
        try (var in = keeping.open(row.id(), found)) {
            out(caller, row, "artifact.read", Map.of("bytes", found.size()), Map.of("path", found.path(), "sha256", found.digest()));
            in.transferTo(header.begin(found));
        }
    }

    @Override
    public void artifactsOut(Caller caller, String sandbox, Outgoing form, OutputStream to) throws IOException {
        var row = content(caller, sandbox);
        var chosen = core.store().read(tx -> ArtifactRows.of(tx, row.id())).stream().filter(a -> form.takes(a.path())).toList();
        out(caller, row, "artifacts.export", Map.of("count", chosen.size(), "format", form.format().name().toLowerCase(Locale.ROOT)), Map.of());
        keeping.pack(row.id(), form.format(), chosen, to);
    }

    @Override
    public ApplyGrant apply(Caller caller, String sandbox, ApplyChanges what) {
        var row = content(caller, sandbox);
        var now = row.state() == State.ENDED ? last(row, ChangeSet.WORKSPACE).set() : read(row, ChangeSet.WORKSPACE).set();
        return applies.grant(caller, row, now, what);
    }

    @Override
    public void applied(Caller caller, String sandbox, String apply, ApplyResult result) {
        applies.result(caller, content(caller, sandbox), apply, result);
    }

    @Override
    public void forget(Caller caller, String sandbox) {
        caller.need(Scope.OPERATE);
        var row = visible(caller, sandbox);
        if (row.state() != State.ENDED) {
            throw Access.wrongState(row, "forget what is kept of it");
        }
        closing.settled(row.id());
        core.background().call(() -> closing.forget(row, caller.key()));
    }

    private SandboxRow content(Caller caller, String sandbox) {
        var row = visible(caller, sandbox);
        Access.mayUse(caller, row);
        Access.notQuarantined(caller, row);
        ended(row);
        return row;
    }

    private void ended(SandboxRow row) {
        if (row.state() == State.ENDED) {
            closing.settled(row.id());
        }
    }

    private ReviewReading.Read read(SandboxRow row, @Nullable String scope) {
        Pool.Disk disk = core.pool().disk(row.id()).orElseThrow(() -> Access.wrongState(row, "read its changes"));
        Optional<String> root = core.store().read(tx -> ReviewRows.find(tx, row.id())).map(ReviewRow::root);
        boolean template = scope == null ? root.isEmpty() : scope.equals(ChangeSet.TEMPLATE);
        var workspace = template ? null : root.orElseThrow(() -> ReviewReading.noStart(row));
        return together.get(new Wanted(row.id(), workspace), () -> workspace == null ? reading.template(row, disk.upper(), core.uplink().authority(row), false)
                : reading.workspace(row, disk.upper(), workspace, false));
    }

    /// One change set of one sandbox; `workspace` null: against its template.
    private record Wanted(SandboxId sandbox, @Nullable String workspace) {}

    private record Last(ChangeSet set, List<FilePatch> patches) {}

    /// Of one that has ended: as it was read then. It waits while that is going on.
    private Last last(SandboxRow row, @Nullable String scope) {
        closing.settled(row.id());
        var sets = home.read(row.id()).orElseThrow(() -> Access.ended(row));
        var workspace = sets.workspace();
        boolean template = scope == null ? workspace == null : scope.equals(ChangeSet.TEMPLATE);
        if (template) {
            return new Last(sets.template(), sets.templatePatches());
        }
        if (workspace == null) {
            throw ReviewReading.noStart(row);
        }
        return new Last(workspace, sets.workspacePatches());
    }

    private static dev.redoma.model.RedomaException noFiles(SandboxRow row) {
        return Problem.of(Code.SANDBOX_ENDED, "The files of this ended sandbox are not kept any more.", "Its change set still tells what they were.").with("reason", "retention").raise();
    }

    private SandboxRow visible(Caller caller, String sandbox) {
        caller.need(Scope.READ);
        return core.store().read(tx -> Access.visible(tx, caller, sandbox));
    }
}
