// SPDX-License-Identifier: Apache-2.0
package dev.redoma.engine;

import dev.redoma.engine.image.ImageSources;
import dev.redoma.ledger.Ledger;
import dev.redoma.pool.Pool;
import dev.redoma.store.Store;
import java.time.Clock;
import java.util.List;

/// The engine, assembled. Closing it leaves sandboxes running: the next `open` on the same store finds them. The store, ledger, pool
/// and tiers stay the caller's to close, after this.
public interface Engine extends Redoma, AutoCloseable {

    /// Finds what an earlier server left alive, finishes or undoes what it had begun, and is then ready for calls.
    static Engine open(EngineConfig config, Store store, Ledger ledger, Pool pool, List<Tier> tiers, Clock clock) {
        return open(config, store, ledger, pool, tiers, ImageSources.NONE, clock);
    }

    /// The same with a way to registries.
    static Engine open(EngineConfig config, Store store, Ledger ledger, Pool pool, List<Tier> tiers, ImageSources images, Clock clock) {
        return open(config, store, ledger, pool, tiers, images, Network.NONE, clock);
    }

    /// The same with a network, by which sandboxes reach what their policies allow.
    static Engine open(EngineConfig config, Store store, Ledger ledger, Pool pool, List<Tier> tiers, ImageSources images, Network network, Clock clock) {
        return open(config, store, ledger, pool, tiers, images, network, Approvals.Settings.NOBODY, clock);
    }

    /// The same where humans decide some of what is done.
    static Engine open(EngineConfig config, Store store, Ledger ledger, Pool pool, List<Tier> tiers, ImageSources images, Network network, Approvals.Settings approvals, Clock clock) {
        return EngineHouse.open(config, store, ledger, pool, tiers, images, network, approvals, clock);
    }

    @Override
    void close();
}
