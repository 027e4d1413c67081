// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.model.SandboxId;
import dev.redoma.model.wire.ChangeSet;
import dev.redoma.model.wire.FilePatch;
import dev.redoma.model.wire.WorkspaceStart;
import dev.redoma.pool.Pool;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jdbi.v3.core.Handle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// From a workspace's start to the end of what is kept of an ended sandbox: its disk is taken aside when it ends, its change sets are read and recorded after that, in the background, and found to be still to be
/// read by the next server if this one dies meanwhile. Thread-safe.
final class ReviewClosing {
    private static final Logger LOG = LoggerFactory.getLogger(ReviewClosing.class);
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final Duration LOOK = Duration.ofMillis(20);
    /// Kept disks have at most one part in this many of the pool.
    private static final int SHARE = 5;

    private final Core core;
    private final ReviewReading reading;
    private final ReviewHome home;
    private final ReviewRecords records;
    private final ArtifactKeeping artifacts;
    private final Set<SandboxId> closing = ConcurrentHashMap.newKeySet();

    ReviewClosing(Core core, ReviewReading reading, ReviewHome home, ReviewRecords records, ArtifactKeeping artifacts) {
        this.artifacts = artifacts;
        this.core = core;
        this.reading = reading;
        this.home = home;
        this.records = records;
    }

    /// Under the box's lock.
    WorkspaceStart mark(Box box, String actor, String path) {
        SandboxRow row = core.row(box);
        if (row.state() != State.RUNNING) {
            throw Access.wrongState(row, "keep the start of its workspace");
        }
        if (core.store().read(tx -> ReviewRows.find(tx, row.id())).filter(r -> r.root() != null).isPresent()) {
            throw Problem.of(Code.WRONG_STATE, "The start of this sandbox's workspace was kept before.", "It is kept once, so that nobody moves it later.").with("state", "started").raise();
        }
        String root = WorkspacePaths.checked(path);
        Path upper = core.pool().disk(row.id()).map(Pool.Disk::upper).orElseThrow(() -> Access.wrongState(row, "keep the start of its workspace"));
        WorkspacePaths.real(core.pool(), upper, core.starter().lowers(row), root);
        LiveBox live = Pausing.live(box, row);
        live.instance().freeze();
        try {
            core.pool().markStart(row.id());
        } finally {
            live.instance().thaw();
        }
        core.store().write(tx -> {
            ReviewRows.started(tx, row, root);
            records.started(tx, row, actor, root);
            return true;
        });
        return new WorkspaceStart(root);
    }

    /// As the sandbox ends: its disk is taken aside, or removed where nobody will ask for it. False: there is nothing to review.
    boolean aside(SandboxRow row, String reason) {
        if (reason.equals("build")) {
            core.pool().deleteDisk(row.id());
            return false;
        }
        return core.pool().keepDisk(row.id());
    }

    /// How long what is kept of it stays: as its policy says, if that can be read.
    Instant until(SandboxRow row) {
        Duration standard = core.config().times().ended();
        try {
            return core.now().plus(core.policies().standing(row).stack().keepArtifacts().orElse(standard));
        } catch (RedomaException unreadable) {
            core.log().add(row.id(), "its policy cannot be read: what is kept stays for " + dev.redoma.model.Amounts.time(standard));
            return core.now().plus(standard);
        }
    }

    /// In the transaction of the end.
    void ending(Handle tx, SandboxRow row, boolean aside, java.util.Optional<String> authority, Instant until) {
        Instant now = core.now();
        if (aside) {
            ReviewRows.ending(tx, row, authority.orElse(null), now, until);
        } else {
            ReviewRows.lost(tx, row.id(), now, until);
        }
    }

    /// Reads and records what an ended sandbox changed; done by one at a time.
    void close(SandboxId sandbox) {
        if (!closing.add(sandbox)) {
            return;
        }
        try {
            var review = core.store().read(tx -> ReviewRows.find(tx, sandbox)).filter(r -> r.state().equals(ReviewRow.ENDING));
            if (review.isPresent()) {
                SandboxRow row = core.store().read(tx -> SandboxRows.get(tx, sandbox));
                close(row, review.get());
            }
        } finally {
            closing.remove(sandbox);
        }
        makeRoom();
    }

