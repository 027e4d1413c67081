// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.wire.Change;
import dev.redoma.model.wire.ChangeSet;
import dev.redoma.model.wire.FilePatch;
import dev.redoma.model.wire.Mount;
import dev.redoma.pool.Compared;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Reads change sets from disks. Thread-safe.
final class ReviewReading {
    /// More entries than these are cut, and that is said.
    static final int MOST = 50_000;

    private final Core core;

    ReviewReading(Core core) {
        this.core = core;
    }

    /// One set, and what it was read from.
    record Read(ChangeSet set, Compared views) {}

    Read template(SandboxRow row, Path upper, Optional<String> authority, boolean ended) {
        List<Path> lowers = core.starter().lowers(row);
        var views = Compared.withTemplate(upper, lowers);
        var changes = OwnTraces.without(core.pool().changes(views, MOST), upper, lowers, authority, row.mounts().stream().map(Mount::path).toList());
        return new Read(set(row, ChangeSet.TEMPLATE, "/", ended, changes), views);
    }

    Read workspace(SandboxRow row, Path upper, String root, boolean ended) {
        Path start = core.pool().start(row.id()).orElseThrow(() -> noStart(row));
        var views = Compared.withStart(upper, start, core.starter().lowers(row), root);
        return new Read(set(row, ChangeSet.WORKSPACE, root, ended, core.pool().changes(views, MOST)), views);
    }

    List<FilePatch> patches(Read read) {
        return core.pool().patches(read.views(), read.set().items());
    }

    private ChangeSet set(SandboxRow row, String scope, String root, boolean ended, List<Change> changes) {
        return ChangeSet.of(row.id().value(), scope, root, ended, core.now(), dev.redoma.pool.Flagged.reasons(), changes);
    }

    static dev.redoma.model.RedomaException noStart(SandboxRow row) {
        return Problem.of(Code.WRONG_STATE, "The start of a workspace of this sandbox was not kept.", "Ask for what differs from its template (scope=template); make the next one with a workspace.")
                .with("scope", ChangeSet.WORKSPACE).raise();
    }

    static @Nullable String checked(@Nullable String scope) {
        if (scope != null && !scope.equals(ChangeSet.TEMPLATE) && !scope.equals(ChangeSet.WORKSPACE)) {
            throw Problem.field("scope", "is no scope", "template or workspace");
        }
        return scope;
    }
}
