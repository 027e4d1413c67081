// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import dev.redoma.ledger.Ledger;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Signs the ledger's heads now and then, and once more at the end.
final class Checkpoints implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Checkpoints.class);

    private final Ledger ledger;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Thread thread;

    Checkpoints(Ledger ledger, Duration every) {
        this.ledger = ledger;
        thread = Thread.ofVirtual().name("checkpoints").start(() -> run(every));
    }

    private void run(Duration every) {
        try {
            while (!ended.await(every.toNanos(), TimeUnit.NANOSECONDS)) {
                sign();
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
        sign();
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
