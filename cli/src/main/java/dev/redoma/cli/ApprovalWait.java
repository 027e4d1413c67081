// SPDX-License-Identifier: Apache-2.0
package dev.redoma.cli;

import dev.redoma.client.RedomaApiException;
import java.time.Duration;
import java.util.function.Supplier;

/// Makes the same call again while humans have not decided. A request for approval ends by itself, and then the call is denied.
final class ApprovalWait {
    static final Duration UNTIL_DECIDED = Duration.ofDays(365);
    private static final Duration AGAIN = Duration.ofMillis(500);

    private final Io io;
    private final Duration most;

    ApprovalWait(Io io, Duration most) {
        this.io = io;
        this.most = most;
    }

    <T> T call(Supplier<T> call) {
        long until = System.nanoTime() + most.toNanos();
        boolean told = false;
        while (true) {
            try {
                return call.get();
            } catch (RedomaApiException pending) {
                if (!pending.code().equals("approval-pending") || System.nanoTime() >= until) {
                    throw pending;
                }
                if (!told) {
                    io.err().println("redoma: waits: " + Text.safe(pending.problem().detail()));
                    told = true;
                }
                pause();
            }
        }
    }

    private static void pause() {
        try {
            Thread.sleep(AGAIN);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Failed(Exit.FAILURE, "The wait for approval was broken off.", "The request stands; run the same command again.");
        }
    }
}
