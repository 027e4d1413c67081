// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Caller;
import dev.redoma.model.Code;
import dev.redoma.model.Problem;
import dev.redoma.model.RedomaException;
import dev.redoma.model.SandboxId;
import dev.redoma.store.Store;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/// Finds live sandboxes for commands and files: those that are known to run without asking the database. Thread-safe.
final class LiveLookup implements LiveBoxes {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration STEP = Duration.ofMillis(20);

    private final Store store;
    private final Boxes boxes;
    private volatile BiConsumer<Box, Caller> waking = (box, caller) -> {};

    LiveLookup(Store store, Boxes boxes) {
        this.store = store;
        this.boxes = boxes;
    }

    /// How a paused one is resumed for a caller who uses it.
    void onUse(BiConsumer<Box, Caller> resume) {
        waking = resume;
    }

    @Override
    public Live running(Caller caller, String sandbox) {
        return find(caller, sandbox);
    }

    @Override
    public Live used(Caller caller, String sandbox) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        LiveBox live = find(caller, sandbox);
        while (!live.use()) {
            if (System.nanoTime() > end || !sleep()) {
                throw undecided();
            }
            live = find(caller, sandbox);
        }
        return live;
    }

    private LiveBox find(Caller caller, String sandbox) {
        var known = boxes.find(sandbox).map(Box::live).filter(LiveBox::knownRunning).orElse(null);
        if (known != null && Access.sees(caller, known.tenant())) {
            Access.mayUse(caller, known.row());
            return known;
        }
        return looked(caller, sandbox);
    }

    private LiveBox looked(Caller caller, String sandbox) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        var before = boxes.find(sandbox).map(Box::live).orElse(null);
        int changes = before == null ? 0 : before.stateChanges();
        SandboxRow row = usable(caller, sandbox);
        LiveBox live = live(row);
        while (changing(row, live) && System.nanoTime() < end && sleep()) {
            row = usable(caller, sandbox);
            live = live(row);
        }
        if (row.state() == State.PAUSED && row.wakes() && !row.quarantined()) {
            boxes.find(row.id()).ifPresent(box -> waking.accept(box, caller));
            row = usable(caller, sandbox);
            live = live(row);
        }
        if (row.state() == State.RUNNING && live == null) {
            throw undecided();
        }
        if (row.state() != State.RUNNING || live == null) {
            throw Access.wrongState(row, "use it");
        }
        if (live == before) {
            live.seenRunning(changes);
        }
        return live;
    }

    private static RedomaException undecided() {
        return Problem.of(Code.REQUEST_TIMEOUT, "The sandbox just changes its state, and how that ends was not known in time.", "Ask for its state, then try again.")
                .with("limit", "state").raise();
    }

    /// Not there yet, or running no more though its row, as it was read, still says so.
    private static boolean changing(SandboxRow row, @Nullable LiveBox live) {
        return row.state() == State.CREATING || row.state() == State.RUNNING && live == null;
    }

    private @Nullable LiveBox live(SandboxRow row) {
        return boxes.find(row.id()).map(Box::live).orElse(null);
    }

    private SandboxRow usable(Caller caller, String sandbox) {
        SandboxRow row = store.read(tx -> Access.visible(tx, caller, sandbox));
        Access.mayUse(caller, row);
        return row;
    }

    private static boolean sleep() {
        try {
            Thread.sleep(STEP);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public SandboxId visible(Caller caller, String sandbox) {
        var box = boxes.find(sandbox).orElse(null);
        if (box != null && box.live() != null && Access.sees(caller, box.tenant())) {
            return box.id();
        }
        return store.read(tx -> Access.visible(tx, caller, sandbox)).id();
    }

    @Override
    public SandboxId endable(Caller caller, String sandbox) {
        var row = store.read(tx -> Access.visible(tx, caller, sandbox));
        Access.notQuarantined(caller, row);
        return row.id();
    }

    @Override
    public Optional<Ports.Seen> seen(String sandbox) {
        Optional<LiveBox> known = boxes.find(sandbox).map(Box::live).filter(LiveBox::knownRunning);
        return known.isPresent() ? known.map(live -> seen(live.row(), State.RUNNING)) : store.read(tx -> SandboxRows.find(tx, sandbox)).map(row -> seen(row, row.state()));
    }

    private static Ports.Seen seen(SandboxRow row, State state) {
        return new Ports.Seen(row.id().value(), row.tenant(), row.createdBy(), state.wire(), row.wakes(), row.labels());
    }

    @Override
    public Optional<Live> live(SandboxId sandbox) {
        return boxes.find(sandbox).map(Box::live);
    }
}
