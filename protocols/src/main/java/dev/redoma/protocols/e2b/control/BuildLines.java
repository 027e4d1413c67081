// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.control;

import dev.redoma.engine.Builds;
import dev.redoma.model.Caller;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// The log of one build, line by line, read as far as it has come each time somebody looks; of very many lines the first are kept. Thread-safe.
final class BuildLines {
    private static final int MOST = 100_000;
    private static final Duration NOW = Duration.ofMillis(1);

    /// `at`: when it was read here.
    record Line(Instant at, String text) {}

    private final List<Line> lines = new ArrayList<>();
    private final ByteArrayOutputStream partial = new ByteArrayOutputStream();
    private long offset;

    synchronized List<Line> upToNow(Builds builds, Caller caller, String build) throws InterruptedException {
        try (var log = builds.log(caller, build, offset)) {
            for (var part = log.next(NOW); part != null && part.length > 0; part = log.next(NOW)) {
                offset += part.length;
                take(part);
            }
        }
        return List.copyOf(lines);
    }

    private void take(byte[] part) {
        for (byte b : part) {
            if (b != '\n') {
                partial.write(b);
            } else if (lines.size() < MOST) {
                lines.add(new Line(Instant.now(), partial.toString(StandardCharsets.UTF_8)));
                partial.reset();
            } else {
                partial.reset();
            }
        }
    }
}
