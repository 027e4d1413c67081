// SPDX-License-Identifier: Apache-2.0
package dev.redoma.client;

import java.time.Duration;

/// How long to wait: `connect` for a connection, `answer` for an ordinary answer, `work` for one that needs long work (imports, folders), `silence`
/// between two signs of life on a stream, `reconnect` for a broken stream to be taken up again.
public record Patience(Duration connect, Duration answer, Duration work, Duration silence, Duration reconnect) {

    public static final Patience DEFAULT =
            new Patience(Duration.ofSeconds(10), Duration.ofMinutes(2), Duration.ofMinutes(30), Duration.ofSeconds(60), Duration.ofMinutes(1));
}
