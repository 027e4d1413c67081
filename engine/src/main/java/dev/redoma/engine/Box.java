// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.model.SandboxId;
import dev.redoma.model.TenantId;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// What this server holds in memory of one sandbox. Everything that changes the sandbox happens under `lock`; `live` may be read without.
final class Box {
    private final SandboxId id;
    private final TenantId tenant;
    /// One writer per sandbox. Held over whole verbs; no other box's lock is ever taken while one is held.
    final ReentrantLock lock = new ReentrantLock();
    private volatile @Nullable LiveBox live;
    /// A kill waits for the lock: a creation in progress gives up at its next step.
    private volatile boolean unwanted;

    Box(SandboxId id, TenantId tenant) {
        this.id = id;
        this.tenant = tenant;
    }

    SandboxId id() {
        return id;
    }

    TenantId tenant() {
        return tenant;
    }

    @Nullable LiveBox live() {
        return live;
    }

    void live(@Nullable LiveBox now) {
        live = now;
    }

    void unwanted() {
        unwanted = true;
    }

    boolean isUnwanted() {
        return unwanted;
    }
}
