// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.Caller;
import dev.redoma.model.SandboxId;
import dev.redoma.store.Store;
import java.time.Duration;
import java.util.Optional;

/// Finds live sandboxes for commands and files. Thread-safe.
final class LiveLookup implements LiveBoxes {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration STEP = Duration.ofMillis(20);

    private final Store store;
    private final Boxes boxes;

    LiveLookup(Store store, Boxes boxes) {
        this.store = store;
        this.boxes = boxes;
    }

    @Override
    public Live running(Caller caller, String sandbox) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        SandboxRow row = usable(caller, sandbox);
        while (row.state() == State.CREATING && System.nanoTime() < end && sleep()) {
            row = usable(caller, sandbox);
        }
        LiveBox live = boxes.find(row.id()).map(Box::live).orElse(null);
        if (row.state() != State.RUNNING || live == null) {
            throw Access.wrongState(row, "use it");
        }
        return live;
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
        return store.read(tx -> Access.visible(tx, caller, sandbox)).id();
    }

    @Override
    public Optional<Live> live(SandboxId sandbox) {
        return boxes.find(sandbox).map(Box::live);
    }
}
