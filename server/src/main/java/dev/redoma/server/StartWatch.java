// SPDX-License-Identifier: Apache-2.0
package dev.redoma.server;

import java.util.StringJoiner;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Tells what a start took, part by part.
final class StartWatch {
    private static final Logger LOG = LoggerFactory.getLogger(StartWatch.class);

    private final StringJoiner parts = new StringJoiner(", ");
    private long last = System.nanoTime();

    void done(String part) {
        long now = System.nanoTime();
        parts.add(part + " " + (now - last) / 1_000_000);
        last = now;
    }

    void tell(String url) {
        long sinceStart = System.currentTimeMillis() - ProcessHandle.current().info().startInstant().map(java.time.Instant::toEpochMilli).orElse(0L);
        LOG.info("serving {} after {} ms ({})", url, sinceStart, parts);
    }
}