    private void close(SandboxRow row, ReviewRow review) {
        ReviewHome.Sets sets;
        try {
            Path upper = core.pool().kept(row.id()).orElseThrow(() -> new IllegalStateException("its disk is not there"));
            collect(row, review, upper);
            sets = read(row, review, upper);
        } catch (RuntimeException failed) {
            if (core.background().stopping()) {
                throw failed; // the next server reads it
            }
            LOG.warn("what {} changed cannot be read", row.id(), failed);
            String code = failed instanceof RedomaException told ? told.code().wire() : "failed";
            core.store().write(tx -> {
                ReviewRows.kept(tx, row.id(), core.pool().keptBytes(row.id()).value(), true);
                records.failed(tx, row, code);
                return true;
            });
            return;
        }
        home.write(row.id(), sets);
        Faults.at("review.written");
        boolean disk = !sets.template().items().isEmpty();
        core.store().write(tx -> {
            ReviewRows.kept(tx, row.id(), disk ? core.pool().keptBytes(row.id()).value() : 0, disk);
            records.changes(tx, row, sets.template());
            if (sets.workspace() != null) {
                records.changes(tx, row, sets.workspace());
            }
            return true;
        });
        if (!disk) {
            core.pool().deleteKept(row.id());
        }
    }

    /// What cannot be kept of it keeps nothing else from being read.
    private void collect(SandboxRow row, ReviewRow review, Path upper) {
        try {
            var declared = artifacts.declared(row, review);
            if (!declared.isEmpty()) {
                artifacts.collect(row, upper, java.util.Optional.ofNullable(review.root()), declared, "end", Records.ENGINE);
            }
        } catch (RuntimeException failed) {
            if (core.background().stopping()) {
                throw failed;
            }
            LOG.warn("artifacts of {} cannot be kept", row.id(), failed);
            String code = failed instanceof RedomaException told ? told.code().wire() : "failed";
            core.store().write(tx -> {
                records.artifactsFailed(tx, row, code);
                return true;
            });
        }
    }

    private ReviewHome.Sets read(SandboxRow row, ReviewRow review, Path upper) {
        var template = reading.template(row, upper, java.util.Optional.ofNullable(review.authority()), true);
        List<FilePatch> patches = reading.patches(template);
        if (review.root() == null || core.pool().start(row.id()).isEmpty()) {
            return new ReviewHome.Sets(template.set(), patches, null, List.of());
        }
        var workspace = reading.workspace(row, upper, review.root(), true);
        return new ReviewHome.Sets(template.set(), patches, workspace.set(), reading.patches(workspace));
    }

    /// Waits until the change set of an ended one was read.
    void settled(SandboxId sandbox) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (core.store().read(tx -> ReviewRows.find(tx, sandbox)).filter(r -> r.state().equals(ReviewRow.ENDING)).isPresent()) {
            if (System.nanoTime() > end) {
                throw Problem.of(Code.REQUEST_TIMEOUT, "What the sandbox changed is still being read.", "Ask again.").with("limit", "changes").raise();
            }
            try {
                Thread.sleep(LOOK);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw Problem.of(Code.STOPPING, "The server is stopping.", "Try again.").raise(e);
            }
        }
    }

    /// What an earlier server left to be read.
    void sweep() {
        core.store().read(ReviewRows::ending).forEach(r -> close(r.sandbox()));
        core.store().read(tx -> ReviewRows.expired(tx, core.now())).forEach(old -> drop(old, Records.ENGINE, "retention"));
        makeRoom();
    }

    boolean forget(SandboxRow row, String actor) {
        core.store().read(tx -> ReviewRows.find(tx, row.id())).ifPresent(kept -> drop(kept, actor, "asked"));
        core.pool().settle();
        return true;
    }

    private void drop(ReviewRow old, String actor, String why) {
        core.pool().deleteKept(old.sandbox());
        home.remove(old.sandbox());
        core.store().write(tx -> {
            records.forgotten(tx, old, actor, why);
            ReviewRows.forget(tx, old.sandbox());
            return true;
        });
    }

    /// The oldest disks go where they together have more than their share, or the pool has little left; their change sets stay.
    private void makeRoom() {
        List<ReviewRow> disks = core.store().read(ReviewRows::disks);
        long kept = disks.stream().mapToLong(ReviewRow::bytes).sum();
        Pool.Space space = core.pool().space();
        long missing = Math.max(kept - space.totalBytes() / SHARE, 2 * core.config().reserve().diskBytes() - space.freeBytes());
        for (ReviewRow oldest : disks) {
            if (missing <= 0) {
                return;
            }
            missing -= Math.max(1, oldest.bytes());
            core.store().write(tx -> {
                ReviewRows.kept(tx, oldest.sandbox(), 0, false);
                records.forgotten(tx, oldest, Records.ENGINE, "room");
                return true;
            });
            core.pool().deleteKept(oldest.sandbox());
        }
    }
}
