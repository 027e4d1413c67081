// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import dev.redoma.ledger.Ledger;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Signs the ledger's heads now and then, and once more at the end.
final class Checkpoints implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Checkpoints.class);

    private static final Duration PRUNING = Duration.ofHours(1);

    private final Ledger ledger;
    private final Map<String, Duration> keep;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Thread thread;
    private long pruneAt = System.nanoTime();

    /// `keep`: how long what is sealed stays, by category.
    Checkpoints(Ledger ledger, Duration every, Map<String, Duration> keep) {
        this.keep = keep;
        this.ledger = ledger;
        thread = Thread.ofVirtual().name("checkpoints").start(() -> run(every));
    }

    private void run(Duration every) {
        try {
            while (!ended.await(every.toNanos(), TimeUnit.NANOSECONDS)) {
                prune();
                sign();
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
        sign();
    }

    private void prune() {
        if (keep.isEmpty() || System.nanoTime() < pruneAt) {
            return;
        }
        pruneAt = System.nanoTime() + PRUNING.toNanos();
        try {
            long removed = ledger.prune(keep);
            if (removed > 0) {
                LOG.info("what was sealed in {} records is not kept any longer", removed);
            }
        } catch (RuntimeException failed) {
            LOG.error("what is sealed in old records could not be removed", failed);
        }
    }

    private void sign() {
        try {
            ledger.checkpoint();
        } catch (RuntimeException failed) {
            LOG.error("the ledger's heads could not be signed", failed);
        }
    }

    @Override
    public void close() throws InterruptedException {
        ended.countDown();
        thread.join(Duration.ofSeconds(10));
    }
}
